import { describe, expect, test } from 'vitest'
import type { Change } from '../records/change.ts'
import { aClaim, aLog, aReport, aUuid } from '../testing/index.ts'
import { hostChangesBetween, hostFieldsOf } from './host-changes.ts'

/** Applies an entry with these changes after the first reports of h1 and h2. Returns the changed fields of h1. */
function changedBy(...changes: readonly Change[]) {
  const log = aLog()
  log.append([aReport('h1', { vcpus: 4 }), aReport('h2')])
  const indexOf = () => log.fleet.hosts.nodesOf('h1')[0]
  const before = hostFieldsOf(log.fleet, indexOf())
  for (const change of changes) expect(log.append([change])).toEqual([undefined])
  return hostChangesBetween(before, hostFieldsOf(log.fleet, indexOf()))
}

describe('what changed about a host between two states', () => {
  test('changes of other hosts are not listed', () => {
    expect(changedBy(aReport('h2', { vcpus: 8 }, 2))).toEqual([])
  })

  test('numbers that a report changed have the sequence of the report as their source', () => {
    const changes = changedBy(aReport('h1', { vcpus: 6, vcpusUsed: 1 }, 2))
    expect(changes.map(({ field, before, after }) => [field, before, after])).toEqual([
      ['VCPU total', '4', '6'],
      ['VCPU used', '0', '1'],
      ['VCPU free', '4', '5'],
    ])
    for (const { source } of changes) expect(source).toMatchObject({ kind: 'report', report: { sequence: 2 } })
  })

  test('a new claim is listed with its id, and changes the claimed and free amounts', () => {
    const claim = aClaim({ hosts: ['h1'], grants: { classes: { VCPU: 3 } } })
    const id = claim.parts[0]?.claim
    expect(changedBy(claim).map(({ field, before, after, source: { kind } }) => [field, before, after, kind])).toEqual([
      ['VCPU claimed', '0', '3', 'claims'],
      ['VCPU free', '4', '1', 'report'],
      ['instances', '0', '1', 'report'],
      ['I/O operations', '0', '1', 'report'],
      [`claim ${id}`, null, expect.any(String), 'claims'],
    ])
    // the source of the free amount is the unchanged report, less what is claimed
    const free = changedBy(claim).find(({ field }) => field === 'VCPU free')
    expect(free?.source.ref).toMatch(/^sequence 1, .*, less what is claimed$/)
    expect(changedBy(claim).find(({ field }) => field === 'instances')?.source.ref).toMatch(/, and 1 claim$/)
  })

  test('a status that operators set has their reason as its source', () => {
    const off: Change = { type: 'status', host: 'h1', node: 'h1', status: 'DISABLED', reason: 'new memory' }
    expect(changedBy(off)).toEqual([
      { field: 'status', before: 'ENABLED', after: 'DISABLED', source: { kind: 'status', ref: 'new memory' } },
    ])
  })

  test('an aggregate that a host joined is listed as a membership and with its metadata', () => {
    const next = { name: 'ssd', hosts: ['h1'], metadata: { availability_zone: 'a', disk: 'ssd' } }
    const changes = changedBy({ type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next })
    expect(changes.map(({ field, before, after }) => [field, before, after])).toEqual([
      ['availability zone', 'nova', 'a'],
      ['aggregate ssd', null, 'member'],
      ['aggregate ssd availability_zone', null, 'a'],
      ['aggregate ssd disk', null, 'ssd'],
    ])
    expect(changes[3]?.source).toEqual({ kind: 'aggregate', ref: 'ssd disk', aggregates: [{ uuid: aUuid(1), name: 'ssd', key: 'disk' }] })
  })
})

test('a host that is not in the fleet has no fields', () => {
  expect(hostFieldsOf(aLog().fleet, undefined).size).toBe(0)
})
