import { type DocumentNode, print } from 'graphql'
import { describe, expect, test } from 'vitest'
import { createByteCache } from '../../byte-cache.ts'
import { limits } from '../limits.ts'
import { createDocumentCache, createDocumentTexts } from './document-cache.ts'

describe('a cache that is bounded in bytes', () => {
  test('the cache never holds more than its limit, and drops the least recently used entries', () => {
    const cache = createByteCache<number>(10_000)
    for (let i = 0; i < 1_000; i++) {
      cache.set(`key ${i}`, i, (i * 37) % 900)
      cache.get('key 0')
      expect(cache.bytes).toBeLessThanOrEqual(10_000)
    }
    expect([cache.get('key 0'), cache.get('key 1'), cache.get('key 999')]).toEqual([0, undefined, 999])
  })

  test('the size of an entry that is replaced is counted once', () => {
    const cache = createByteCache<number>(10_000)
    for (let i = 0; i < 100; i++) cache.set('key', i, 500)
    expect([cache.size, cache.get('key'), cache.bytes]).toEqual([1, 99, 2 * 3 + 64 + 500])
  })

  test('an entry that exceeds the limit alone is not cached, and evicts no others', () => {
    const cache = createByteCache<number>(1_000)
    cache.set('small', 1, 10)
    cache.set('large', 2, 2_000)
    expect([cache.get('small'), cache.get('large')]).toEqual([1, undefined])
  })
})

describe('the cache of parsed documents', () => {
  const open = () => {
    const texts = createDocumentTexts(1_000_000)
    const documents = createDocumentCache(1_000_000)
    const read = (text: string): DocumentNode => {
      const normal = texts.normal(text)
      const document = documents.read(normal)
      if (!documents.isValid(document)) documents.setValid(document, normal)
      return document
    }
    return { texts, documents, read }
  }

  test('texts that differ only in whitespace, commas and comments have one cached document', () => {
    const { documents, read } = open()
    const one = read('{ viewer { scopes } }')
    const others = ['{viewer{scopes}}', '#a\n{ viewer,{ scopes } } # b', '\ufeff{\n\tviewer\r\n{scopes,,,}}\n\n']
    expect(others.map(read).every((document) => document === one)).toBe(true)
    expect(documents.documentCount).toBe(1)
  })

  test('whitespace within a string is significant', () => {
    const { documents, read } = open()
    const texts = ['{ a(b: "c d") }', '{ a(b: "c  d") }', '{ a(b: "c # d") }', '{ a(b: """c\n  d""") }']
    expect(new Set(texts.map((text) => print(read(text)))).size).toBe(4)
    expect(documents.documentCount).toBe(4)
  })

  test.each<[string, (i: number) => string]>([
    ['of one document with long comments', (i) => `{ viewer { scopes } } # ${i} ${'x'.repeat(60_000)}`],
    ['of one document with many blanks', (i) => `{ viewer { scopes } }${' '.repeat(60_000 + i)}`],
    ['with a long text in each', (i) => `{ host(name: "${i} ${'x'.repeat(60_000)}") { name } }`],
    ['with a name of their own', (i) => `query Q${i} { viewer { scopes } }`],
    ['with many tokens', (i) => `query Q${i} { a { ${Array.from({ length: 900 }, (_, at) => `f${at}`).join(' ')} } }`],
    ['with long names', (i) => `query Q${i} { ${'x'.repeat(60_000)} }`],
  ])('300 texts %s use at most the memory of the cache limits', (_name, text) => {
    const { texts, documents, read } = open()
    for (let i = 0; i < 300; i++) {
      read(text(i))
      expect(texts.bytes + documents.bytes).toBeLessThanOrEqual(2_000_000)
    }
  })

  test('an invalid document is not cached', () => {
    const documents = createDocumentCache()
    for (let i = 0; i < 100; i++) documents.read(`{nothing${i}}`)
    expect([documents.documentCount, documents.bytes]).toEqual([0, 0])
  })

  test('the counted bytes are at least the bytes that the tokens use', () => {
    const documents = createDocumentCache()
    const text = `{a{${Array.from({ length: 800 }, (_, i) => `a${i}(b:1)`).join(' ')}}}`
    documents.setValid(documents.read(text), text)
    expect(documents.bytes).toBeGreaterThan(80 * 6 * 800)
    expect(text.length).toBeLessThan(limits.documentBytes)
  })
})
