import { describe, expect, test } from 'vitest'
import type { Change } from '../records/change.ts'
import { aLog, aMove, aReport, aUuid } from '../testing/index.ts'
import { HOSTS_LEAVE } from '../values/levels.ts'
import { claimOn, ENOUGH, expectSound, forget, hostsOf, named, readmit, replace } from './testing/leaving.ts'

describe('replacing a host', () => {
  // taken from Nova's tests of a renamed compute host
  test('a replaced host keeps index, claims, fences, groups and aggregates under the new name, and refuses reports under the old name', () => {
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

  test('Z05: if a host already reports under the new name, the replaced host keeps its claims and gets the report of that host', () => {
    const log = hostsOf('h1')
    log.append([claimOn('h1')])
    log.append([{ ...aReport('h2', { ...ENOUGH, vcpus: 16, instances: [aUuid(1)] }, 3), incarnation: aUuid(50) }])
    expect(log.append([replace('h1', 'h2')])).toEqual([undefined])
    const { hosts, ledger } = log.fleet
    expect([hosts.presentCount, hosts.find(named('h2'))?.index]).toEqual([1, 0])
    expect(hosts.get(1 as never)).toMatchObject({ gone: { mergedInto: 0 } })
    expect(ledger.claims.get('k1.0')).toMatchObject({ state: 'MATERIALISED', host: 0 })
    expect(hosts.classes.get('VCPU')?.total[0]).toBe(16)
    // the new agent continues to report, and late reports of the old agent are stale
    expect(log.append([{ ...aReport('h2', ENOUGH, 4), incarnation: aUuid(50) }])).toEqual([undefined])
    expect(log.append([aReport('h2', ENOUGH, 9)])).toEqual(['report.stale'])
    expectSound(log)
  })

  test('a host with claims cannot be merged into a replaced host', () => {
    const log = hostsOf('h1', 'h2')
    log.append([claimOn('h2')])
    expect(log.append([replace('h1', 'h2')])).toEqual(['leave.has_claims'])
  })

  test('the new name can be the name of a forgotten host', () => {
    const log = hostsOf('h1', 'h2')
    log.append([forget('h2'), replace('h1', 'h2')])
    expect(log.fleet.hosts.find(named('h2'))?.index).toBe(0)
    expect(log.append([readmit('h2')])).toEqual(['leave.not_gone'])
    expectSound(log)
  })

  test('after several replacements all former names lead to the last name, and a host can get a former name back', () => {
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

  test('after all nodes of a host name were replaced or forgotten, no new node can use the host name until it is readmitted', () => {
    const log = aLog()
    const node = (host: string, name: string): Change => ({ ...aReport(host, ENOUGH), node: name })
    const pair = (host: string, by: string, name: string): Change => ({
      ...replace(host, by),
      hosts: [{ from: { host, node: name }, to: { host: by, node: name } }],
    })
    log.append([{ type: 'feature', level: HOSTS_LEAVE }, node('h1', 'n1'), node('h1', 'n2')])
    log.append([pair('h1', 'h2', 'n1')])
    // another node still has the host name h1, so a new node can use this host name
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

  test('no host can report under a former name of another host until the name is readmitted', () => {
    const log = hostsOf('h1', 'h3')
    log.append([replace('h1', 'h2')])
    expect(log.append([replace('h3', 'h1')])).toEqual(['leave.name_taken'])
    expect(log.append([readmit('h1'), replace('h3', 'h1')])).toEqual([undefined, undefined])
    expectSound(log)
  })

  test('a new name that an aggregate of another zone lists is refused, because a host cannot be in two zones', () => {
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
    // h3 is merged and leaves zone z2, so the replaced host h1 stays in zone z1
    expect(log.append([replace('h1', 'h3')])).toEqual([undefined])
    expect(log.fleet.hosts.find(named('h3'))?.zone).toBe('z1')
    expectSound(log)
  })

  test('nodes of a host in another zone can be merged only all at once, and they leave their zone', () => {
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

  test('another host cannot get a node name under a former host name, and the nodes that had the host name can get it back together', () => {
    const log = hostsOf('h1', 'h3')
    log.append([replace('h1', 'h2'), { ...aReport('h2', ENOUGH), node: 'n2' }])
    const to = (from: { host: string; node: string }, node: string) => ({ from, to: { host: 'h1', node } })
    expect(log.append([{ ...replace('h3', 'h1'), hosts: [to(named('h3'), 'n8')] }])).toEqual(['leave.name_taken'])
    const back = [to(named('h2'), 'h1'), to({ host: 'h2', node: 'n2' }, 'n2')]
    expect(log.append([{ ...replace('h2', 'h1'), hosts: back }])).toEqual([undefined])
    expectSound(log)
  })

  test("a replacement is void if the new name is the host's own name or is used twice, or if the host is unknown", () => {
    const log = hostsOf('h1', 'h3')
    const both = [...replace('h1', 'h2').hosts, ...replace('h3', 'h2').hosts]
    expect(log.append([replace('h1', 'h1'), { ...replace('h1', 'h2'), hosts: both }, replace('h9', 'h2')])).toEqual([
      'leave.name_taken',
      'leave.name_taken',
      'leave.not_there',
    ])
  })

  test('the answer of a key has the host name at the time of the answer, before and after the key ends', () => {
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

  test('an open move to a replaced host can be confirmed after the replacement', () => {
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
