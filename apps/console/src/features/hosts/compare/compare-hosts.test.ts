import { hostFields, parseQuery } from '@gantt/scheduler-core/query'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFleetStore } from '../fleet-store.ts'
import { selectHosts } from '../list/select-hosts.ts'
import { packHosts, type TestHost } from '../testing/packed-hosts.ts'
import { compareHosts } from './compare-hosts.ts'

const NOW = 1_000_000
const storeOf = (hosts: readonly TestHost[]) => {
  const store = createFleetStore()
  store.apply(packHosts(hosts))
  return store
}

it('the attributes with the largest differences between selected and other hosts are listed first', () => {
  const store = storeOf([
    { ordinal: 0, name: 'a', az: 'z1', traits: ['AVX'], memUsed: 95 },
    { ordinal: 1, name: 'b', az: 'z2', traits: ['AVX'], memUsed: 10 },
    { ordinal: 2, name: 'c', az: 'z1', memUsed: 95 },
    { ordinal: 3, name: 'd', az: 'z2', memUsed: 10 },
  ])
  const [first, ...others] = compareHosts(store, Uint32Array.of(0, 1), Uint32Array.of(2, 3), NOW)
  expect(first).toEqual({
    field: 'trait',
    difference: 1,
    values: [{ label: 'AVX', terms: 'trait:AVX', inside: 2, outside: 0 }],
    omitted: 0,
  })
  expect(others.map(({ difference }) => difference)).toEqual(others.map(() => 0))
})

it('the values of an attribute are listed with the count of hosts that do not report it', () => {
  const store = storeOf([
    { ordinal: 0, name: 'a', reported: { 'cpu.model': 'Milan' } },
    { ordinal: 1, name: 'b' },
    { ordinal: 2, name: 'c', reported: { 'cpu.model': 'Ice Lake' } },
  ])
  const [first] = compareHosts(store, Uint32Array.of(0, 1), Uint32Array.of(2), NOW)
  expect(first).toEqual({
    field: 'cpu.model',
    difference: 1,
    values: [
      { label: 'Ice Lake', terms: 'cpu.model:"Ice Lake"', inside: 0, outside: 1 },
      { label: 'Milan', terms: 'cpu.model:Milan', inside: 1, outside: 0 },
      { label: 'not reported', terms: '-cpu.model:*', inside: 1, outside: 0 },
    ],
    omitted: 0,
  })
})

it('at most six texts of an attribute are listed, and all ranges of a numeric attribute', () => {
  // ages in all six ranges, and one host that has never reported
  const ages = [1, 20, 100, 1_000, 10_000, 100_000]
  const now = 1_000_000_000
  const hosts: readonly TestHost[] = [
    ...ages.map((age, i) => ({ ordinal: i, name: `h${i}`, az: `z${i}`, reportedAt: now - age * 1_000 })),
    { ordinal: 6, name: 'h6', az: 'z6' },
  ]
  const compared = compareHosts(storeOf(hosts), Uint32Array.of(0), Uint32Array.of(1, 2, 3, 4, 5, 6), now)
  const of = (name: string) => compared.find(({ field }) => field === name)
  expect(of('az')).toMatchObject({ values: { length: 6 }, omitted: 1 })
  expect(of('age')).toMatchObject({ values: { length: 7 }, omitted: 0 })
})

it('a comparison without any other hosts does not fail, and a comparison without any hosts is empty', () => {
  const store = storeOf([{ ordinal: 0, name: 'a' }])
  expect(() => compareHosts(store, Uint32Array.of(0), new Uint32Array(), NOW)).not.toThrow()
  expect(compareHosts(store, new Uint32Array(), new Uint32Array(), NOW)).toEqual([])
})

describe('a comparison of any two groups of hosts', () => {
  const host = fc.record({
    isInside: fc.boolean(),
    state: fc.constantFrom('UP', 'DOWN'),
    az: fc.constantFrom('az1', 'a b', '*', '-x,y'),
    aggregates: fc.uniqueArray(fc.constantFrom('ssd', 'gpu', '"'), { maxLength: 2 }),
    traits: fc.uniqueArray(fc.constantFrom('T1', 'x:y'), { maxLength: 2 }),
    reported: fc.record(
      { 'cpu.model': fc.constantFrom('M 1', '-*'), 'hypervisor.version': fc.constantFrom('0', '7') },
      { requiredKeys: [] },
    ),
    // Each of these used shares (in per cent) makes the totals whole MiB. A share above 100 % makes the free amount negative.
    memory: fc
      .record({ free: fc.nat(10), memUsed: fc.constantFrom(0, 50, 75, 80, 90, 95, 125) })
      .map(({ free, memUsed }) => ({ memFreeMib: memUsed > 100 ? -free : free, memUsed })),
    gpuFreeMilli: fc.nat(3_000),
    claims: fc.nat(3),
    reportedAt: fc.constantFrom(0, NOW - 5_000, NOW - 60_000, 1),
  })
  it('each count equals the count of hosts that the filter terms of the value find', () => {
    fc.assert(
      fc.property(fc.array(host, { maxLength: 12 }), (hosts) => {
        const store = storeOf(hosts.map(({ memory, ...one }, ordinal) => ({ ...one, ...memory, ordinal, name: `h${ordinal}` })))
        const of = (isInside: boolean) => store.ordinals.filter((ordinal) => hosts[ordinal]?.isInside === isInside)
        for (const { values } of compareHosts(store, of(true), of(false), NOW))
          for (const { terms, inside, outside } of values) {
            const { query, problems } = parseQuery(terms, hostFields)
            expect(problems).toEqual([])
            const { ordinals } = selectHosts(store, query, store.ordinals, NOW)
            expect([ordinals.filter((ordinal) => hosts[ordinal]?.isInside).length, ordinals.length], terms).toEqual([
              inside,
              inside + outside,
            ])
          }
      }),
    )
  })
})
