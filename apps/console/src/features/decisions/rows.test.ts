import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PackedMatrix, readMatrix } from '../../lib/explanation.ts'
import { barShare, funnelText } from './funnel.ts'
import {
  countCombos,
  countRefusals,
  findNames,
  groupByFirst,
  headNames,
  selectHosts,
  shortfallText,
  shortNames,
  sortHosts,
  verdictAt,
} from './matrix.ts'
import { membersOf } from './members.ts'
import { readDecisionSearch } from './search.ts'
import { extentOf, ownMultipliers, stack, withoutZeroWeighers } from './weights/stack.ts'

const pack = (array: Uint8Array | Uint32Array | Float64Array): string => Buffer.from(array.buffer).toString('base64')

/**
 * Five hosts and nine filters, so that the refusals of a host need two bytes. F0 refuses the hosts a and b, F8 refuses b and c. The hosts d
 * and rack pass.
 */
const packed: PackedMatrix = {
  hostCount: 5,
  hostNames: ['a', 'b', 'c', 'd', 'rack'],
  otherNodes: [{ ordinal: 4, node: 'e' }],
  filters: ['F0', 'F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8'],
  firstFailing: pack(Uint8Array.of(0, 0, 8, 255, 255)),
  reason: pack(Uint8Array.of(0, 1, 2, 255, 255)),
  reasonCodes: ['x.one', 'x.two', 'y'],
  reasonUnits: ['MiB', null, 'MiB'],
  missing: pack(Float64Array.of(3_000, 0, 512, 0, 0)),
  bits: pack(Uint8Array.of(1, 0, 1, 1, 0, 1, 0, 0, 0, 0)),
  rank: pack(Uint32Array.of(0, 0, 0, 2, 1)),
  distance: pack(Float64Array.of(0.5, 1.001, 0.25, 0, 0)),
}
const matrix = readMatrix(packed)
const names = (hosts: readonly number[]) => hosts.map(matrix.nameOf)

describe('selecting and sorting the hosts of the matrix', () => {
  test.each([
    ['all hosts', {}, ['a', 'b', 'c', 'd', 'rack/e']],
    ['hosts that a filter refused first', { filter: 'F0' }, ['a', 'b']],
    ['hosts that a filter refused first, for one reason', { filter: 'F0', reason: 'x.two' }, ['b']],
    ['hosts with a shortfall in a range', { filter: 'F0', reason: 'x.one', short: '2048-4096' }, ['a']],
    ['hosts with a shortfall below a limit', { filter: 'F0', reason: 'x.one', short: '3001-4096' }, []],
    ['hosts without a shortfall of an amount', { filter: 'F0', reason: 'x.two', short: '0-4096' }, []],
    ['hosts that only one filter refuses', { sole: 'F8' }, ['c']],
    ['hosts that exactly these filters refuse', { combo: 'F0,F8' }, ['b']],
    ['hosts that pass', { passed: 'yes' }, ['d', 'rack/e']],
    ['hosts with a part of the name', { find: 'RACK' }, ['rack/e']],
    ['no hosts for an unknown filter', { filter: 'F9' }, []],
  ])('selects %s', (_name, selection, expected) => expect(names(selectHosts(matrix, selection))).toEqual(expected))

  test.each([
    ['distance', ['rack/e', 'd', 'c', 'a', 'b']],
    ['rank', ['rack/e', 'd', 'c', 'a', 'b']],
    ['name', ['a', 'b', 'c', 'd', 'rack/e']],
  ] as const)('hosts are sorted by %s', (sort, expected) => expect(names(sortHosts(matrix, [0, 1, 2, 3, 4], sort))).toEqual(expected))

  test('combinations count every refused host once', () => {
    const combos = countCombos(matrix)
    expect(combos.map(({ name, hosts }) => [name, hosts])).toEqual([
      ['F0', 1],
      ['F0,F8', 1],
      ['F8', 1],
    ])
    for (const { name, hosts } of combos) expect(selectHosts(matrix, { combo: name })).toHaveLength(hosts)
  })
})

const place = (index: number, isNet = false) => ({ name: `F${index}`, index, isNet })

test('a cell shows the verdict of its filter on its host', () => {
  expect(verdictAt(matrix, 1, place(0), false)).toBe('fail')
  expect(verdictAt(matrix, 1, place(8), false)).toBe('skipped')
  expect(verdictAt(matrix, 1, place(8), true)).toBe('fail')
  expect(verdictAt(matrix, 1, place(3), true)).toBe('pass')
  expect(verdictAt(matrix, 2, place(7), false)).toBe('pass')
  expect(verdictAt(matrix, 3, place(8), false)).toBe('pass')
  expect(verdictAt(matrix, 0, place(8, true), true)).toBe('skipped')
  expect(verdictAt(matrix, 3, place(8, true), true)).toBe('pass')
})

describe('the largest shortfall of a host as text', () => {
  const refused = (distance: number, bits: number): string =>
    shortfallText(
      readMatrix({
        ...packed,
        bits: pack(Uint8Array.of(bits, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        distance: pack(Float64Array.of(distance, 0, 0, 0, 0)),
      }),
      0,
    )

  test.each([
    ['a small distance has one more digit', 0.0234, 0b1, '2.3 %'],
    ['a distance just below 10 % is rounded', 0.0996, 0b1, '10 %'],
    ['a large distance has no decimals', 0.4766, 0b1, '48 %'],
    ['a check without a number counts as 100 %', 1, 0b1, '100 %'],
    ['the addition for further refusals is subtracted', 1.002, 0b111, '100 %'],
    ['a distance is never below 0', 0, 0b11, '0 %'],
  ])('%s', (_name, distance, bits, text) => expect(refused(distance, bits)).toBe(text))

  test('the refusals of a host are counted over all of its bytes', () =>
    expect([0, 1, 2, 3].map((host) => countRefusals(matrix, host))).toEqual([1, 2, 1, 0]))
})

test('the overview groups hosts by the first filter that refuses them, nearest host first, and shows hosts that pass last', () => {
  const { hosts, starts } = groupByFirst(matrix)
  expect(names(hosts)).toEqual(['a', 'b', 'c', 'rack/e', 'd'])
  expect(starts).toEqual([0, 2, 3])
  expect(groupByFirst(readMatrix({ ...packed, hostCount: 0 }))).toEqual({ hosts: [], starts: [] })
})

test.each([
  ['A', 12, ['a', 'rack/e']],
  ['a', 1, ['a']],
  ['zzz', 12, []],
  ['/e', 12, ['rack/e']],
])('the names that contain %s, at most %i', (text, most, found) => expect(findNames(matrix, text, most)).toEqual(found))

describe('short names of filters and weighers', () => {
  test.each([
    ['a common last word is removed', ['RamFilter', 'AvailabilityZoneFilter'], ['Ram', 'AvailabilityZone']],
    ['a common last word is removed also after capital letters', ['RAMWeigher', 'IoOpsWeigher'], ['RAM', 'IoOps']],
    ['names without a common last word are not changed', ['RamFilter', 'Plugin'], ['RamFilter', 'Plugin']],
    ['a single name is not changed', ['RamFilter'], ['RamFilter']],
    ['the only word of a name is not removed', ['Filter', 'RamFilter'], ['Filter', 'RamFilter']],
    ['without names there are no short names', [], []],
  ])('%s', (_name, all, short) => expect(shortNames(all)).toEqual(short))

  test.each([
    ['RamFilter', 'Ram'],
    ['ComputeFilter', 'Compute'],
    ['AvailabilityZoneFilter', 'Availab.|Zone'],
    ['AggregateInstanceExtraSpecsFilter', 'AggrInst|ExtrSpec'],
    ['ServerGroupAntiAffinityFilter', 'ServGrou|AntiAffi'],
    ['ServerGroupAffinityFilter', 'ServGrou|Affinity'],
    ['NUMATopologyFilter', 'NUMA|Topology'],
  ])('%s at the head of a narrow column is %s', (name, head) =>
    expect(headNames([name, 'OtherFilter'], 8)[0]?.replace(' ', '|')).toBe(head),
  )

  test('each line of a column heading has at most as many letters as fit', () => {
    const word = fc.stringMatching(/^[A-Z][a-z]{1,14}$/)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        for (const line of headNames([words.join('')], 8)[0]?.split(' ') ?? []) expect(line.length).toBeLessThanOrEqual(8)
      }),
    )
  })
})

describe('withoutZeroWeighers', () => {
  const weighers = [{ name: 'RAM' }, { name: 'Soft' }, { name: 'IO' }]
  const host = (...given: readonly number[]) => ({
    weights: given.map((weighted, i) => ({ weigher: weighers[i]?.name ?? '', weighted, missing: null as string | null })),
  })

  test('a weigher that gives every host 0 stays if the value of a host is missing', () => {
    const unsent = host(0, 0, 0).weights.map((weight, i) => ({ ...weight, missing: i === 0 ? 'The host does not send it.' : null }))
    const shown = withoutZeroWeighers({ weighers, hosts: [{ weights: unsent }, host(0, 0, 0)] })
    expect(shown).toMatchObject({ weighers: [{ name: 'RAM' }], zeroWeighers: ['Soft', 'IO'] })
  })

  test('weighers that give every host 0 are listed separately, and no sum changes', () => {
    const shown = withoutZeroWeighers({ weighers, hosts: [host(0.5, 0, -0), host(0, 0, -1)] })
    expect(shown).toMatchObject({ weighers: [{ name: 'RAM' }, { name: 'IO' }], zeroWeighers: ['Soft'] })
    expect(shown.hosts.map(({ weights }) => weights.map(({ weighted }) => weighted))).toEqual([
      [0.5, -0],
      [0, -1],
    ])
  })

  test('all weighers of the profile can give every host 0', () => {
    expect(withoutZeroWeighers({ weighers, hosts: [host(0, 0, 0)] })).toMatchObject({ weighers: [], zeroWeighers: ['RAM', 'Soft', 'IO'] })
  })
})

test('multipliers set by aggregates are listed with their hosts', () => {
  const weight = (multiplier: number, multiplierSource: string | null) => ({ weigher: 'RAMWeigher', multiplier, multiplierSource })
  const hosts = [
    { hostName: 'h1', weights: [weight(40, 'aggregate gold ram_weight_multiplier')] },
    { hostName: 'h2', weights: [weight(1, null)] },
  ]
  expect(ownMultipliers(hosts)).toEqual(['h1: RAMWeigher × 40 (aggregate gold ram_weight_multiplier)'])
})

describe("the stack of a host's contributions", () => {
  test('segments of both signs start at zero and add up to the total', () => {
    const weights = [
      { weigher: 'A', weighted: 0.7 },
      { weigher: 'B', weighted: -0.2 },
      { weigher: 'C', weighted: 0.1 },
      { weigher: 'D', weighted: -0.3 },
    ]
    const segments = stack(weights)
    expect(segments.map(({ from, to }) => [from, to])).toEqual([
      [0, 0.7],
      [-0.2, 0],
      [0.7, 0.7999999999999999],
      [-0.5, -0.2],
    ])
    const total = segments.reduce((sum, { from, to, weighted }) => sum + Math.sign(weighted) * (to - from), 0)
    expect(total).toBeCloseTo(0.3, 9)
    expect(extentOf([segments])).toEqual([-0.5, 0.7999999999999999])
  })

  test('without weights the axis is not empty', () => expect(extentOf([[]])).toEqual([0, 1]))
})

describe('the funnel as bars and as text', () => {
  test.each([
    [0, 10, 'log', 0],
    [10, 10, 'log', 1],
    [10, 10, 'linear', 1],
    [5, 10, 'linear', 0.5],
    [0, 0, 'linear', 0],
  ] as const)('%i of %i hosts: a %s bar has the length %d', (hosts, all, scale, share) => expect(barShare(hosts, all, scale)).toBe(share))

  test('the funnel as a line of text omits filters without refusals', () => {
    expect(
      funnelText(200, [
        { entered: 200, passed: 120 },
        { entered: 120, passed: 120 },
        { entered: 120, passed: 0 },
      ]),
    ).toBe('200 > 120 > 0')
  })
})

test("invalid query parameters of a decision's page are dropped", () => {
  expect(readDecisionSearch({ instance: '2', sort: 'rank', all: 'yes', host: 'h1', bad: 'x', passed: 'no' })).toEqual({
    instance: '2',
    sort: 'rank',
    all: 'yes',
    host: 'h1',
  })
  expect(readDecisionSearch({ instance: '0', sort: 'size', all: 1 })).toEqual({})
})

test.each([
  ['a request with one kind has no members', {}, 2, []],
  [
    'the first instances have the flavor of the request',
    { gang: [{ name: 'database', instances: 2 }] },
    3,
    ['flavor', 'database', 'database'],
  ],
  ['a kind without a name is counted', { gang: [{ name: null, instances: 1 }] }, 2, ['flavor', 'kind 2']],
  ['an invalid request has no members', null, 1, []],
])('the instances of a request with several kinds: %s', (_, document, instances, members) =>
  expect(membersOf(document, instances)).toEqual(members),
)
