import { hostFields } from '@gantt/scheduler-core/query'
import { expect, it } from 'vitest'
import { createFleetStore } from '../fleet-store.ts'
import { colourFields, type HostGroup, hostColours } from '../search.ts'
import { packHosts } from '../testing/packed-hosts.ts'
import { colourName, groupHosts, loadOf, toShade } from './map-groups.ts'

const NOW = 200_000_000
const store = createFleetStore()
store.apply(
  packHosts([
    { ordinal: 0, name: 'a', az: 'z2', aggregates: ['ssd', 'gpu'], memUsed: 20, reported: { 'cpu.model': 'Milan' } },
    { ordinal: 1, name: 'b', az: 'z1', aggregates: ['ssd'], memUsed: 130 },
    { ordinal: 2, name: 'c', az: 'z1', memUsed: 50 },
    { ordinal: 3, name: 'd', az: 'z1', aggregates: ['ssd'], memUsed: 0 },
  ]),
)
const summaries = (by: HostGroup, ordinals = store.ordinals) =>
  groupHosts(store, ordinals, by, loadOf(store, 'mem', ordinals, NOW)).map(
    ({ label, summary, cells }) => `${label}: ${[...cells].map(store.nameOf).join('')}, ${summary}`,
  )

it('the map groups hosts by zone, the fullest host first', () => {
  expect(summaries('az')).toEqual(['z1: bcd, 3 hosts, 60 % used on average', 'z2: a, 1 host, 20 % used on average'])
})

it('the map shows a host in each of its aggregates, and hosts without an aggregate at the end', () => {
  expect(summaries('aggregate')).toEqual([
    'gpu: a, 1 host, 20 % used on average',
    'ssd: bad, 3 hosts, 50 % used on average',
    'in no aggregate: c, 1 host, 50 % used on average',
  ])
})

it('the map groups hosts by a reported value, with hosts that do not report it at the end', () => {
  expect(summaries('cpu.model')).toEqual(['Milan: a, 1 host, 20 % used on average', 'not reported: bcd, 3 hosts, 60 % used on average'])
})

it('the map shows only the hosts of the list', () => {
  expect(summaries('az', Uint32Array.of(0))).toEqual(['z2: a, 1 host, 20 % used on average'])
})

it.each([
  [-5, 0],
  [0, 0],
  [50, 127],
  [100, 255],
  [250, 255],
])('draws %i %% in shade %i', (percent, shade) => {
  expect(toShade(percent)).toBe(shade)
})

it('if the map is coloured by the age of reports, hosts with the oldest reports come first, and hosts without a report are counted', () => {
  const fleetStore = createFleetStore()
  fleetStore.apply(
    packHosts([
      { ordinal: 0, name: 'a', reportedAt: NOW - 1_000 },
      { ordinal: 1, name: 'b', reportedAt: NOW - 60_000 },
      { ordinal: 2, name: 'c', reportedAt: 0 },
    ]),
  )
  const load = loadOf(fleetStore, 'age', fleetStore.ordinals, NOW)
  expect(
    groupHosts(fleetStore, fleetStore.ordinals, 'az', load).map(
      ({ summary, cells }) => [...cells].map(fleetStore.nameOf).join('') + summary,
    ),
  ).toEqual(['cba3 hosts, the oldest report 1 min ago, 1 never reported'])
  expect([0, 2].map((ordinal) => Math.round(load.of(ordinal)))).toEqual([6, 100])
  expect([1, 2].map((ordinal) => load.note?.(ordinal))).toEqual(['reported 1 min ago', 'never reported'])
})

it.each([
  ['mem.free', 'cba', '102 GiB of memory free in total', '100 GiB of memory free, the largest amount of a shown host', [0, 2, 100]],
  ['claims', 'bca', '4 claims in total', '3 claims, the largest amount of a shown host', [0, 100, 33]],
  ['disk.free', 'abc', '0 MiB of disk free in total', 'no shown host has any', [0, 0, 0]],
] as const)('coloured by %s, the scale ends at the largest amount of a host, totals are sums', (colour, order, summary, full, percents) => {
  const amounts = createFleetStore()
  amounts.apply(
    packHosts([
      { ordinal: 0, name: 'a', memFreeMib: -1_024 },
      { ordinal: 1, name: 'b', memFreeMib: 2_048, claims: 3 },
      { ordinal: 2, name: 'c', memFreeMib: 102_400, claims: 1 },
    ]),
  )
  const load = loadOf(amounts, colour, amounts.ordinals, NOW)
  expect(
    groupHosts(amounts, amounts.ordinals, 'az', load).map(({ summary, cells }) => [[...cells].map(amounts.nameOf).join(''), summary]),
  ).toEqual([[order, `3 hosts, ${summary}`]])
  expect(load.ends).toEqual(['0', full])
  expect([0, 1, 2].map((ordinal) => Math.round(load.of(ordinal)))).toEqual(percents)
})

it('each colour has the name of its field in the table of hosts, except the report age and the verdict', () => {
  const labels = new Map<string, string>(hostFields.map(({ name, label }) => [name, label]))
  const own: Readonly<Record<string, string>> = { age: 'Report age', verdict: 'Verdict' }
  const fields: Readonly<Record<string, string>> = colourFields
  expect(hostColours.map(colourName)).toEqual(hostColours.map((colour) => own[colour] ?? labels.get(fields[colour] ?? '')))
})
