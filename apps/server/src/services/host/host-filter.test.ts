import type { HostIndex } from '@gantt/scheduler-core'
import { aLog, aReport, aUuid } from '@gantt/scheduler-core/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { countedList } from '../../testing/counted-list.ts'
import { InputFault } from '../calls/outcome.ts'
import { compileHostFilter, type HostFilter } from './host-filter.ts'
import { type HostView, viewHost } from './host-view.ts'

/** A host in aggregates with these names. The first aggregate is its availability zone. */
function hostOf(zone: string, traits: string[], ...aggregates: readonly string[]): HostView {
  const log = aLog()
  log.append([aReport('Rack1-Node7', { traits })])
  for (const [i, name] of aggregates.entries()) {
    const metadata: Record<string, string> = i === 0 ? { availability_zone: zone } : {}
    log.append([{ type: 'aggregate', uuid: aUuid(i), expectedVersion: 0, next: { name, hosts: ['Rack1-Node7'], metadata } }])
  }
  return viewHost(log.fleet, log.fleet.hosts.get(0 as HostIndex))
}

const view = hostOf('North', ['HW_A', 'HW_B'], 'Name of a1', 'Name of a2')

test.each<[HostFilter, boolean]>([
  [{}, true],
  [{ availabilityZone: { eq: 'North' } }, true],
  [{ availabilityZone: { eq: 'north' } }, false],
  [{ availabilityZone: { neq: 'North' } }, false],
  [{ availabilityZone: { in: ['South', 'North'] } }, true],
  [{ availabilityZone: { in: [] } }, false],
  [{ availabilityZone: { nin: ['North'] } }, false],
  [{ availabilityZone: { nin: [] } }, true],
  [{ availabilityZone: { startsWith: 'No' } }, true],
  [{ availabilityZone: { startsWith: 'no' } }, false],
  [{ availabilityZone: { contains: 'ORT' } }, true],
  [{ availabilityZone: { contains: '' } }, true],
  [{ availabilityZone: { contains: 'south' } }, false],
  [{ availabilityZone: { contains: 'n', startsWith: 'S' } }, false],
  [{ availabilityZone: { eq: null, in: null, contains: null } }, true],
  [{ aggregate: { contains: 'NAME OF A2' } }, true],
  [{ aggregate: { eq: 'Name of a3' } }, false],
  [{ traits: ['HW_A', 'HW_B'] }, true],
  [{ traits: ['HW_C'] }, false],
  [{ and: [{ traits: ['HW_A'] }, { traits: ['HW_C'] }] }, false],
  [{ and: [] }, true],
  [{ or: [{ traits: ['HW_C'] }, { traits: ['HW_A'] }] }, true],
  [{ or: [{ traits: ['HW_C'] }] }, false],
  [{ or: [] }, true],
  [{ not: { traits: ['HW_C'] } }, true],
  [{ not: { not: { traits: ['HW_C'] } } }, false],
])('the filter %j matches: %s', (filter, matches) => expect(compileHostFilter(filter)(view)).toBe(matches))

test('a host in no aggregate matches no condition on aggregates', () => {
  expect(compileHostFilter({ aggregate: { contains: '' } })(hostOf('North', []))).toBe(false)
})

describe('a text that is longer than any name is refused', () => {
  const long = 'x'.repeat(256)
  test.each<[string, HostFilter]>([
    ['filter.name.eq', { name: { eq: long } }],
    ['filter.name.contains', { name: { contains: long } }],
    ['filter.availabilityZone.startsWith', { availabilityZone: { startsWith: long } }],
    ['filter.aggregate.neq', { aggregate: { neq: long } }],
    ['filter.name.in.1', { name: { in: ['a', long] } }],
    ['filter.aggregate.nin.0', { aggregate: { nin: [long] } }],
    ['filter.traits.2', { traits: ['A', 'B', long] }],
    ['filter.or.1.not.name.contains', { or: [{}, { not: { name: { contains: long } } }] }],
    ['filter.and.0.traits.0', { and: [{ traits: [long] }] }],
  ])('at %s', (path, filter) => {
    const compiling = () => compileHostFilter(filter)
    expect(compiling).toThrow(InputFault)
    expect(compiling).toThrow(`${path} is "xxx`)
    expect(compiling).toThrow('it must be at most 255 characters long, not 256')
  })

  test('but a text of 255 characters, the maximum of names, is accepted', () => {
    expect(compileHostFilter({ availabilityZone: { contains: 'x'.repeat(255) } })(view)).toBe(false)
  })
})

test.each<[string, HostFilter, string]>([
  ['many parts', { or: Array.from({ length: 5_000 }, () => ({})) }, 'a filter of at most 100 parts'],
  [
    'a long list',
    { name: { in: Array.from({ length: 1_001 }, () => 'a') } },
    'filter.name.in is a list of 1001; it must be a list of at most 1000 values',
  ],
])('a filter with %s is refused', (_name, filter, message) => expect(() => compileHostFilter(filter)).toThrow(message))

describe('what does not depend on the host is computed once', () => {
  afterEach(() => void vi.restoreAllMocks())

  test('a text is converted to lower case once, and not once for each host', () => {
    const lowered = vi.spyOn(String.prototype, 'toLowerCase')
    const matches = compileHostFilter({ or: [{ availabilityZone: { contains: 'NEEDLE' } }, { aggregate: { contains: 'NEEDLE' } }] })
    for (let i = 0; i < 1_000; i++) matches(view)
    const texts = lowered.mock.contexts.map(String)
    expect(texts.filter((text) => text === 'NEEDLE')).toHaveLength(2)
    expect(texts.length).toBe(2 + 1_000 * (1 + 2))
  })

  test('a list is read once, and not once for each host', () => {
    const { list, read } = countedList(['a', 'b', 'c'])
    const matches = compileHostFilter({ availabilityZone: { nin: list } })
    const before = read.items
    for (let i = 0; i < 1_000; i++) expect(matches(view)).toBe(true)
    expect(read.items).toBe(before)
  })
})
