import { atOnce } from '@gantt/scheduler-core'
import { type DocumentNode, getOperationAST, parse, visit } from 'graphql'
import { describe, expect, test } from 'vitest'
import { limits } from '../../limits.ts'
import { checkUsesInSteps, usesOf } from './variable-uses.ts'

const usesIn = (text: string, name?: string, work = { nodes: 0 }): Record<string, number> => {
  const document = parse(text)
  const operation = getOperationAST(document, name)
  if (!operation) throw new Error('the document has no such operation')
  return Object.fromEntries(usesOf(document, operation, work))
}

/** Checks a call. Returns the details of the error; undefined if the call is allowed. */
const check = (text: string, variables: Record<string, unknown>, name?: string): unknown => {
  try {
    atOnce(checkUsesInSteps(parse(text), name, variables))
    return undefined
  } catch (error) {
    return (error as { readonly extensions?: unknown }).extensions ?? error
  }
}

const nodesIn = (document: DocumentNode): number => {
  let nodes = 0
  visit(document, { enter: () => void nodes++ })
  return nodes
}

describe('each use of a variable is counted', () => {
  test.each<[string, string, readonly (readonly [string, number])[]]>([
    [
      'in arguments',
      'query ($x: A, $y: A) { a(p: $x, q: $x) b { c(p: $y) } }',
      [
        ['x', 2],
        ['y', 1],
      ],
    ],
    ['in lists and objects', 'query ($x: A) { a(p: [$x, [$x], { q: $x, r: [$x] }]) }', [['x', 4]]],
    [
      'in directives',
      'query ($x: A) @d(p: $x) { a @d(p: $x) ... @d(p: $x) { b } ...F @d(p: $x) } fragment F on Q @d(p: $x) { c }',
      [['x', 5]],
    ],
    ['in a fragment, for each spread', 'query ($x: A) { ...F b { ...F } ... { ...F } } fragment F on Q { a(p: $x) }', [['x', 3]]],
    [
      'in fragments of fragments',
      'query ($x: A) { a { ...F } b { ...F } } fragment G on Q { c(p: [$x, $x]) } fragment F on Q { d { ...G } e { ...G } f(p: $x) }',
      [['x', 10]],
    ],
    ['of an unused variable: its definition is no use', 'query ($x: A = 1, $y: A) { a(p: $y) }', [['y', 1]]],
    ['in a fragment that is not spread, which has no use', 'query ($x: A) { a(p: $x) } fragment F on Q { b(p: [$x, $x]) }', [['x', 1]]],
    [
      'under names that objects have',
      'query ($__proto__: A, $toString: A) { a(p: [$__proto__, $toString]) }',
      [
        ['__proto__', 1],
        ['toString', 1],
      ],
    ],
  ])('%s', (_name, text, expected) => expect(Object.entries(usesIn(text))).toEqual(expected))

  test('the uses of a variable in other operations of the document are not counted', () => {
    const text = 'query A($x: A) { a(p: $x) } query B($x: A) { a(p: [$x, $x]) ...F } fragment F on Q { b(p: $x) }'
    expect([usesIn(text, 'A'), usesIn(text, 'B')]).toEqual([{ x: 1 }, { x: 3 }])
  })
})

describe('counting is linear in the length of the document', () => {
  const chain = (levels: number, line: (next: string) => string): string =>
    `query ($x: A) { ...f0 } ${Array.from({ length: levels }, (_, i) => `fragment f${i} on Q { ${line(`...f${i + 1}`)} }`).join(' ')} fragment f${levels} on Q { a(p: $x) }`
  test.each<[string, string, number]>([
    ['fragments that spread the next one twice', chain(40, (next) => `a { ${next} } b { ${next} }`), 2 ** 40],
    ['a thousand spreads of one fragment', `query ($x: A) { ${'... { ...F } '.repeat(1_000)} } fragment F on Q { a(p: [$x, $x]) }`, 2_000],
    ['a list of many uses', `query ($x: A) { a(p: [${'$x '.repeat(2_000)}]) }`, 2_000],
  ])('%s', (_name, text, uses) => {
    const work = { nodes: 0 }
    expect(usesIn(text, undefined, work)).toEqual({ x: uses })
    expect(work.nodes).toBeLessThanOrEqual(nodesIn(parse(text)))
  })

  test('the uses in a document that is sent repeatedly are counted once', () => {
    const document = parse('query ($x: A) { a(p: [$x, $x]) }')
    const operation = getOperationAST(document)
    if (!operation) throw new Error('the document has no operation')
    const work = { nodes: 0 }
    const first = usesOf(document, operation, work)
    const { nodes } = work
    expect(usesOf(document, operation, work)).toBe(first)
    expect(work.nodes).toBe(nodes)
  })

  test('fragments in a circle end the count', () => {
    expect(usesIn('query ($x: A) { ...F } fragment F on Q { a(p: $x) ...G } fragment G on Q { ...F }')).toHaveProperty('x')
  })
})

describe('the values of the variables together, each use counted, have a limit', () => {
  const list = (times: number): string => `query ($x: A, $y: A) { a(p: [${'$x '.repeat(times)}], q: $y) }`
  const quarter = 'Ω'.repeat(limits.usedCharacters / 4)

  test('a text can be used until the limit of all text, and no further', () => {
    expect(check(list(4), { x: quarter })).toBeUndefined()
    expect(check(list(5), { x: quarter })).toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
      rule: 'limit.text',
      found: String((5 * limits.usedCharacters) / 4),
      allowed: `at most ${limits.usedCharacters}`,
    })
    expect(check(list(4), { x: quarter, y: 'a' })).toMatchObject({ rule: 'limit.text', found: String(limits.usedCharacters + 1) })
  })

  test('the keys of an object are text', () => {
    const x = { [quarter]: 0 }
    expect([check(list(4), { x }), check(list(5), { x })]).toEqual([undefined, expect.objectContaining({ rule: 'limit.text' })])
  })

  test('a list with all its values can be used until the limit of all values, and no further', () => {
    const x = { of: Array.from({ length: limits.values / 10 - 2 }, () => 0) }
    expect(check(list(10), { x })).toMatchObject({ rule: 'limit.values', found: String(limits.values + 1) })
    expect(check('query ($x: A) { a(p: [$x $x $x $x $x $x $x $x $x $x]) }', { x })).toBeUndefined()
    expect(check(list(11), { x })).toMatchObject({ rule: 'limit.values', allowed: `at most ${limits.values}` })
  })

  test('a default counts where a variable has no value, and only there', () => {
    const text = `query ($x: A = "${'x'.repeat(50_000)}") { ...F ...F b { ...F } } fragment F on Q { a(p: [${'$x '.repeat(1_000)}]) }`
    expect(check(text, {})).toMatchObject({ rule: 'limit.text', found: String(3_000 * 50_000) })
    expect([check(text, { x: 'short' }), check(text, { x: null })]).toEqual([undefined, undefined])
  })

  test('a variable is used as often as the operation that runs uses it', () => {
    const text = `query A($x: A) { a(p: $x) } query B($x: A) { a(p: [${'$x '.repeat(5)}]) }`
    expect([check(text, { x: quarter }, 'A'), check(text, { x: quarter }, 'B')]).toEqual([
      undefined,
      expect.objectContaining({ rule: 'limit.text' }),
    ])
  })

  test('the error says what was found, what is allowed and what to do', () => {
    const attack = () => atOnce(checkUsesInSteps(parse(list(2_000)), undefined, { x: quarter }))
    expect(attack).toThrow(
      'The operation uses its variables so often that they have 2097152000 characters of text, if each use is counted; at most 4194304 are allowed. Use each long variable once, or send several calls.',
    )
  })

  test('each value of a variable is read once, however often the variable is used', () => {
    const read = { items: 0 }
    const length = 50_000
    const x = new Proxy(new Array<number>(length).fill(0), {
      get(target, key, receiver): unknown {
        if (typeof key === 'string' && /^\d+$/.test(key)) read.items++
        return Reflect.get(target, key, receiver)
      },
    })
    expect(check(list(2_000), { x })).toMatchObject({ rule: 'limit.values' })
    expect(read.items).toBe(length)
  })

  test('no value of a variable that is used once is read', () => {
    const x = new Proxy([], {
      get() {
        throw new Error('the list was read')
      },
    })
    expect(check(list(1), { x })).toBeUndefined()
  })
})
