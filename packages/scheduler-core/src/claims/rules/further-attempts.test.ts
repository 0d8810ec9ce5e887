import { describe, expect, test } from 'vitest'
import type { Change, Grants } from '../../records/change.ts'
import { aMove, anAttempt, aReport, aUuid, someInstances, type TestLog } from '../../testing/index.ts'
import { ENDED_CLAIMS, OWN_UNITS } from '../../values/levels.ts'
import { findings, free, passing, refOf, release, stateOf, stored, threeHosts, X, Y } from '../testing/three-hosts.ts'

describe('a further attempt to move an instance', () => {
  /** A log in which the instance X has a claim on h1. */
  function tried(): TestLog {
    const log = threeHosts()
    log.append([someInstances({ key: 'k1', instances: [X], project: 'p', grants: passing })])
    return log
  }
  const attempt = (log: TestLog, key: string, host: string, ends: string | null) =>
    anAttempt({
      ...{ key, hosts: [host], instances: [X], project: 'p', grants: passing, source: refOf(log, 'k1.0') },
      ends: ends === null ? null : refOf(log, ends),
    })

  test('a second attempt opens a move of the claim, and each later attempt releases the destination of the attempt before', () => {
    const log = tried()
    expect(log.append([attempt(log, 'k2', 'h2', null)])).toEqual([undefined])
    expect([free(log, 'h1'), free(log, 'h2')]).toEqual([3, 3])
    expect(log.append([attempt(log, 'k3', 'h3', 'k2.0')])).toEqual([undefined])
    expect([stateOf(log, 'k2.0'), free(log, 'h2'), free(log, 'h3')]).toEqual(['RELEASED', 4, 3])
    expect(log.append([attempt(log, 'k4', 'h2', 'k3.0')])).toEqual([undefined])
    expect(log.fleet.ledger.claims.get('k4.0')).toMatchObject({ source: 'k1.0', project: 'p', state: 'RESERVED' })
    expect(findings(log.fleet)).toEqual([])
    log.append([{ type: 'confirm', ...refOf(log, 'k4.0') }])
    expect(['k1.0', 'k2.0', 'k3.0', 'k4.0'].map((id) => stateOf(log, id))).toEqual(['RELEASED', 'RELEASED', 'RELEASED', 'CONFIRMED'])
  })

  test('a further attempt that does not fit on its host leaves the open move unchanged', () => {
    const log = tried()
    log.append([attempt(log, 'k2', 'h2', null), someInstances({ key: 'full', hosts: ['h3'], grants: { classes: { VCPU: 4 } } })])
    const before = stored(log.fleet)
    expect(log.append([attempt(log, 'k3', 'h3', 'k2.0')])).toEqual(['claim.no_room'])
    expect({ ...stored(log.fleet), place: null, places: null }).toEqual({ ...before, place: null, places: null })
  })

  test('a further attempt may use the resources of the destination that it releases', () => {
    const log = tried()
    log.append([
      {
        ...attempt(log, 'k2', 'h2', null),
        parts: [{ claim: 'k2.0', instance: X, host: 'h2', node: 'h2', grants: { classes: { VCPU: 4 } } }],
      },
    ])
    expect(log.append([attempt(log, 'k3', 'h2', 'k2.0')])).toEqual([undefined])
    expect(free(log, 'h2')).toBe(3)
  })

  test.each<[string, Grants, Grants]>([
    ['amounts after amounts and a GPU', { classes: { VCPU: 3 }, gpu: [{ index: 0, milli: 1_000 }] }, { classes: { VCPU: 2 } }],
    [
      'the same GPU',
      { classes: { VCPU: 3 }, gpu: [{ index: 0, milli: 1_000 }] },
      { classes: { VCPU: 1 }, gpu: [{ index: 0, milli: 500 }] },
    ],
    ['a GPU after amounts', { classes: { VCPU: 4 } }, { classes: { VCPU: 1 }, gpu: [{ index: 0, milli: 1_000 }] }],
  ])('a further attempt may use the units of the destination that it releases: %s', (_name, first, next) => {
    for (const [level, verdict] of [
      [OWN_UNITS, undefined],
      [OWN_UNITS - 1, 'claim.no_room'],
    ] as const) {
      const log = threeHosts(level)
      log.append([aReport('h2', { vcpus: 4, memoryMb: 4_096, instances: [], gpus: [{ index: 0, model: null, usedMilli: 0 }] }, 2)])
      log.append([someInstances({ key: 'k1', instances: [X], project: 'p', grants: passing })])
      const on = (claim: string, grants: Grants) => [{ claim, instance: X, host: 'h2', node: 'h2', grants }]
      expect(log.append([{ ...attempt(log, 'k2', 'h2', null), parts: on('k2.0', first) }])).toEqual([undefined])
      const before = stored(log.fleet)
      expect(log.append([{ ...attempt(log, 'k3', 'h2', 'k2.0'), parts: on('k3.0', next) }])).toEqual([verdict])
      expect(findings(log.fleet)).toEqual([])
      if (verdict !== undefined)
        expect({ ...stored(log.fleet), place: null, places: null }).toEqual({ ...before, place: null, places: null })
      else expect([stateOf(log, 'k2.0'), free(log, 'h2')]).toEqual(['RELEASED', 4 - (next.classes?.VCPU ?? 0)])
    }
  })

  test.each<[string, (log: TestLog) => Change, string]>([
    ['of another account', (log) => ({ ...attempt(log, 'k3', 'h3', null), account: 'b' }), 'claim.lost'],
    ['with an old fence', (log) => ({ ...attempt(log, 'k3', 'h3', null), source: { claim: 'k1.0', fence: 1 } }), 'claim.lost'],
    [
      'for another instance',
      (log) => ({ ...attempt(log, 'k3', 'h3', null), parts: someInstances({ key: 'k3', instances: [Y] }).parts }),
      'claim.lost',
    ],
    ['in another project', (log) => ({ ...attempt(log, 'k3', 'h3', null), project: 'q' }), 'claim.lost'],
    ['of an unknown claim', (log) => ({ ...attempt(log, 'k3', 'h3', null), source: { claim: 'none', fence: 1 } }), 'claim.lost'],
    ['under a used key', (log) => attempt(log, 'k1', 'h3', null), 'claim.id_taken'],
  ])('a further attempt %s is void', (_name, change, code) => {
    const log = tried()
    expect(log.append([change(log)])).toEqual([code === 'claim.id_taken' ? 'claim.key_used' : code])
  })

  test.each([
    [8, 'claim.lost'],
    [9, undefined],
  ])('at level %i: an attempt by the account of the instance after another account moved its claim', (level, verdict) => {
    const log = threeHosts(level)
    log.append([someInstances({ key: 'k1', instances: [X], project: 'p', grants: passing })])
    log.append([aMove({ key: 'm', account: 'operator', hosts: ['h2'], instances: [X], grants: passing, source: refOf(log, 'k1.0') })])
    log.append([{ type: 'confirm', ...refOf(log, 'm.0') }])
    const next = (key: string, host: string) => ({ ...attempt(log, key, host, null), source: refOf(log, 'm.0') })
    expect(log.append([{ ...next('stranger', 'h3'), account: 'stranger' }])).toEqual(['claim.lost'])
    expect(log.append([next('k2', 'h3')])).toEqual([verdict])
    if (verdict !== undefined) return
    expect(log.append([{ ...next('k3', 'h1'), ends: refOf(log, 'k2.0') }])).toEqual([undefined])
    expect(log.fleet.ledger.claims.get('k3.0')).toMatchObject({ source: 'm.0', project: 'p', instanceAccount: null })
    expect(findings(log.fleet)).toEqual([])
  })

  test('an attempt that was decided before another attempt opened a move is void, so that concurrent attempts do not end each other', () => {
    const log = tried()
    const [a, b] = [attempt(log, 'k2', 'h2', null), attempt(log, 'k3', 'h3', null)]
    expect(log.append([a, b])).toEqual([undefined, 'claim.moving'])
    expect(log.append([{ ...attempt(log, 'k4', 'h3', 'k2.0'), ends: { claim: 'k2.0', fence: 1 } }])).toEqual(['claim.lost'])
  })

  test('a further attempt must satisfy the policy of its server group, in which the instance counts once', () => {
    const log = threeHosts()
    const group = { uuid: aUuid(9), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 } as const
    log.append([
      someInstances({ key: 'k1', instances: [X], project: 'p', group }),
      someInstances({ key: 'o', hosts: ['h3'], instances: [Y], project: 'p', group }),
    ])
    expect(log.append([{ ...attempt(log, 'k2', 'h3', null), group }])).toEqual(['claim.group_rule'])
    expect(log.append([{ ...attempt(log, 'k2', 'h2', null), group: null }])).toEqual(['claim.group_mismatch'])
    expect(log.append([{ ...attempt(log, 'k2', 'h2', null), group }])).toEqual([undefined])
    expect(log.append([{ ...attempt(log, 'k3', 'h2', 'k2.0'), group }])).toEqual([undefined])
    expect([...(log.fleet.groups.find(group.uuid)?.members ?? [])].map(([, count]) => count)).toEqual([1, 1, 1])
  })

  test('if the former destination lists the instance, its resources stay held until a report no longer lists the instance', () => {
    const log = tried()
    log.append([attempt(log, 'k2', 'h2', null)])
    log.append([aReport('h2', { vcpus: 4, memoryMb: 4_096, instances: [X] }, 2)])
    expect(log.append([attempt(log, 'k3', 'h3', 'k2.0')])).toEqual([undefined])
    expect(findings(log.fleet)).toEqual([])
    expect([...log.fleet.hosts.records].map(({ claims }) => claims.size)).toEqual([1, 1, 1])
  })

  test.each([
    [8, undefined, -1],
    [9, 'claim.no_room', 0],
  ])('at level %i: releasing a destination whose host listed the instance before the claim', (...row) => {
    const [level, verdict, left] = row
    const log = threeHosts(level)
    log.append([someInstances({ key: 'k1', instances: [X], project: 'p', grants: passing })])
    log.append([aReport('h2', { vcpus: 4, memoryMb: 4_096, instances: [X] }, 2)])
    const four = { claim: 'k2.0', instance: X, host: 'h2', node: 'h2', grants: { classes: { VCPU: 4 } } }
    expect(log.append([{ ...attempt(log, 'k2', 'h2', null), parts: [four] }])).toEqual([undefined])
    expect([stateOf(log, 'k2.0'), free(log, 'h2')]).toEqual(['RESERVED', 0])
    expect(log.append([attempt(log, 'k3', 'h2', 'k2.0')])).toEqual([verdict])
    expect(free(log, 'h2')).toBe(left)
    expect(log.append([attempt(log, 'k4', 'h3', verdict === undefined ? 'k3.0' : 'k2.0')])).toEqual([undefined])
  })
})

describe('a further attempt on the host of the former destination, which lists the instance', () => {
  /** A log in which a move to h2 is open and uses all capacity of h2. h2 listed the instance before the move. */
  function listed(level: number, vcpusUsed: number): TestLog {
    const log = threeHosts(level)
    const one = { project: 'p', mode: 'CONFIRM' } as const
    log.append([someInstances({ ...one, key: 'k1', hosts: ['h1'], instances: [X], grants: passing })])
    log.append([aReport('h2', { vcpus: 4, memoryMb: 4_096, vcpusUsed, instances: [X] }, 2)])
    log.append([someInstances({ ...one, key: 'full', hosts: ['h2'], instances: [Y], grants: { classes: { VCPU: 3 - vcpusUsed } } })])
    expect(log.append([attempt(log, 'k2', 'h2', null)])).toEqual([undefined])
    expect(free(log, 'h2')).toBe(0)
    return log
  }
  const attempt = (log: TestLog, key: string, host: string, ends: string | null): Change =>
    anAttempt({
      ...{ key, hosts: [host], instances: [X], project: 'p', grants: passing },
      source: refOf(log, 'k1.0'),
      ends: ends === null ? null : refOf(log, ends),
    })

  test('a further attempt is void if it needs resources that the former destination still holds', () => {
    const log = listed(ENDED_CLAIMS, 0)
    expect(log.append([attempt(log, 'k3', 'h2', 'k2.0')])).toEqual(['claim.no_room'])
    expect([free(log, 'h2'), findings(log.fleet)]).toEqual([0, []])
    // below feature level ENDED_CLAIMS, the attempt is valid and the host is allocated beyond its capacity
    const older = listed(ENDED_CLAIMS - 1, 0)
    expect(older.append([attempt(older, 'k3', 'h2', 'k2.0')])).toEqual([undefined])
    expect(free(older, 'h2')).toBe(-1)
  })

  test('a further attempt gets the resources of the former destination if the report counts the instance', () => {
    const log = listed(ENDED_CLAIMS, 1)
    expect(log.append([attempt(log, 'k3', 'h2', 'k2.0')])).toEqual([undefined])
    expect([free(log, 'h2'), findings(log.fleet)]).toEqual([0, []])
  })

  test('after a report counts the new claim, the ended claim of the instance holds nothing', () => {
    for (const [level, left] of [
      [ENDED_CLAIMS, 3],
      [ENDED_CLAIMS - 1, 2],
    ] as const) {
      const log = threeHosts(level)
      const shape = { vcpus: 4, memoryMb: 4_096, vcpusUsed: 1, instances: [X] }
      log.append([someInstances({ key: 'k1', hosts: ['h1'], instances: [X], project: 'p', grants: passing })])
      log.append([aReport('h1', shape, 2)])
      log.append([release(log, 'k1.0')])
      log.append([someInstances({ key: 'k2', hosts: ['h1'], instances: [X], project: 'p', grants: passing })])
      log.append([aReport('h1', shape, 3)])
      expect([stateOf(log, 'k2.0'), free(log, 'h1'), findings(log.fleet)]).toEqual(['MATERIALISED', left, []])
    }
  })
})
