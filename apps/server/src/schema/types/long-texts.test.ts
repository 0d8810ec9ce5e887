import { afterEach, describe, expect, test, vi } from 'vitest'
import { callSize } from '../../services/calls/json-size.ts'
import { InputFault } from '../../services/calls/outcome.ts'
import { countedList } from '../../testing/counted-list.ts'
import { summaryOf, targetOf } from './audited.ts'
import { decodeId, encodeId, idOf, MAX_ID_LENGTH } from './ids.ts'
import { scalarRules } from './scalars.ts'

const UUID = '6f1c7f0e-6f0e-4d5a-9c3e-0d8f5f0b2a11'
/** As many letters as a body can have. */
const LONG = 'A'.repeat(4_100_000)

afterEach(() => void vi.restoreAllMocks())

/** Counts the characters that are decoded or converted to lower case. */
function countWork() {
  const decoded = vi.spyOn(Buffer, 'from')
  const lowered = vi.spyOn(String.prototype, 'toLowerCase')
  const lengthOf = (text: unknown): number => (typeof text === 'string' || text instanceof String ? text.length : 0)
  return () =>
    decoded.mock.calls.reduce((sum, [text]) => sum + lengthOf(text), 0) +
    lowered.mock.contexts.reduce((sum: number, text) => sum + lengthOf(text), 0)
}

describe('the target of a mutation in the audit', () => {
  const claim = (id: string) => ({ id, fence: 1 })

  test.each<[string, Record<string, unknown>, unknown, string]>([
    ['an id', { id: encodeId('Claim', UUID) }, undefined, UUID],
    ['a plain id', { id: UUID }, undefined, UUID],
    ['objects', { claims: [claim(encodeId('Claim', UUID)), claim('c2')] }, undefined, `${UUID}, c2`],
    ['five objects', { claims: ['1', '2', '3', '4', '5'].map(claim) }, undefined, '1, 2, 3, 4, 5'],
    ['more objects', { claims: ['1', '2', '3', '4', '5', '6', '7'].map(claim) }, undefined, '1, 2, 3, 4, 5 and 2 more'],
    ['hosts with nodes', { hosts: [{ host: 'h1', node: 'n1' }, { host: 'h2' }] }, undefined, 'h1/n1, h2'],
    ['the object in the answer', { input: { name: 'a' } }, { aggregate: { uuid: UUID } }, UUID],
    ['a long name', { input: { name: 'x'.repeat(300) } }, undefined, `${'x'.repeat(200)}...`],
    ['nothing', {}, null, '-'],
  ])('is %s', (_name, args, value, expected) => expect(targetOf(args, value)).toBe(expected))

  test('is found without reading more objects than are named', () => {
    const { list, read } = countedList(Array.from({ length: 480 }, () => claim(LONG)))
    const work = countWork()
    expect(targetOf({ claims: list }, undefined)).toMatch(/^A{200}\.\.\.$/)
    expect(read.items).toBeLessThanOrEqual(5)
    expect(work()).toBe(0)
  })
})

describe('the summary of a mutation in the audit', () => {
  /** An object with numbered keys, and how many of its values were read. */
  function wide(count: number, value: unknown) {
    const read = { values: 0 }
    const object = new Proxy(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value])), {
      get(target, key, receiver): unknown {
        if (typeof key === 'string' && key.startsWith('k')) read.values++
        return Reflect.get(target, key, receiver)
      },
    })
    return { object, read }
  }

  test('has the first keys of an object, and the count of the others', () => {
    const { object, read } = wide(10_000, 0)
    const summary = JSON.parse(summaryOf({ options: object }))
    expect(Object.keys(summary.options)).toHaveLength(101)
    expect(summary.options).toMatchObject({ k0: 0, k99: 0, '...': '9900 more' })
    expect(read.values).toBe(100)
  })

  test('reads at most 2,000 values, however they are nested', () => {
    const { object, read } = wide(100, 0)
    const lists = Array.from({ length: 20 }, () => Array.from({ length: 20 }, () => object))
    expect(Object.keys(JSON.parse(summaryOf({ options: { a: lists, b: lists } })))).toEqual(['begins', 'sha256'])
    expect(read.values).toBeLessThanOrEqual(2_100)
  })

  test('keeps members of any name, masks keys in short texts, and replaces control characters', () => {
    const args = JSON.parse('{"a":{"__proto__":{"b":"gantt_0123456789abcdef"},"c":null,"d_e":[1,"x\\u0007y",true]},"toString":"f"}')
    expect(summaryOf(args)).toBe('{"a":{"__proto__":{"b":"gantt_..."},"d_e":[1,"x\uFFFDy",true]},"toString":"f"}')
    const key = `gantt_${'A-'.repeat(8)}`
    expect(summaryOf({ [key]: `${key} and ${key}` })).toBe('{"gantt_...":"gantt_... and gantt_..."}')
  })

  test('leaves out the documents of callers in every form, and keeps settings of the same name', () => {
    const { object, read } = wide(1_000, 'secret')
    const input = {
      spec: { nova: object, legacy: object },
      updates: [{ report: { nova: object, full: object, delta: object, namespace: { document: object } } }],
      profileChanges: object,
      nova: { maxAttempts: 3 },
    }
    expect(JSON.parse(summaryOf({ input }))).toEqual({
      input: {
        spec: { nova: '...', legacy: '...' },
        updates: [{ report: { nova: '...', full: '...', delta: '...', namespace: { document: '...' } } }],
        profileChanges: '...',
        nova: { maxAttempts: 3 },
      },
    })
    expect(read.values).toBe(0)
  })
})

describe('an id', () => {
  test('of a host with the longest names is not too long to be read', () => {
    for (const letter of ['x', '中', '"', '\u0001']) {
      const id = encodeId('Host', JSON.stringify([letter.repeat(255), letter.repeat(255)]))
      expect(id.length).toBeLessThanOrEqual(MAX_ID_LENGTH)
      expect(decodeId(id)).toEqual({ typename: 'Host', id: JSON.stringify([letter.repeat(255), letter.repeat(255)]) })
    }
  })

  test.each<[string, (id: string) => unknown]>([
    ['a plain or global id', (id) => idOf('Claim', id, ['id'])],
    ['a global id', decodeId],
  ])('that is longer is refused as %s without being decoded', (_name, read) => {
    const work = countWork()
    for (let i = 0; i < 480; i++) expect(() => read(LONG)).toThrow(InputFault)
    expect(work()).toBe(0)
  })
})

describe('a JSON value', () => {
  const { read } = scalarRules.JSON

  test('may have as many values and as much text as the variables of a call', () => {
    const values = new Array<number>(callSize.values).fill(0)
    const text = 'x'.repeat(callSize.characters)
    expect([read(values), read(text)]).toEqual([values, text])
    expect([read([...values, 0]), read(`${text}x`), read({ [`${text}x`]: 0 }), read([text, 'x'])]).toEqual(Array(4).fill(undefined))
  })

  test('that contains the same list many times is refused once the limit of values is reached', () => {
    let visits = 0
    const list = new Proxy(new Array<number>(99_000).fill(0), {
      get(target, key) {
        if (typeof key === 'string' && key !== 'length') visits++
        return Reflect.get(target, key)
      },
    })
    expect(read(new Array(1_500).fill(list))).toBeUndefined()
    expect(visits).toBeGreaterThan(0)
    expect(visits).toBeLessThanOrEqual(callSize.values)
  })
})
