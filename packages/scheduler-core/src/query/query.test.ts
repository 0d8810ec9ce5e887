import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  claimFields,
  compileQuery,
  cutTerm,
  decisionFields,
  hasTerm,
  hostFields,
  parseQuery,
  printQuery,
  printTime,
  type Query,
  spanOf,
  suggest,
  timeOf,
  withoutTerm,
  withoutTimes,
  withRange,
  withTerm,
  withTimes,
} from './index.ts'

interface Row {
  readonly name: string
  readonly az: string
  readonly aggs: readonly string[]
  readonly status: string
  readonly memFree: number
  readonly memUsed: number
  readonly age: number | undefined
}

const readers = {
  '': ({ name }: Row) => name,
  host: ({ name }: Row) => name,
  az: ({ az }: Row) => az,
  agg: ({ aggs }: Row) => aggs,
  status: ({ status }: Row) => status,
  'mem.free': ({ memFree }: Row) => memFree,
  'mem.used': ({ memUsed }: Row) => memUsed,
  age: ({ age }: Row) => age,
}

const rows: readonly Row[] = [
  { name: 'cmp-01', az: 'z1', aggs: ['ssd', 'with space'], status: 'ENABLED', memFree: 65_536, memUsed: 0, age: 10 },
  { name: 'cmp-02', az: 'z2', aggs: ['ssd'], status: 'DISABLED', memFree: 1_024, memUsed: 98.4, age: 4_000 },
  { name: 'gpu*1', az: 'z2', aggs: [], status: 'ENABLED', memFree: -5, memUsed: 100.1, age: undefined },
]

const found = (text: string): string[] => {
  const { query, problems } = parseQuery(text, hostFields)
  expect(problems).toEqual([])
  return rows.filter(compileQuery(query, hostFields, readers)).map(({ name }) => name)
}

test('each field of a row is read at most once, however many terms it has', () => {
  const { query, problems } = parseQuery(`${Array.from({ length: 20 }, (_, i) => `-agg:a${i} -host:h${i}`).join(' ')}`, hostFields)
  expect([problems, query.terms.length]).toEqual([[], 40])
  const reads: string[] = []
  const read = (field: string, value: string | string[]) => () => {
    reads.push(field)
    return value
  }
  const passes = compileQuery(query, hostFields, { agg: read('agg', ['b', 'c']), host: read('host', 'h') })
  expect([passes({}), reads]).toEqual([true, ['agg', 'host']])
})

describe('rows that a query matches', () => {
  test.each<[string, string, string[]]>([
    ['an empty text matches all rows', '', ['cmp-01', 'cmp-02', 'gpu*1']],
    ['a word matches a part of the name, in upper or lower case', 'CMP', ['cmp-01', 'cmp-02']],
    ['a word may be negated', '-cmp', ['gpu*1']],
    ['a text is compared as a whole', 'az:z', []],
    ['one of several values', 'az:z1,z3', ['cmp-01']],
    ['an alias can be used instead of the name of a field', 'zone:z1', ['cmp-01']],
    ['= reads as :', 'az=z2', ['cmp-02', 'gpu*1']],
    ['!= means the same as -', 'az!=z2', ['cmp-01']],
    ['two negations cancel', '-az!=z2', ['cmp-02', 'gpu*1']],
    ['a star matches any run of characters', 'host:cmp-*', ['cmp-01', 'cmp-02']],
    ['a star in quotes is literal', 'host:"gpu*1"', ['gpu*1']],
    ['dots are not wildcards', 'host:cmp.01', []],
    ['a set matches if any member matches', 'agg:"with space"', ['cmp-01']],
    ['a negated term matches a set if no member matches', '-agg:ssd', ['gpu*1']],
    ['the case of enum values is ignored', 'status:enabled', ['cmp-01', 'gpu*1']],
    ['all terms must hold', 'az:z2 status:ENABLED', ['gpu*1']],
    ['memory with its unit', 'mem.free>=64GiB', ['cmp-01']],
    ['"more than" is exclusive', 'mem.free>64GiB', []],
    ['a bare number is in the unit of the field', 'mem.free<1024', ['gpu*1']],
    ['below zero', 'mem.free<=-5', ['gpu*1']],
    ['percent', 'mem.used>98%', ['cmp-02', 'gpu*1']],
    ['time; a row without the number does not match', 'age<1h', ['cmp-01']],
    ['such a row does not match the opposite comparison either', 'age>=1h', ['cmp-02']],
    ['an exact number', 'mem.free:1GiB', ['cmp-02']],
  ])('%s: %s', (_rule, text, names) => expect(found(text)).toEqual(names))
})

describe('an invalid filter gives a problem with its position in the text', () => {
  test.each<[string, number, number, string]>([
    ['nope:1', 0, 4, 'there is no field nope'],
    ['az:z1 nope:1', 6, 10, 'there is no field nope'],
    ['az:', 3, 3, 'az has no value'],
    ['az:z1,', 6, 6, 'az has no value'],
    ['az>3', 0, 4, 'it is a text'],
    ['status:open', 7, 11, 'status is open; it can be ENABLED, DISABLED, DRAINING, MAINTENANCE'],
    ['mem.free>lots', 9, 13, 'lots is no number of MiB, GiB or TiB'],
    ['mem.free>5%', 9, 11, '5% is no number'],
    ['mem.free>1,2', 9, 12, '> takes one number, 2 are given'],
    ['host:"open', 5, 10, 'quotes do not close'],
    ['host:"a"b', 8, 9, 'quotes do not close, or something follows them'],
  ])('%s', (text, from, to, message) => {
    const { problems } = parseQuery(text, hostFields)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ from, to })
    expect(problems[0]?.message).toContain(message)
  })

  test('all problems are reported at once, together with the valid terms', () => {
    const { query, problems } = parseQuery('nope:1 az:z1 mem.free>x', hostFields)
    expect(problems.map(({ from }) => from)).toEqual([0, 22])
    expect(query.terms.map(({ field }) => field)).toEqual(['az'])
  })

  test('a filter with more than 1000 characters or 50 terms is refused', () => {
    expect(parseQuery('a'.repeat(1_001), hostFields).problems[0]?.message).toBe('the filter has 1001 characters; 1000 are allowed')
    expect(parseQuery('a '.repeat(51), hostFields).problems[0]?.message).toBe('the filter has 51 terms; 50 are allowed')
  })
})

describe('terms about time', () => {
  const nine = Date.UTC(2026, 10, 22, 9)
  test.each([
    ['at>=2026-11-22T09:00:00Z', [nine, nine + 1]],
    ['at>2026-11-22T09:00:00Z', [nine + 1]],
    ['at<2026-11-22T09:00Z', [nine - 1]],
    ['at<=2026-11-22T09:00:00.000Z', [nine - 1, nine]],
    ['at>=2026-11-22T09:00:00.001Z', [nine + 1]],
    ['at>=2026-11-22T08:59:59.999Z at<2026-11-22T09:00:00.001Z', [nine - 1, nine]],
    ['-at<2026-11-22T09:00:00Z', [nine, nine + 1]],
    ['at>=2026-11-22', [nine - 1, nine, nine + 1]],
    ['at>=2026-11-23', []],
  ])('%s', (text, found) => {
    const { query, problems } = parseQuery(text, decisionFields)
    expect(problems).toEqual([])
    const isAsked = compileQuery(query, decisionFields, { at: (at: number) => at })
    expect([nine - 1, nine, nine + 1].filter(isAsked)).toEqual(found)
    expect(printQuery(query)).toBe(text)
  })

  test.each<[string, number, number, string]>([
    ['at>=yesterday', 4, 13, 'yesterday is not a time in UTC, such as 2026-11-22T09:00:00Z or 2026-11-22'],
    ['at>=2026-11-22T09:00:00', 4, 23, 'is not a time in UTC'],
    ['at>=2026-11-22T09:00:00+01:00', 4, 29, 'is not a time in UTC'],
    ['at>=2026-02-30', 4, 14, 'is not a time in UTC'],
    ['at>=2026-11-22T24:00:00Z', 4, 24, 'is not a time in UTC'],
    ['at>=1732266000000', 4, 17, 'is not a time in UTC'],
    ['at:2026-11-22', 0, 13, 'at is compared with :; it is a time: write at>=, >, <= or <, such as at>=2026-11-22T09:00:00Z'],
    ['at!=2026-11-22', 0, 14, 'at is compared with !=; it is a time'],
    ['at>=2026-11-22,2026-11-23', 4, 25, '>= takes one time, 2 are given'],
    ['at>=', 4, 4, 'at has no value'],
  ])('%s', (text, from, to, message) => {
    const { problems } = parseQuery(text, decisionFields)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ from, to })
    expect(problems[0]?.message).toContain(message)
  })

  const time = fc.integer({ min: Date.UTC(0, 0, 1), max: Date.UTC(9999, 11, 31) })

  test('printing a time and reading the text gives the same time', () => {
    fc.assert(
      fc.property(time, (ms) => {
        expect(timeOf(printTime(ms))).toBe(ms)
      }),
    )
  })

  test('a text with the form of a time is read as this time, or refused if the time does not exist, such as February 30', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/), (text) => {
        const ms = timeOf(text)
        if (ms !== undefined) expect(printTime(ms).startsWith(text.replace(/Z$/, ''))).toBe(true)
      }),
    )
  })

  test('a row satisfies all terms about time if and only if its time is in the combined span', () => {
    const at = fc.integer({ min: nine - 20_000, max: nine })
    const operator = fc.constantFrom('>', '>=', '<', '<=')
    const ofTime = fc.oneof(
      fc.tuple(operator, at).map(([sign, ms]) => `at${sign}${printTime(ms)}`),
      fc.tuple(operator, fc.integer({ min: 0, max: 20 })).map(([sign, s]) => `last${sign}${s}s`),
    )
    const term = fc.tuple(fc.boolean(), ofTime).map(([negated, text]) => (negated ? `-${text}` : text))
    fc.assert(
      fc.property(fc.array(term, { maxLength: 4 }), at, (terms, row) => {
        const { query, problems } = parseQuery(terms.join(' '), decisionFields)
        expect(problems).toEqual([])
        const isAsked = compileQuery(query, decisionFields, { at: (ms: number) => ms, last: (ms: number) => (nine - ms) / 1_000 })
        const { since = row, until = row + 1 } = spanOf(query, nine)
        expect(isAsked(row)).toBe(since <= row && row < until)
      }),
    )
  })

  test('last:1s means an age of at most one second', () =>
    expect(spanOf(parseQuery('last:1s', decisionFields).query, nine)).toEqual({ since: nine - 1_000 }))

  test.each([
    ['', 'at>=2026-11-22T09:00:00Z at<2026-11-22T09:00:01.500Z'],
    ['last:1h flavor:m1.*', 'flavor:m1.* at>=2026-11-22T09:00:00Z at<2026-11-22T09:00:01.500Z'],
    ['-at>2026-01-01 "at:" at<2026-12-24', '"at:" at>=2026-11-22T09:00:00Z at<2026-11-22T09:00:01.500Z'],
  ])('a range of time replaces the terms about time in %j', (text, wanted) => {
    expect(withTimes(text, nine, nine + 1_500)).toBe(wanted)
    expect(parseQuery(wanted, decisionFields).problems).toEqual([])
    expect(withTimes(wanted, nine, nine + 1_500)).toBe(wanted)
    expect(withTimes(withoutTimes(wanted), nine, nine + 1_500)).toBe(wanted)
  })
})

test.each([
  ['', 'age>=1m age<5m'],
  ['state:RESERVED -age>5m age<3d', 'state:RESERVED age>=1m age<5m'],
  ['agents "age:" account:age', 'agents "age:" account:age age>=1m age<5m'],
])('a range of numbers replaces the terms about that field in %j', (text, wanted) => {
  expect(withRange(text, 'age', '1m', '5m')).toBe(wanted)
  expect(parseQuery(wanted, claimFields).problems).toEqual([])
  expect(withRange(withRange(wanted, 'age', undefined, '10s'), 'age', '1m', '5m')).toBe(wanted)
})

const value = fc.string({ minLength: 1, maxLength: 12 }).map((text) => text.replace(/[*\\]/g, '\\$&'))
const term = fc.oneof(
  fc.record({
    field: fc.constantFrom('host', 'az', 'agg'),
    negated: fc.boolean(),
    operator: fc.constant(':' as const),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ field: fc.constant(null), negated: fc.boolean(), operator: fc.constant(':' as const), values: value.map((one) => [one]) }),
  fc.record({
    field: fc.constant('mem.free'),
    negated: fc.boolean(),
    operator: fc.constantFrom('>', '>=', '<', '<='),
    values: fc.integer({ min: 0, max: 9_999 }).map((n) => [`${n}GiB`]),
  }),
  fc.record({
    field: fc.constant('at'),
    negated: fc.boolean(),
    operator: fc.constantFrom('>', '>=', '<', '<='),
    values: fc.integer({ min: 0, max: 4_000_000_000_000 }).map((ms) => [printTime(ms)]),
  }),
)

/** All fields of hosts and the time fields of decisions. Together they have every kind of field. */
const fields = [...hostFields, ...decisionFields.filter(({ kind }) => kind === 'time')]

test('printing a query and reading the text gives the same query', () => {
  fc.assert(
    fc.property(fc.array(term, { maxLength: 4 }), (terms) => {
      const query = { terms: terms.map((one) => ({ ...one, from: 0, to: 0 })) } as Query
      const text = printQuery(query)
      fc.pre(text.length <= 1_000)
      const again = parseQuery(text, fields)
      expect(again.problems).toEqual([])
      expect(again.query.terms.map(({ from: _from, to: _to, ...rest }) => rest)).toEqual(terms)
    }),
  )
})

test('any text can be parsed, and the position of every problem is within the text', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => {
      for (const { from, to } of parseQuery(text, hostFields).problems) {
        expect(from).toBeGreaterThanOrEqual(0)
        expect(to).toBeGreaterThanOrEqual(from)
        expect(to).toBeLessThanOrEqual(text.length)
      }
    }),
  )
})

describe('edits of the text of a query', () => {
  test.each([
    ['', 'az', 'z1', 'az:z1'],
    ['cmp', 'az', 'z1', 'cmp az:z1'],
    ['az:z1', 'az', 'z2', 'az:z1,z2'],
    ['az:z1', 'az', 'z1', 'az:z1'],
    ['-az:z1', 'az', 'z2', '-az:z1 az:z2'],
    ['', 'agg', 'with space', 'agg:"with space"'],
    ['', 'host', 'a*b', 'host:"a*b"'],
  ])('%s with %s:%s is %s', (text, field, one, wanted) => {
    expect(withTerm(text, field, one)).toBe(wanted)
    expect(hasTerm(wanted, field, one)).toBe(true)
  })

  test.each([
    ['az:z1', 'az', 'z1', ''],
    ['az:z1,z2 cmp', 'az', 'z1', 'az:z2 cmp'],
    ['-az:z1', 'az', 'z1', '-az:z1'],
    ['agg:"with space",ssd', 'agg', 'with space', 'agg:ssd'],
  ])('%s without %s:%s is %s', (text, field, one, wanted) => expect(withoutTerm(text, field, one)).toBe(wanted))

  test.each([
    ['the only term', 'az:z1', 0, ''],
    ['a term in the middle, whatever blanks surround it', ' az:z1   -agg:ssd\tcmp', 1, 'az:z1 cmp'],
    ['quotes and stars stay as they are written', 'agg:"a  b","c,d" state:up host:"x*"', 1, 'agg:"a  b","c,d" host:"x*"'],
    ['a blank in quotes does not separate terms', 'cmp agg:"with space" mem.free>=64GiB', 1, 'cmp mem.free>=64GiB'],
    ['the second of two equal terms', 'az:z1 cmp az:z1', 2, 'az:z1 cmp'],
    ['invalid terms stay as they are', 'az:z1 nothing:x cmp "open', 1, 'az:z1 nothing:x "open'],
  ])('a term is removed from a text: %s', (_name, text, at, wanted) => {
    const term = parseQuery(text, hostFields).query.terms[at]
    expect(term === undefined ? undefined : cutTerm(text, term)).toBe(wanted)
  })

  test('removing one term from a text keeps all other terms', () => {
    const pieces = fc.constantFrom('a', ' ', '"', '-', ':', 'az:', ',', '\\', '*', 'mem.free>=', '2GiB', '!=')
    const asked = (text: string) => parseQuery(text, hostFields).query.terms.map(({ from: _from, to: _to, ...term }) => term)
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 24 }), fc.nat(), (written, n) => {
        const text = written.join('')
        const { terms } = parseQuery(text, hostFields).query
        const at = n % Math.max(1, terms.length)
        const term = terms[at]
        if (term !== undefined) expect(asked(cutTerm(text, term))).toEqual(asked(text).toSpliced(at, 1))
      }),
      { numRuns: 2_000 },
    )
  })

  test('removing a value that was added restores the text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 12 }), (one) => {
        const text = withTerm('cmp', 'agg', one)
        expect(hasTerm(text, 'agg', one)).toBe(true)
        expect(withoutTerm(text, 'agg', one)).toBe('cmp')
      }),
    )
  })
})

describe('suggestions at the caret', () => {
  test.each([
    ['', 0, null, 'host:', 0, 0],
    ['me', 2, null, 'mem.free>=', 0, 2],
    ['-st', 3, null, 'state:', 1, 3],
    ['status:', 7, 'status', 'ENABLED', 7, 7],
    ['status:dr', 9, 'status', 'DRAINING', 7, 9],
    ['status:DRAINING,m', 17, 'status', 'MAINTENANCE', 16, 17],
    ['az:z1 st', 8, null, 'state:', 6, 8],
    ['cpu.mo', 6, null, 'cpu.model:', 0, 6],
    ['hv.', 3, null, 'hypervisor.type:', 0, 3],
    ['hypervisor.v', 12, null, 'hypervisor.version>=', 0, 12],
  ])('suggestions for %j with the caret at %i: field %s, first %s', (text, caret, field, first, from, to) => {
    const offered = suggest(text, caret, hostFields)
    expect(offered).toMatchObject({ field, from, to })
    expect(offered.options[0]?.text).toBe(first)
  })

  test('fields with numbers and times are suggested with >=', () =>
    expect(suggest('at', 2, decisionFields).options).toMatchObject([{ text: 'attempt>=' }, { text: 'at>=' }]))

  test('for a text field no values are suggested, because only the caller knows them', () =>
    expect(suggest('az:z', 4, hostFields)).toEqual({ from: 3, to: 4, field: 'az', options: [] }))
})
