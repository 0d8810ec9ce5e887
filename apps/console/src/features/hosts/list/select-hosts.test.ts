import { compileQuery, hostFields, parseQuery } from '@gantt/scheduler-core/query'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFleetStore } from '../fleet-store.ts'
import { packHosts, type TestHost } from '../testing/packed-hosts.ts'
import { termOf } from './filter-terms.ts'
import { orderByName } from './order-hosts.ts'
import { type FacetName, hostReaders, NONE, selectHosts } from './select-hosts.ts'

const NOW = 1_000_000

function select(hosts: readonly TestHost[], text: string) {
  const store = createFleetStore()
  store.apply(packHosts(hosts))
  const { query, problems } = parseQuery(text, hostFields)
  expect(problems).toEqual([])
  return { store, query, selection: selectHosts(store, query, orderByName(store), NOW) }
}

const fleet: readonly TestHost[] = [
  { ordinal: 0, name: 'cmp-1', az: 'az1', aggregates: ['ssd'], traits: ['AVX'], memFreeMib: 65_536, memUsed: 10, reportedAt: NOW - 5_000 },
  { ordinal: 1, name: 'cmp-2', az: 'az2', aggregates: ['ssd', 'gpu'], memFreeMib: 1_024, memUsed: 90, gpuFreeMilli: 500 },
  { ordinal: 2, name: 'cmp-3', az: 'az1', state: 'DOWN', memFreeMib: 2_048, reportedAt: NOW - 600_000 },
  { ordinal: 3, name: 'old-1', node: 'n7', az: 'az3', status: 'DRAINING', claims: 4 },
]

describe('the hosts that match a filter', () => {
  it.each([
    ['everything without a filter', '', ['cmp-1', 'cmp-2', 'cmp-3', 'old-1']],
    ['a text', 'az:az1', ['cmp-1', 'cmp-3']],
    ['one of several texts', 'az:az2,az3', ['cmp-2', 'old-1']],
    ['hosts without a text', '-az:az1', ['cmp-2', 'old-1']],
    ['two terms of one field', 'az:az* -az:az1', ['cmp-2', 'old-1']],
    ['one of a set', 'agg:gpu', ['cmp-2']],
    ['hosts without a text of a set', '-agg:ssd', ['cmp-3', 'old-1']],
    ['an enum in any case', 'state:down', ['cmp-3']],
    ['an alias', 'zone:az3', ['old-1']],
    ['a number in its unit', 'mem.free>=2GiB', ['cmp-1', 'cmp-3']],
    ['a share of a GPU', 'gpu.free>=0.5', ['cmp-2']],
    ['a node', 'node:n7', ['old-1']],
    ['a part of the name', 'CMP', ['cmp-1', 'cmp-2', 'cmp-3']],
    ['an age', 'age<1m', ['cmp-1']],
    ['a host without a report has no age', 'age>5m', ['cmp-3']],
    ['nothing', 'az:az9', []],
  ])('finds %s', (_name, text, names) => {
    const { store, selection } = select(fleet, text)
    expect([...selection.ordinals].map(store.nameOf)).toEqual(names)
  })

  it('the values of a facet are counted with the terms about other fields, but without those about the facet itself', () => {
    const { selection } = select(fleet, 'az:az1 state:UP')
    expect(selection.facets.az).toEqual([
      { value: 'az1', count: 1 },
      { value: 'az2', count: 1 },
      { value: 'az3', count: 1 },
    ])
    expect(selection.facets.state).toEqual([
      { value: 'DOWN', count: 1 },
      { value: 'UP', count: 1 },
    ])
    expect(selection.facets.agg).toEqual([{ value: 'ssd', count: 1 }])
  })

  const kinds: readonly TestHost[] = [
    { ordinal: 0, name: 'a', reported: { 'cpu.model': 'Milan', 'hypervisor.version': '8002000' } },
    { ordinal: 1, name: 'b', reported: { 'cpu.model': 'Ice Lake', 'hypervisor.version': '10000000' } },
    { ordinal: 2, name: 'c', reported: { 'cpu.model': 'Milan', 'hypervisor.version': '0' } },
    { ordinal: 3, name: 'd' },
  ]
  it.each([
    ['reported values', 'cpu.model:Milan', 'ac'],
    ['a reported value with blanks', 'cpu.model:"Ice Lake"', 'b'],
    ['a reported number', 'hypervisor.version>=8002000', 'ab'],
    ['a reported number by an alias of its field', 'hv.version:0', 'c'],
    ['a text that hosts do not report', '-cpu.model:*', 'd'],
    ['a number that hosts do not report', '-hypervisor.version>=0', 'd'],
  ])('finds %s', (_name, text, names) => {
    const { store, selection } = select(kinds, text)
    expect([...selection.ordinals].map(store.nameOf).join('')).toBe(names)
  })

  it('reported and unreported values of all hosts are counted, and a field that no host reports is not a facet', () => {
    const { facets } = select(kinds, '').selection
    expect(facets['cpu.model']).toEqual([
      { value: 'Milan', count: 2 },
      { value: '', count: 1 },
      { value: 'Ice Lake', count: 1 },
    ])
    expect(facets['hypervisor.version'].reduce((sum, { count }) => sum + count, 0)).toBe(kinds.length)
    expect(facets['cpu.vendor']).toEqual([])
  })

  const text = (values: readonly string[]) => fc.constantFrom(...values)
  const anyHosts = fc
    .array(
      fc.record({
        state: text(['UP', 'DOWN']),
        az: text(['az1', 'az2']),
        aggregates: fc.subarray(['ssd', 'gpu']),
        reported: fc.record({ 'cpu.model': text(['M 1', 'M2']), 'hypervisor.version': text(['0', '7']) }, { requiredKeys: [] }),
        traits: fc.subarray(['A', 'B', 'C']),
        memFreeMib: fc.integer({ min: -5, max: 5 }),
      }),
      { maxLength: 30 },
    )
    .map((hosts) => hosts.map((host, i) => ({ ...host, ordinal: i * 2, name: `h${i}` })))
  const anyTerm = text([
    'state:UP',
    '-state:UP',
    'az:az1',
    'az:az2',
    '-az:az1',
    'agg:ssd',
    '-agg:gpu',
    'trait:A,B',
    'trait:C',
    'mem.free>0',
    'cpu.model:M2',
    '-cpu.model:*',
    'hypervisor.version<5',
    '-hypervisor.version>=0',
    'h1',
  ])

  it('the selected hosts are those of the filter grammar, and each facet count is the count of hosts after a click on the value', () => {
    fc.assert(
      fc.property(anyHosts, fc.array(anyTerm, { maxLength: 4 }), (hosts, terms) => {
        const { store, query, selection } = select(hosts, terms.join(' '))
        const passes = compileQuery(query, hostFields, hostReaders(store, NOW))
        expect([...selection.ordinals]).toEqual([...orderByName(store)].filter(passes))

        const values: readonly (readonly [FacetName, string])[] = [
          ['state', 'DOWN'],
          ['az', 'az1'],
          ['agg', 'gpu'],
          ['trait', 'B'],
          ['cpu.model', 'M 1'],
          ['cpu.model', NONE],
          ['hypervisor.version', '7'],
          ['hypervisor.version', NONE],
        ]
        for (const [field, value] of values) {
          const others = { terms: query.terms.filter((term) => term.field !== field) }
          const { query: own } = parseQuery(termOf(field, value), hostFields)
          const clicked = compileQuery({ terms: [...others.terms, ...own.terms] }, hostFields, hostReaders(store, NOW))
          const count = [...store.ordinals].filter(clicked).length
          // a field that no host reports is not a facet
          const { [field]: values } = selection.facets
          expect(values.find((one) => one.value === value)?.count ?? 0).toBe(value === NONE && values.length === 0 ? 0 : count)
        }
      }),
    )
  })
})
