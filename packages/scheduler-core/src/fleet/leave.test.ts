import { describe, expect, test } from 'vitest'
import { audit } from '../audit/index.ts'
import { canonicalJson } from '../canonical-json.ts'
import { aClaim, aLog, aMove, aReport, aUuid, type HostShape, type TestLog } from '../testing/index.ts'
import { hostStepsOf } from '../why/host-steps.ts'
import type { Change, HostForgotten, HostReplaced } from './change.ts'
import { checkpointOf, restoreFleet } from './checkpoint.ts'
import { HOSTS_LEAVE } from './levels.ts'

const ENOUGH: HostShape = { vcpus: 8, memoryMb: 65_536, instances: [] }
const named = (host: string) => ({ host, node: host })

/** Hosts of 8 CPUs in a log of the level. */
function hostsOf(...names: readonly string[]): TestLog {
  const log = aLog()
  log.append([{ type: 'feature', level: HOSTS_LEAVE }, ...names.map((name) => aReport(name, ENOUGH))])
  return log
}

const forget = (host: string, isForced = false): HostForgotten => ({ type: 'forget', hosts: [named(host)], isForced, reason: 'scrapped' })
const readmit = (host: string): Change => ({ type: 'readmit', ...named(host), reason: 'repaired' })
const replace = (from: string, to: string): HostReplaced => ({
  type: 'replace',
  hosts: [{ from: named(from), to: named(to) }],
  reason: 'renamed',
})
const claimOn = (host: string, key = 'k1', instance: string | null = aUuid(1)) =>
  aClaim({ key, hosts: [host], instances: [instance], mode: 'CONFIRM' })

/** Nothing is wrong with the state, and a fleet restored from it is the same. */
function expectSound({ fleet }: TestLog): void {
  expect([...audit(fleet)].flatMap(({ findings }) => findings)).toEqual([])
  const stored = canonicalJson(checkpointOf(fleet))
  const again = restoreFleet(JSON.parse(stored))
  expect(canonicalJson(checkpointOf(again))).toBe(stored)
  for (const name of ['h1', 'h2', 'h3'].map(named)) {
    expect(again.hosts.find(name)?.index).toBe(fleet.hosts.find(name)?.index)
    expect(again.hosts.findForgotten(name)?.index).toBe(fleet.hosts.findForgotten(name)?.index)
    expect(again.hosts.refusesName(name)).toBe(fleet.hosts.refusesName(name))
  }
}

describe('forget', () => {
  test('is void with another number of live claims than was expected', () => {
    const log = hostsOf('h1')
    log.append([claimOn('h1')])
    expect(log.append([{ ...forget('h1', true), expectedClaims: 2 }])).toEqual(['leave.claims_changed'])
    expect(log.append([{ ...forget('h1', true), expectedClaims: 1 }])).toEqual([undefined])
    expectSound(log)
  })

  // Placement: test_delete_provider_in_use; Nova: test_delete_compute_service_with_allocations
  test('is void while the host has live claims, and then changes nothing', () => {
    const log = hostsOf('h1')
    log.append([claimOn('h1')])
    const before = canonicalJson({ ...checkpointOf(log.fleet), place: 0, places: 0 })
    expect(log.append([forget('h1')])).toEqual(['leave.has_claims'])
    expect(canonicalJson({ ...checkpointOf(log.fleet), place: 0, places: 0 })).toBe(before)
  })

  test('is judged at its place in the log: a claim that came in between keeps the host', () => {
    const log = hostsOf('h1')
    const basis = log.fleet.place
    log.append([claimOn('h1')])
    expect(log.append([forget('h1')], { basis })).toEqual(['leave.has_claims'])
  })

  test('a claim decided before it does not count after it', () => {
    const log = hostsOf('h1', 'h2')
    const basis = log.fleet.place
    log.append([forget('h1')])
    expect(log.append([claimOn('h1')], { basis })).toEqual(['claim.no_room'])
    log.append([readmit('h1')])
    log.append([aReport('h1', ENOUGH, 2)])
    // the host is there again, but it is not the one that was decided on
    expect(log.append([claimOn('h1')], { basis })).toEqual(['claim.edited'])
  })

  test('by force ends its claims with its reason in the same entry; their keys keep their answers', () => {
    const log = hostsOf('h1')
    log.append([claimOn('h1', 'k1'), aClaim({ key: 'k2', hosts: ['h1'], instances: [aUuid(2)] })])
    expect(log.append([forget('h1', true)])).toEqual([undefined])
    for (const id of ['k1.0', 'k2.0']) expect(log.fleet.ledger.claims.get(id)).toMatchObject({ state: 'REVOKED', reason: 'scrapped' })
    expect(log.fleet.ledger.findKey('acme', 'k1')?.answer?.[0]?.selected.host).toBe('h1')
    expect(log.append([claimOn('h1', 'k1')])).toEqual(['claim.key_used'])
    expectSound(log)
  })

  test('a reservation whose time is over keeps nothing', () => {
    const log = hostsOf('h1')
    log.append([aClaim({ key: 'k1', hosts: ['h1'], ttlMs: 10 })])
    expect(log.append([forget('h1')], { at: 1_010 })).toEqual([undefined])
    expect(log.fleet.ledger.claims.get('k1.0')).toMatchObject({ state: 'EXPIRED' })
    expectSound(log)
  })

  test.each([
    ['source', 'h1', ['REVOKED', 'RESERVED']],
    ['destination', 'h2', ['CONFIRMED', 'REVOKED']],
  ])('an open move whose %s is there ends as by a revocation: the other end stays alone', (_end, host, states) => {
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

  test('a move within the host ends with it', () => {
    const log = hostsOf('h1')
    log.append([claimOn('h1')])
    const { fence } = log.fleet.ledger.claims.get('k1.0') ?? { fence: 0 }
    log.append([aMove({ key: 'k2', hosts: ['h1'], instances: [aUuid(1)], source: { claim: 'k1.0', fence } })])
    expect(log.append([forget('h1', true)])).toEqual([undefined])
    for (const id of ['k1.0', 'k2.0']) expect(log.fleet.ledger.claims.get(id)).toMatchObject({ state: 'REVOKED' })
    expectSound(log)
  })

  test('leaves a tombstone: index and past, but no room, no aggregate, no group, no instance', () => {
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
    ['a status', { type: 'status', ...named('h1'), status: 'DISABLED', reason: '' }],
    ['a sign of life', { type: 'liveness', ...named('h1'), state: 'DOWN', reason: '' }],
    ['where its use comes from', { type: 'usedFrom', ...named('h1'), usedFrom: 'CLAIMS', reason: '' }],
  ])('%s of a forgotten host is void', (_what, change) => {
    const log = hostsOf('h1')
    log.append([forget('h1')])
    expect(log.append([change])).toEqual(['report.unknown_host'])
  })

  test('again, or of a host that never was, is void', () => {
    const log = hostsOf('h1')
    log.append([forget('h1')])
    expect(log.append([forget('h1'), forget('h9')])).toEqual(['leave.not_there', 'leave.not_there'])
  })

  test('of several hosts all leave or none', () => {
    const log = hostsOf('h1', 'h2')
    log.append([claimOn('h2')])
    const both: HostForgotten = { type: 'forget', hosts: [named('h1'), named('h2')], isForced: false, reason: 'scrapped' }
    expect(log.append([both])).toEqual(['leave.has_claims'])
    expect(log.fleet.hosts.presentCount).toBe(2)
    expect(log.append([{ ...both, isForced: true }])).toEqual([undefined])
    expect(log.fleet.hosts.presentCount).toBe(0)
  })

  test('a node leaves its host, whose other nodes stay in the aggregates', () => {
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

test('a host that was readmitted and is not back yet is forgotten again', () => {
  const log = aLog()
  log.append([{ type: 'feature', level: 9 }, aReport('h1')])
  log.append([forget('h1'), readmit('h1')])
  expect(log.append([forget('h1')])).toEqual([undefined])
  expect(log.append([aReport('h1', {}, 2)])).toEqual(['report.host_forgotten'])
  expect(log.append([forget('h1')])).toEqual(['leave.not_there'])
})

describe('readmit', () => {
  // Nova: a deleted compute node whose host comes back with the same uuid
  test('lets reports in again: the host comes back under its index with a full report, and with nothing of the past', () => {
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

  test('what the host sent before it was forgotten stays stale', () => {
    const log = hostsOf('h1')
    const late = aReport('h1', ENOUGH, 3)
    log.append([aReport('h1', ENOUGH, 4)])
    log.append([{ ...aReport('h1', ENOUGH, 1), incarnation: aUuid(99) }])
    log.append([forget('h1'), readmit('h1')])
    expect(log.append([late])).toEqual(['report.stale'])
    expect(log.append([{ ...late, incarnation: aUuid(99), sequence: 1 }])).toEqual(['report.stale'])
    expect(log.append([{ ...late, incarnation: aUuid(99), sequence: 2 }])).toEqual([undefined])
  })

  test('of a host that is there is void', () => {
    const log = hostsOf('h1')
    expect(log.append([readmit('h1'), readmit('h9')])).toEqual(['leave.not_gone', 'leave.not_gone'])
  })

  test('of a former name gives it free for another machine', () => {
    const log = hostsOf('h1')
    log.append([replace('h1', 'h2')])
    expect(log.append([readmit('h1'), aReport('h1', ENOUGH)])).toEqual([undefined, undefined])
    expect([log.fleet.hosts.find(named('h1'))?.index, log.fleet.hosts.find(named('h2'))?.index]).toEqual([1, 0])
    expectSound(log)
  })
})

describe('replace', () => {
  // Nova: rename of a compute host; given as Z05
  test('keeps index, claims, fences, groups and aggregates under the new name, and refuses the old one', () => {
    const log = hostsOf('h1', 'h3')
    const group = { uuid: aUuid(61), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 } as const
    log.append([{ type: 'aggregate', uuid: aUuid(7), expectedVersion: 0, next: { name: 'a', metadata: {}, hosts: ['h1'] } }])
    log.append([{ ...claimOn('h1'), group }])
    const before = log.fleet.ledger.claims.get('k1.0')
    expect(log.append([replace('h1', 'h2')])).toEqual([undefined])
    const { hosts, ledger, aggregates, groups } = log.fleet
    expect(hosts.find(named('h2'))?.index).toBe(0)
    expect(ledger.claims.get('k1.0')).toMatchObject({ host: 0, state: 'CONFIRMED', fence: before?.fence })
    expect([...(groups.find(group.uuid)?.members ?? [])]).toEqual([[0, 1]])
    expect([aggregates.byUuid.get(aUuid(7))?.hosts, hosts.get(0 as never).aggregates]).toEqual([['h2'], [aUuid(7)]])
    expect(log.append([aReport('h1', ENOUGH, 9)])).toEqual(['report.host_replaced'])
    expect(log.append([aReport('h2', { ...ENOUGH, instances: [aUuid(1)] }, 2)])).toEqual([undefined])
    expect(ledger.claims.get('k1.0')).toMatchObject({ state: 'MATERIALISED' })
    expect(log.append([{ ...claimOn('h2', 'k2', aUuid(2)), group }])).toEqual(['claim.group_rule'])
    expectSound(log)
  })

  test('Z05: the agent came up under the new name already; the two hosts become one with the claims of the old and the report of the new', () => {
    const log = hostsOf('h1')
    log.append([claimOn('h1')])
    log.append([{ ...aReport('h2', { ...ENOUGH, vcpus: 16, instances: [aUuid(1)] }, 3), incarnation: aUuid(50) }])
    expect(log.append([replace('h1', 'h2')])).toEqual([undefined])
    const { hosts, ledger } = log.fleet
    expect([hosts.presentCount, hosts.find(named('h2'))?.index]).toEqual([1, 0])
    expect(hosts.get(1 as never)).toMatchObject({ gone: { mergedInto: 0 } })
    expect(ledger.claims.get('k1.0')).toMatchObject({ state: 'MATERIALISED', host: 0 })
    expect(hosts.classes.get('VCPU')?.total[0]).toBe(16)
    // the new agent goes on, and what the old one sent late is stale
    expect(log.append([{ ...aReport('h2', ENOUGH, 4), incarnation: aUuid(50) }])).toEqual([undefined])
    expect(log.append([aReport('h2', ENOUGH, 9)])).toEqual(['report.stale'])
    expectSound(log)
  })

  test('a host that has claims takes no other one in', () => {
    const log = hostsOf('h1', 'h2')
    log.append([claimOn('h2')])
    expect(log.append([replace('h1', 'h2')])).toEqual(['leave.has_claims'])
  })

  test('a forgotten host of the new name gives its name up', () => {
    const log = hostsOf('h1', 'h2')
    log.append([forget('h2'), replace('h1', 'h2')])
    expect(log.fleet.hosts.find(named('h2'))?.index).toBe(0)
    expect(log.append([readmit('h2')])).toEqual(['leave.not_gone'])
    expectSound(log)
  })

  test('chains lead to the last name, and back again', () => {
    const log = hostsOf('h1')
    log.append([replace('h1', 'h2'), replace('h2', 'h3')])
    for (const old of ['h1', 'h2']) expect(log.fleet.hosts.findRenamed(named(old))?.host).toBe('h3')
    expect(log.append([replace('h3', 'h1')])).toEqual([undefined])
    expect(log.fleet.hosts.find(named('h1'))?.index).toBe(0)
    expect(['h1', 'h2', 'h3'].map((name) => log.fleet.hosts.refusesName(named(name)))).toEqual([
      undefined,
      'report.host_replaced',
      'report.host_replaced',
    ])
    expectSound(log)
  })

  test('no other node takes the name of a host that left with all its nodes, until it is readmitted', () => {
    const log = aLog()
    const node = (host: string, name: string): Change => ({ ...aReport(host, ENOUGH), node: name })
    const pair = (host: string, by: string, name: string): Change => ({
      ...replace(host, by),
      hosts: [{ from: { host, node: name }, to: { host: by, node: name } }],
    })
    log.append([{ type: 'feature', level: HOSTS_LEAVE }, node('h1', 'n1'), node('h1', 'n2')])
    log.append([pair('h1', 'h2', 'n1')])
    // one node is left, and the name with it
    expect(log.append([node('h1', 'n3')])).toEqual([undefined])
    log.append([pair('h1', 'h2', 'n2'), pair('h1', 'h2', 'n3')])
    expect(log.append([node('h1', 'n4')])).toEqual(['report.host_replaced'])
    expect(log.append([{ type: 'readmit', host: 'h1', node: 'n1', reason: 'reused' }, node('h1', 'n4'), node('h1', 'n1')])).toEqual([
      undefined,
      'report.host_replaced',
      undefined,
    ])
    expect(log.append([node('h1', 'n4')])).toEqual([undefined])
    for (const name of ['n1', 'n4']) log.append([{ ...forget('h1'), hosts: [{ host: 'h1', node: name }] }])
    expect(log.append([node('h1', 'n5')])).toEqual(['report.host_replaced'])
    log.append([{ ...forget('h2'), hosts: ['n1', 'n2', 'n3'].map((name) => ({ host: 'h2', node: name })) }])
    expect(log.append([node('h2', 'n5')])).toEqual(['report.host_forgotten'])
    expectSound(log)
  })

  test('a former name of another host is taken until it is readmitted', () => {
    const log = hostsOf('h1', 'h3')
    log.append([replace('h1', 'h2')])
    expect(log.append([replace('h3', 'h1')])).toEqual(['leave.name_taken'])
    expect(log.append([readmit('h1'), replace('h3', 'h1')])).toEqual([undefined, undefined])
    expectSound(log)
  })

  test('a name that an aggregate of another zone lists already is refused: no host is in two zones', () => {
    const log = hostsOf('h1', 'h2')
    const zone = (name: string, hosts: string[]): Change => ({
      type: 'aggregate',
      uuid: aUuid(name === 'z1' ? 1 : 2),
      expectedVersion: 0,
      next: { name, hosts, metadata: { availability_zone: name } },
    })
    log.append([zone('z1', ['h1']), zone('z2', ['h3', 'h2'])])
    expect(log.append([replace('h1', 'h3')])).toEqual(['aggregate.zone_conflict'])
    expect(log.append([replace('h2', 'h3')])).toEqual([undefined])
    // the host of that name gives its zone up, and the one that it is keeps its own
    expect(log.append([replace('h1', 'h3')])).toEqual([undefined])
    expect(log.fleet.hosts.find(named('h3'))?.zone).toBe('z1')
    expectSound(log)
  })

  test('hosts of another zone that all go into the replaced one give their zone up together', () => {
    const log = aLog()
    const nodes = (host: string): Change[] => ['n1', 'n2'].map((node) => ({ ...aReport(host, ENOUGH), node }))
    log.append([{ type: 'feature', level: HOSTS_LEAVE }, ...nodes('h1'), ...nodes('h2')])
    for (const [i, host] of ['h1', 'h2'].entries()) {
      const next = { name: host, hosts: [host], metadata: { availability_zone: `z${i + 1}` } }
      log.append([{ type: 'aggregate', uuid: aUuid(i + 1), expectedVersion: 0, next }])
    }
    const pair = (node: string) => ({ from: { host: 'h1', node }, to: { host: 'h2', node } })
    expect(log.append([{ ...replace('h1', 'h2'), hosts: [pair('n1')] }])).toEqual(['aggregate.zone_conflict'])
    expect(log.append([{ ...replace('h1', 'h2'), hosts: ['n1', 'n2'].map(pair) }])).toEqual([undefined])
    expect(log.fleet.hosts.nodesOf('h2').map((index) => log.fleet.hosts.get(index).zone)).toEqual(['z1', 'z1'])
    expect([1, 2].map((i) => log.fleet.aggregates.byUuid.get(aUuid(i))?.hosts)).toEqual([['h2'], []])
    expectSound(log)
  })

  test('no other host becomes a node of a name that was replaced; those that had it go back with all their nodes', () => {
    const log = hostsOf('h1', 'h3')
    log.append([replace('h1', 'h2'), { ...aReport('h2', ENOUGH), node: 'n2' }])
    const to = (from: { host: string; node: string }, node: string) => ({ from, to: { host: 'h1', node } })
    expect(log.append([{ ...replace('h3', 'h1'), hosts: [to(named('h3'), 'n8')] }])).toEqual(['leave.name_taken'])
    const back = [to(named('h2'), 'h1'), to({ host: 'h2', node: 'n2' }, 'n2')]
    expect(log.append([{ ...replace('h2', 'h1'), hosts: back }])).toEqual([undefined])
    expectSound(log)
  })

  test('a name for itself, twice the same, and a host that is not there are void', () => {
    const log = hostsOf('h1', 'h3')
    const both = [...replace('h1', 'h2').hosts, ...replace('h3', 'h2').hosts]
    expect(log.append([replace('h1', 'h1'), { ...replace('h1', 'h2'), hosts: both }, replace('h9', 'h2')])).toEqual([
      'leave.name_taken',
      'leave.name_taken',
      'leave.not_there',
    ])
  })

  test('answers of keys name hosts as they were called then, before and after the key has ended', () => {
    const log = hostsOf('h1')
    log.append([claimOn('h1', 'k1'), claimOn('h1', 'k2', aUuid(2))])
    const release = (id: string): Change => ({
      type: 'release',
      claim: id,
      fence: log.fleet.ledger.claims.get(id)?.fence ?? 0,
      reason: null,
    })
    log.append([release('k1.0')])
    log.append([replace('h1', 'h2')])
    log.append([release('k2.0')])
    log.append([claimOn('h2', 'k3', aUuid(3))])
    log.append([release('k3.0')])
    log.append([replace('h2', 'h3')])
    const answers = ['k1', 'k2', 'k3'].map((key) => log.fleet.ledger.findKey('acme', key)?.answer?.[0]?.selected.host)
    expect(answers).toEqual(['h1', 'h1', 'h2'])
    expectSound(log)
  })

  test('an open move follows, and is confirmed under the new name', () => {
    const log = hostsOf('h1', 'h3')
    log.append([claimOn('h1')])
    const { fence } = log.fleet.ledger.claims.get('k1.0') ?? { fence: 0 }
    log.append([aMove({ key: 'k2', hosts: ['h3'], instances: [aUuid(1)], source: { claim: 'k1.0', fence } })])
    log.append([replace('h3', 'h2')])
    const destination = log.fleet.ledger.claims.get('k2.0')
    expect(log.append([{ type: 'confirm', claim: 'k2.0', fence: destination?.fence ?? 0 }])).toEqual([undefined])
    expect(log.fleet.ledger.claims.get('k1.0')).toMatchObject({ state: 'RELEASED', reason: 'moved' })
    expectSound(log)
  })
})

test('what happened to a host is told: forgotten, readmitted, back, replaced', () => {
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
