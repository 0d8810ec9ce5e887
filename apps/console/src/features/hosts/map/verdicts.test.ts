import { expect, test } from 'vitest'
import { type Matrix, PASSES_ALL } from '../../../lib/explanation.ts'
import { createFleetStore } from '../fleet-store.ts'
import { packHosts } from '../testing/packed-hosts.ts'
import { verdictColours, verdictPixels } from './verdict-colours.ts'
import { ofVerdict, readVerdicts } from './verdicts.ts'

const store = createFleetStore()
store.apply(
  packHosts(['a', 'b', 'c', 'd', 'e', 'late'].map((name, ordinal) => ({ ordinal, name, ...(name === 'e' ? { node: 'n' } : {}) }))),
)

/** The hosts of the matrix are in another order than those of the fleet. The host `gone` no longer exists. */
const names = ['gone', 'e/n', 'd', 'c', 'b', 'a']
const matrix: Matrix = {
  hostCount: names.length,
  filters: ['First', 'Idle', 'Last'],
  codes: [],
  units: [],
  missing: [],
  firstFailing: [0, 0, 2, PASSES_ALL, PASSES_ALL, PASSES_ALL],
  reason: [],
  rank: [0, 0, 0, 2, 1, 3],
  distance: [],
  nameOf: (host) => names[host] ?? '',
  refuses: (host, filter) => matrix.firstFailing[host] === filter,
}

const found = (key: string, pickedRank = 2): string =>
  [...ofVerdict(store.ordinals, readVerdicts(store, matrix, pickedRank), key)].map(store.nameOf).join()

test('each verdict has the count of the funnel, and a filter that refused no host has no group', () => {
  const { groups } = readVerdicts(store, matrix, 2)
  expect(groups.map(({ key, count, here }) => [key, count, here])).toEqual([
    ['chosen', 1, 1],
    ['passed', 3, 3],
    ['refused:First', 2, 1],
    ['refused:Last', 1, 1],
    ['unknown', 1, 1],
  ])
})

test.each([
  ['chosen', 'c'],
  ['passed', 'a,b,c'],
  ['refused:First', 'e'],
  ['refused:Last', 'd'],
  ['refused:Idle', ''],
  ['unknown', 'late'],
  ['constructor', ''],
])('the verdict %s selects %j', (key, hosts) => {
  expect(found(key)).toBe(hosts)
})

test('without a chosen host no host is marked as chosen', () => {
  expect(found('chosen', 0)).toBe('')
  expect(found('passed', 0)).toBe('a,b,c')
})

test('each group has its own colour at the index of its shade', () => {
  const { groups } = readVerdicts(store, matrix, 2)
  for (const backdrop of ['light', 'dark'] as const) {
    const colours = verdictColours(groups, backdrop)
    expect(new Set(colours.map(String)).size).toBe(groups.length)
    const [red, green, blue] = colours[0] ?? []
    const pixel = verdictPixels(groups, backdrop)[255] ?? 0
    expect([pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]).toEqual([red, green, blue])
  }
})
