import { type DocumentNode, type ParseOptions, parse, stripIgnoredCharacters } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { createByteCache } from './byte-cache.ts'
import { checkShape } from './document-shape.ts'
import { limits } from './limits.ts'

/** Bytes of texts as callers send them, with their normal forms, and of the documents that they mean. */
const MOST_TEXT_BYTES = 8 * 1024 * 1024
const MOST_DOCUMENT_BYTES = 32 * 1024 * 1024

/** What a parsed character of a normal text takes at most: a token of a document without locations has about 80 bytes, and the shortest tokens have one character. */
const BYTES_PER_CHARACTER = 80

/** Normal forms of documents: texts that differ in blanks, commas and comments alone have one. */
export interface DocumentTexts {
  /** Throws GraphQLError for what is no text of tokens. */
  normal(text: string): string
  readonly bytes: number
}

export function createDocumentTexts(mostBytes = MOST_TEXT_BYTES): DocumentTexts {
  const known = createByteCache<string>(mostBytes)
  return {
    normal(text) {
      let normal = known.get(text)
      if (normal === undefined) {
        normal = stripIgnoredCharacters(text)
        known.set(text, normal, 2 * normal.length)
      }
      return normal
    },
    get bytes() {
      return known.bytes
    },
  }
}

/** Documents that were read and found valid, by their normal texts, so that one that comes again is not read again. */
export interface DocumentCache {
  /** The document of a normal text. Throws the fault for one that is too large in some way, GraphQLError for one that is none. */
  read(text: string): DocumentNode
  isValid(document: DocumentNode): boolean
  /** Keeps a document. Those that are not valid are not kept: a caller can send any number of them. */
  setValid(document: DocumentNode, text: string): void
  readonly bytes: number
  readonly documentCount: number
}

export function createDocumentCache(mostBytes = MOST_DOCUMENT_BYTES): DocumentCache {
  const known = createByteCache<DocumentNode>(mostBytes)
  const valid = new WeakSet<DocumentNode>()
  // without locations a document does not hold its tokens, which are three times as large as it
  const options: ParseOptions = { maxTokens: limits.tokens, noLocation: true }
  return {
    read(text) {
      const found = known.get(text)
      if (found !== undefined) return found
      const document = parse(text, options)
      checkShape(document)
      return document
    },
    isValid: (document) => valid.has(document),
    setValid(document, text) {
      valid.add(document)
      known.set(text, document, BYTES_PER_CHARACTER * text.length)
    },
    get bytes() {
      return known.bytes
    },
    get documentCount() {
      return known.size
    },
  }
}

/** Reads documents with a cache. What is wrong with one is found out anew each time that it is sent. */
export function useDocumentCache(cache: DocumentCache): Plugin {
  /** Texts of documents that are not validated yet. */
  const texts = new WeakMap<DocumentNode, string>()
  return {
    onParse: ({ setParseFn }) =>
      setParseFn((source) => {
        const text = typeof source === 'string' ? source : source.body
        const document = cache.read(text)
        if (!cache.isValid(document)) texts.set(document, text)
        return document
      }),
    onValidate({ params: { documentAST }, setResult }) {
      if (cache.isValid(documentAST)) {
        setResult([])
        return undefined
      }
      return ({ valid }) => {
        const text = texts.get(documentAST)
        if (valid && text !== undefined) cache.setValid(documentAST, text)
      }
    },
  }
}
