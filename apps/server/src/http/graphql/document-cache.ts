import { createHash } from 'node:crypto'
import { type DocumentNode, type ParseOptions, parse, stripIgnoredCharacters } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { createByteCache } from '../../byte-cache.ts'
import { limits } from '../limits.ts'
import { checkShape } from './limits/document-shape.ts'

/** The size limits of the caches in bytes: for callers' texts with their normal forms and their ids, and for parsed documents. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024

/**
 * A parsed document uses at most this many bytes per character of its normal text. A token of a document without locations has about 80
 * bytes, and the shortest tokens have one character.
 */
const BYTES_PER_CHARACTER = 80

/** Normal forms of documents. Texts that differ only in whitespace, commas and comments have the same normal form. */
export interface DocumentTexts {
  /** Throws GraphQLError for a text that does not consist of tokens. */
  normal(text: string): string
  /** The normal form of the text with this id, `sha256:` and the hash of the text. Undefined if the text was not sent lately. */
  ofId(id: string): string | undefined
  readonly bytes: number
}

/** The id of a text: `sha256:` and 64 hexadecimal digits. */
export const idOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

export function createDocumentTexts(maxBytes = MAX_TEXT_BYTES): DocumentTexts {
  const known = createByteCache<{ readonly normal: string; readonly id: string }>(maxBytes / 2)
  const normalById = createByteCache<string>(maxBytes / 2)
  return {
    normal(text) {
      let found = known.get(text)
      if (found === undefined) {
        found = { normal: stripIgnoredCharacters(text), id: idOf(text) }
        known.set(text, found, 2 * (found.normal.length + found.id.length))
      }
      const { normal, id } = found
      // the id can have been dropped although the text is still cached
      if (normalById.get(id) === undefined) normalById.set(id, normal, 2 * normal.length)
      return normal
    },
    ofId: (id) => normalById.get(id),
    get bytes() {
      return known.bytes + normalById.bytes
    },
  }
}

/** Parsed valid documents by their normal texts, so that a document that is sent repeatedly is parsed once. */
export interface DocumentCache {
  /** Parses a normal text. Throws an error for a document above a limit, and GraphQLError for an invalid one. */
  read(text: string): DocumentNode
  isValid(document: DocumentNode): boolean
  /** The cached document of a normal text, which is valid; undefined if it is not cached. */
  valid(text: string): DocumentNode | undefined
  /** Caches a document. Invalid documents are not cached, because callers can send any number of them. */
  setValid(document: DocumentNode, text: string): void
  readonly bytes: number
  readonly documentCount: number
}

export function createDocumentCache(maxBytes = MAX_DOCUMENT_BYTES): DocumentCache {
  const known = createByteCache<DocumentNode>(maxBytes)
  const valid = new WeakSet<DocumentNode>()
  // without locations a document does not contain its tokens, which would triple its size
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
    valid: (text) => known.get(text),
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

/** Parses documents with a cache. The errors of an invalid document are computed each time. */
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
