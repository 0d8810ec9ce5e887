import { describe, expect, test } from 'vitest'
import type { Change, HostForgotten } from '../records/change.ts'
import { aClaim, aLog, aMove, aReport, aUuid } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { hostStepsOf } from '../why/host-steps.ts'
import { checkpointOf } from './checkpoint.ts'
import { claimOn, ENOUGH, expectSound, forget, hostsOf, named, readmit, replace } from './testing/leaving.ts'

describe('forgetting a host', () => {
  test('forgetting a host is void if it does not have the expected count of live claims', () => {
    const log = hostsOf('h1')
    log.append([claimOn('h1')])
    expect(log.append([{ ...forget('h1', true), expectedClaims: 2 }])).toEqual(['leave.claims_changed'])
    expect(log.append([{ ...forget('h1', true), expectedClaims: 1 }])).toEqual([undefined])
    expectSound(log)
  })

  // taken from Placement's test_delete_provider_in_use and Nova's test_delete_compute_service_with_allocations
  test('forgetting a host with live claims is void and changes nothing', () => {
    const log = hostsOf('h1')
    log.append([claimOn('h1')])
    const before = canonicalJson({ ...checkpointOf(log.fleet), place: 0, places: 0 })
    expect(log.append([forget('h1')])).toEqual(['leave.has_claims'])
    expect(canonicalJson({ ...checkpointOf(log.fleet), place: 0, places: 0 })).toBe(before)
  })

  test('forgetting a host is void if the host got a claim between the decision and the entry', () => {
    const log = hostsOf('h1')
    const basis = log.fleet.place
    log.append([claimOn('h1')])
    expect(log.append([forget('h1')], { basis })).toEqual(['leave.has_claims'])
  })

  test('claims that were decided before a host was forgotten are void afterwards', () => {
    const log = hostsOf('h1', 'h2')
    const basis = log.fleet.place
    log.append([forget('h1')])
    expect(log.append([claimOn('h1')], { basis })).toEqual(['claim.no_room'])
    log.append([readmit('h1')])
    log.append([aReport('h1', ENOUGH, 2)])
    // the host is in the fleet again, but the claim was decided before the host left
    expect(log.append([claimOn('h1')], { basis })).toEqual(['claim.edited'])
  })

  test('forgetting a host by force ends its claims in the same entry, and the keys still list the claims', () => {
    const log = hostsOf('h1')
    log.append([claimOn('h1', 'k1'), aClaim({ key: 'k2', hosts: ['h1'], instances: [aUuid(2)] })])
    expect(log.append([forget('h1', true)])).toEqual([undefined])
    for (const id of ['k1.0', 'k2.0']) expect(log.fleet.ledger.claims.get(id)).toMatchObject({ state: 'REVOKED', reason: 'scrapped' })
    expect(log.fleet.ledger.findKey('acme', 'k1')?.answer?.[0]?.selected.host).toBe('h1')
    expect(log.append([claimOn('h1', 'k1')])).toEqual(['claim.key_used'])
    expectSound(log)
  })

  test('an overdue reservation does not prevent forgetting a host', () => {
    const log = hostsOf('h1')
    log.append([aClaim({ key: 'k1', hosts: ['h1'], ttlMs: 10 })])
    expect(log.append([forget('h1')], { at: 1_010 })).toEqual([undefined])
    expect(log.fleet.ledger.claims.get('k1.0')).toMatchObject({ state: 'EXPIRED' })
    expectSound(log)
  })

  test.each([
    ['source', 'h1', ['REVOKED', 'RESERVED']],
    ['destination', 'h2', ['CONFIRMED', 'REVOKED']],
  ])('forgetting the host of the %s of an open move revokes its claim, and the other claim of the move stays', (_end, host, states) => {
    const log = hostsOf('h1', 'h2')
    log.append([claimOn('h1')])
    const { fence } = log.fleet.ledger.claims.get('k1.0') ?? { fence: 0 }
    log.append([aMove({ key: 'k2', hosts: ['h2'], instances: [aUuid(1)], source: { claim: 'k1.0', fence } })])
    expect(log.append([forget(host, true)])).toEqual([undefined])
    const ends = ['k1.0', 'k2.0'].map((id) => log.fleet.ledger.claims.get(id))
    expect(ends.map((claim) => claim?.state)).toEqual(states)
    for (const claim of ends) expect(claim).toMatchObject({ source: null, target: null })
    expectSound(log)
  })

  test('forgetting a host ends a move within the host', () => {
    const log = hostsOf('h1')
    log.append([claimOn('h1')])
    const { fence } = log.fleet.ledger.claims.get('k1.0') ?? { fence: 0 }
    log.append([aMove({ key: 'k2', hosts: ['h1'], instances: [aUuid(1)], source: { claim: 'k1.0', fence } })])
    expect(log.append([forget('h1', true)])).toEqual([undefined])
    for (const id of ['k1.0', 'k2.0']) expect(log.fleet.ledger.claims.get(id)).toMatchObject({ state: 'REVOKED' })
    expectSound(log)
  })

  test('a forgotten host leaves a tombstone with index and history, but without capacity, aggregates, groups or instances', () => {
    const log = hostsOf('h1', 'h2')
    const { fleet } = log
    const zone = { type: 'aggregate', uuid: aUuid(7), expectedVersion: 0 } as const
    log.append([{ ...zone, next: { name: 'z1', metadata: { availability_zone: 'z1' }, hosts: ['h1', 'h2'] } }])
    log.append([aReport('h1', { ...ENOUGH, instances: [aUuid(1)] }, 2), claimOn('h1')])
    log.append([forget('h1', true)])
    const record = fleet.hosts.get(fleet.hosts.findForgotten(named('h1'))?.index ?? fleet.hosts.get(0 as never).index)
    expect(record).toMatchObject({
      index: 0,
      host: 'h1',
      firstSeen: 1,
      zone: 'nova',
      aggregates: [],
      gone: { reason: 'scrapped', at: 1_000 },
    })
    expect([record.present.size, record.claims.size, fleet.hosts.find(named('h1')), fleet.hosts.nodesOf('h1')]).toEqual([
      0,
      0,
      undefined,
      [],
    ])
    expect(fleet.hosts.classes.get('VCPU')?.capacity[0]).toBe(0)
    expect(fleet.aggregates.byUuid.get(aUuid(7))).toMatchObject({ hosts: ['h2'], version: 2 })
    expect([...fleet.aggregates.members(aUuid(7))]).toEqual([0, 1])
    expect([fleet.hosts.count, fleet.hosts.presentCount, fleet.hosts.present.map(({ host }) => host)]).toEqual([2, 1, ['h2']])
    expectSound(log)
  })

  test.each<[string, Change]>([
    ['a new status', { type: 'status', ...named('h1'), status: 'DISABLED', reason: '' }],
    ['a new liveness', { type: 'liveness', ...named('h1'), state: 'DOWN', reason: '' }],
    ['a new source of used amounts', { type: 'usedFrom', ...named('h1'), usedFrom: 'CLAIMS', reason: '' }],
  ])('%s of a forgotten host is void', (_what, change) => {
    const log = hostsOf('h1')
    log.append([forget('h1')])
    expect(log.append([change])).toEqual(['report.unknown_host'])
  })

  test('forgetting a forgotten host or a host that never existed is void', () => {
    const log = hostsOf('h1')
    log.append([forget('h1')])
    expect(log.append([forget('h1'), forget('h9')])).toEqual(['leave.not_there', 'leave.not_there'])
  })

  test('a change that forgets several hosts is void as a whole if one of them has a live claim', () => {
    const log = hostsOf('h1', 'h2')
    log.append([claimOn('h2')])
    const both: HostForgotten = { type: 'forget', hosts: [named('h1'), named('h2')], isForced: false, reason: 'scrapped' }
    expect(log.append([both])).toEqual(['leave.has_claims'])
    expect(log.fleet.hosts.presentCount).toBe(2)
    expect(log.append([{ ...both, isForced: true }])).toEqual([undefined])
    expect(log.fleet.hosts.presentCount).toBe(0)
  })

  test('after one node of a host is forgotten, its other nodes stay in the aggregates', () => {
    const log = hostsOf('h1')
    const node = { host: 'h1', node: 'n2' }
    log.append([{ ...aReport('h1', ENOUGH), ...node }])
    log.append([{ type: 'aggregate', uuid: aUuid(7), expectedVersion: 0, next: { name: 'a', metadata: {}, hosts: ['h1'] } }])
    expect(log.append([{ ...forget('h1'), hosts: [node] }])).toEqual([undefined])
    expect([...log.fleet.aggregates.members(aUuid(7))]).toEqual([1, 0])
    expect(log.fleet.hosts.get(1 as never).aggregates).toEqual([])
    expectSound(log)
  })
})

test('a host that was readmitted and has not reported yet can be forgotten again', () => {
  const log = aLog()
  log.append([{ type: 'feature', level: 9 }, aReport('h1')])
  log.append([forget('h1'), readmit('h1')])
  expect(log.append([forget('h1')])).toEqual([undefined])
  expect(log.append([aReport('h1', {}, 2)])).toEqual(['report.host_forgotten'])
  expect(log.append([forget('h1')])).toEqual(['leave.not_there'])
})

describe('readmitting a host', () => {
  // taken from Nova's tests of a deleted compute node whose host returns with the same uuid
  test('a readmitted host returns with a full report under its former index, without its former data', () => {
    const log = hostsOf('h1')
    log.append([{ type: 'status', ...named('h1'), status: 'MAINTENANCE', reason: 'fan' }])
    log.append([forget('h1')])
    const full = aReport('h1', ENOUGH, 5)
    expect(log.append([full])).toEqual(['report.host_forgotten'])
    expect(
      log.append([{ type: 'namespace', ...named('h1'), namespace: 'x', version: '1', incarnation: 'i', sequence: 1, document: {} }]),
    ).toEqual(['report.host_forgotten'])
    expect(log.append([readmit('h1')])).toEqual([undefined])
    expect(log.fleet.hosts.presentCount).toBe(0)
    const { incarnation } = full
    expect(log.append([{ type: 'report', ...named('h1'), incarnation, sequence: 2, delta: { baseSequence: 1, vcpusUsed: 1 } }])).toEqual([
      'report.unknown_host',
    ])
    expect(log.append([full])).toEqual([undefined])
    expect(log.fleet.hosts.find(named('h1'))).toMatchObject({ index: 0, firstSeen: 1, statusReason: '', gone: null })
    expect([log.fleet.hosts.columns.status[0], log.fleet.hosts.count]).toEqual([0, 1])
    expectSound(log)
  })

  test('a readmitted host cannot send reports from before it was forgotten', () => {
    const log = hostsOf('h1')
    const late = aReport('h1', ENOUGH, 3)
    log.append([aReport('h1', ENOUGH, 4)])
    log.append([{ ...aReport('h1', ENOUGH, 1), incarnation: aUuid(99) }])
    log.append([forget('h1'), readmit('h1')])
    expect(log.append([late])).toEqual(['report.stale'])
    expect(log.append([{ ...late, incarnation: aUuid(99), sequence: 1 }])).toEqual(['report.stale'])
    expect(log.append([{ ...late, incarnation: aUuid(99), sequence: 2 }])).toEqual([undefined])
  })

  test('readmitting a present or unknown host is void', () => {
    const log = hostsOf('h1')
    expect(log.append([readmit('h1'), readmit('h9')])).toEqual(['leave.not_gone', 'leave.not_gone'])
  })

  test('readmitting a former name releases the name for another machine', () => {
    const log = hostsOf('h1')
    log.append([replace('h1', 'h2')])
    expect(log.append([readmit('h1'), aReport('h1', ENOUGH)])).toEqual([undefined, undefined])
    expect([log.fleet.hosts.find(named('h1'))?.index, log.fleet.hosts.find(named('h2'))?.index]).toEqual([1, 0])
    expectSound(log)
  })
})

test('changes of a host are published as steps when it is forgotten, readmitted, reports again and is replaced', () => {
  const log = hostsOf('h1')
  const kinds = (...changes: readonly Change[]) => {
    log.append(changes)
    return hostStepsOf(log.fleet).map(({ kind, reason }) => [kind, reason])
  }
  expect(kinds(forget('h1'))).toEqual([['FORGOTTEN', 'scrapped']])
  expect(kinds(readmit('h1'))).toEqual([['READMITTED', '']])
  expect(kinds(aReport('h1', ENOUGH, 2))).toEqual([['FIRST_REPORT', '']])
  expect(kinds(replace('h1', 'h2'))).toEqual([['REPLACED', 'renamed']])
})
