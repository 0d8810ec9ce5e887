import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { audit } from '../audit/audit.ts'
import { canonicalJson } from '../canonical-json.ts'
import type { Change, ClaimRef, Grants } from '../fleet/change.ts'
import { type Checkpoint, checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { copyFleet } from '../fleet/copy.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { ENDED_CLAIMS, OWN_UNITS } from '../fleet/levels.ts'
import { publishedSpec } from '../request/versions.ts'
import { aClaim, aLog, aMove, anAttempt, aReport, aRequest, aUuid, someInstances, type TestLog } from '../testing/index.ts'
import { isLive } from './claim.ts'
import { liveClaimsOf, scopeOf } from './instances.ts'
import { grantsFit } from './ledger.ts'

const X = aUuid(1)
const Y = aUuid(2)
const HOUR = 3_600_000
const passing = { classes: { VCPU: 1 } }

/** Three hosts of 4 CPUs in a log of level 8, whose reports list no instances. */
function threeHosts(level = 8): TestLog {
  const log = aLog()
  const shape = { vcpus: 4, memoryMb: 4_096, instances: [] }
  log.append([{ type: 'feature', level }, aReport('h1', shape), aReport('h2', shape), aReport('h3', shape)])
  return log
}

const refOf = ({ fleet }: TestLog, id: string): ClaimRef => ({ claim: id, fence: fleet.ledger.claims.get(id)?.fence ?? Number.NaN })
const stateOf = ({ fleet }: TestLog, id: string) => fleet.ledger.claims.get(id)?.state
const release = (log: TestLog, id: string): Change => ({ type: 'release', ...refOf(log, id), reason: null })
const free = ({ fleet }: TestLog, host: string) => {
  const record = fleet.hosts.find({ host, node: host })
  return record === undefined ? undefined : fleet.hosts.classColumns('VCPU').free[record.index]
}
const stored = (fleet: Fleet): Checkpoint => JSON.parse(canonicalJson(checkpointOf(fleet)))
const findings = (fleet: Fleet) => [...audit(fleet)].flatMap((one) => one.findings)

describe('an instance has one live claim in its project', () => {
  test.each<[string, Change, 'counts' | 'claim.instance_taken' | 'claim.key_used']>([
    ['under another key', someInstances({ key: 'k2', hosts: ['h2'], instances: [X], project: 'p' }), 'claim.instance_taken'],
    ['by another account of the project', someInstances({ key: 'k2', account: 'b', instances: [X], project: 'p' }), 'claim.instance_taken'],
    ['without a project by the same account', someInstances({ key: 'k2', instances: [X] }), 'claim.instance_taken'],
    ['without a project by another account', someInstances({ key: 'k2', account: 'b', instances: [X] }), 'counts'],
    ['in another project', someInstances({ key: 'k2', instances: [X], project: 'q' }), 'counts'],
    ['under its own key', someInstances({ key: 'k1', ids: ['other'], instances: [X], project: 'p' }), 'claim.key_used'],
    ['for another instance', someInstances({ key: 'k2', instances: [Y], project: 'p' }), 'counts'],
    ['without an instance', someInstances({ key: 'k2', project: 'p' }), 'counts'],
    ['as one of several', someInstances({ key: 'k2', hosts: ['h2', 'h3'], instances: [Y, X], project: 'p' }), 'claim.instance_taken'],
    ['to be brought back', { ...someInstances({ key: 'k2', instances: [X], project: 'p' }), intent: 'UNSHELVE' }, 'claim.instance_taken'],
    ['by a type from before the level', { ...aClaim({ key: 'k2', instances: [X] }) }, 'claim.instance_taken'],
  ])('asked again %s', (_name, change, expected) => {
    const log = threeHosts()
    log.append([someInstances({ key: 'k1', instances: [X], project: 'p' })])
    const before = stored(log.fleet)
    expect(log.append([change])).toEqual([expected === 'counts' ? undefined : expected])
    if (expected === 'counts') return
    expect({ ...stored(log.fleet), place: null, places: null }).toEqual({ ...before, place: null, places: null })
  })

  test('named twice in one proposal, it is refused', () => {
    expect(threeHosts().append([someInstances({ hosts: ['h1', 'h2'], instances: [X, X] })])).toEqual(['claim.instance_taken'])
  })

  test('two replicas that decide at once: the first of the log wins, whatever their bases', () => {
    const log = threeHosts()
    const basis = log.fleet.place
    expect(log.append([someInstances({ key: 'a', instances: [X] })], { basis })).toEqual([undefined])
    expect(log.append([someInstances({ key: 'b', hosts: ['h2'], instances: [X] })], { basis })).toEqual(['claim.instance_taken'])
  })

  test.each(['RELEASED', 'REVOKED', 'EXPIRED', 'abandoned'])('once its claim is %s it may have another', (how) => {
    const log = threeHosts()
    log.append([someInstances({ key: 'k1', instances: [X], ttlMs: 100 })])
    const ends: Readonly<Record<string, Change>> = {
      RELEASED: release(log, 'k1.0'),
      REVOKED: { type: 'revoke', claim: 'k1.0', reason: 'test' },
      EXPIRED: { type: 'expire', claim: 'k1.0' },
      abandoned: { type: 'abandon', account: 'acme', key: 'k1' },
    }
    log.append([ends[how] as Change], { at: 2_000 })
    expect(log.append([someInstances({ key: 'k2', instances: [X] })])).toEqual([undefined])
  })

  test('a reservation whose time is over is no claim: it expires with the entry that claims the instance anew', () => {
    const log = threeHosts()
    log.append([someInstances({ key: 'k1', instances: [X], ttlMs: 100 })])
    expect(log.append([someInstances({ key: 'k2', hosts: ['h2'], instances: [X] })], { at: 1_099 })).toEqual(['claim.instance_taken'])
    const ref = refOf(log, 'k1.0')
    expect(log.append([someInstances({ key: 'k2', hosts: ['h2'], instances: [X] })], { at: 1_100 })).toEqual([undefined])
    expect([stateOf(log, 'k1.0'), free(log, 'h1')]).toEqual(['EXPIRED', 4])
    expect(log.append([{ type: 'extend', ...ref, ttlMs: 1_000 }])).toEqual(['claim.lost'])
  })

  test('a move keeps where its instance counts, whoever makes it', () => {
    const log = threeHosts()
    log.append([someInstances({ key: 'k1', instances: [X], mode: 'CONFIRM' })])
    log.append([aMove({ key: 'm', account: 'operators', hosts: ['h2'], instances: [X], mode: 'CONFIRM', source: refOf(log, 'k1.0') })])
    log.append([{ type: 'confirm', ...refOf(log, 'm.0') }])
    expect(stateOf(log, 'k1.0')).toBe('RELEASED')
    expect(log.append([someInstances({ key: 'k2', hosts: ['h3'], instances: [X] })])).toEqual(['claim.instance_taken'])
    const restored = restoreFleet(stored(log.fleet))
    expect(canonicalJson(checkpointOf(restored))).toBe(canonicalJson(checkpointOf(log.fleet)))
    expect(restored.ledger.rivalsOf(X, { account: 'acme', project: null }, restored.now)).toHaveLength(1)
  })
})

describe('before the level, and where it rises', () => {
  test('the same instance twice counts in a log of level 7, and stays as it was', () => {
    const log = threeHosts(7)
    expect(log.append([aClaim({ key: 'a', instances: [X] }), aClaim({ key: 'b', hosts: ['h2'], instances: [X] })])).toEqual([
      undefined,
      undefined,
    ])
    expect(log.append([{ type: 'feature', level: 8 }])).toEqual([undefined])
    expect([stateOf(log, 'a.0'), stateOf(log, 'b.0')]).toEqual(['RESERVED', 'RESERVED'])
    expect(findings(log.fleet).map(({ code, claim }) => [code, claim])).toEqual([['instance.twice', 'b.0']])
    expect(log.append([someInstances({ key: 'c', hosts: ['h3'], instances: [X] })])).toEqual(['claim.instance_taken'])
  })

  test('a claim from before the level counts within its account, whatever project is named now', () => {
    const log = threeHosts(7)
    log.append([aClaim({ key: 'a', instances: [X] })])
    log.append([{ type: 'feature', level: 8 }])
    expect(log.append([someInstances({ key: 'b', instances: [X], project: 'p' })])).toEqual(['claim.instance_taken'])
    expect(log.append([someInstances({ key: 'b', account: 'other', instances: [X], project: 'p' })])).toEqual([undefined])
  })

  test('the entry that raises the level is judged by it, whatever was decided before', () => {
    const log = threeHosts(7)
    const twice = [aClaim({ key: 'a', instances: [X] }), aClaim({ key: 'b', hosts: ['h2'], instances: [X] })]
    expect(log.append([...twice, { type: 'feature', level: 8 }])).toEqual([undefined, 'claim.instance_taken', undefined])
  })

  test('a proposal of the old type that lands later counts for the project of its request', () => {
    const log = threeHosts()
    const claim = aClaim({ key: 'a', instances: [X] })
    const request = publishedSpec(aRequest({ projectId: 'p' }))
    expect(log.append([{ ...claim, decision: { ...claim.decision, request } }])).toEqual([undefined])
    expect(log.fleet.ledger.claims.get('a.0')?.project).toBe('p')
    expect(log.append([someInstances({ key: 'b', account: 'other', instances: [X], project: 'p' })])).toEqual(['claim.instance_taken'])
  })
})

describe('a further attempt', () => {
  /** X has a claim on h1. */
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

  test('opens a move of the claim; the third and the fourth release the one before them', () => {
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

  test('that finds no room leaves the open move as it is', () => {
    const log = tried()
    log.append([attempt(log, 'k2', 'h2', null), someInstances({ key: 'full', hosts: ['h3'], grants: { classes: { VCPU: 4 } } })])
    const before = stored(log.fleet)
    expect(log.append([attempt(log, 'k3', 'h3', 'k2.0')])).toEqual(['claim.no_room'])
    expect({ ...stored(log.fleet), place: null, places: null }).toEqual({ ...before, place: null, places: null })
  })

  test('may take the room of the destination that it releases', () => {
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
  ])('may take the units of the destination that it releases: %s', (_name, first, next) => {
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
    ['of a claim that is not there', (log) => ({ ...attempt(log, 'k3', 'h3', null), source: { claim: 'none', fence: 1 } }), 'claim.lost'],
    ['under a used key', (log) => attempt(log, 'k1', 'h3', null), 'claim.id_taken'],
  ])('%s does not count', (_name, change, code) => {
    const log = tried()
    expect(log.append([change(log)])).toEqual([code === 'claim.id_taken' ? 'claim.key_used' : code])
  })

  test.each([
    [8, 'claim.lost'],
    [9, undefined],
  ])('at level %i: by the account of the instance, after another account moved its claim', (level, verdict) => {
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

  test('that has not seen the attempt before it does not count: two at once do not end each other', () => {
    const log = tried()
    const [a, b] = [attempt(log, 'k2', 'h2', null), attempt(log, 'k3', 'h3', null)]
    expect(log.append([a, b])).toEqual([undefined, 'claim.moving'])
    expect(log.append([{ ...attempt(log, 'k4', 'h3', 'k2.0'), ends: { claim: 'k2.0', fence: 1 } }])).toEqual(['claim.lost'])
  })

  test('keeps the rule of its server group, of which the instance is one member', () => {
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

  test('where its destination is listed already releases it, and its room stays taken until a report drops it', () => {
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
  ])('at level %i: a destination whose host listed the instance before the claim was made frees nothing when it is released', (...row) => {
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

describe('a further attempt on the host that lists the instance', () => {
  /** The move to h2 is open, and h2, which is full, lists the instance by a report from before the claim. */
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

  test('what the one before it goes on to hold is no room for it', () => {
    const log = listed(ENDED_CLAIMS, 0)
    expect(log.append([attempt(log, 'k3', 'h2', 'k2.0')])).toEqual(['claim.no_room'])
    expect([free(log, 'h2'), findings(log.fleet)]).toEqual([0, []])
    // before, the host was promised more than it has
    const older = listed(ENDED_CLAIMS - 1, 0)
    expect(older.append([attempt(older, 'k3', 'h2', 'k2.0')])).toEqual([undefined])
    expect(free(older, 'h2')).toBe(-1)
  })

  test('where the report counts the instance, it gets the room of the one before it', () => {
    const log = listed(ENDED_CLAIMS, 1)
    expect(log.append([attempt(log, 'k3', 'h2', 'k2.0')])).toEqual([undefined])
    expect([free(log, 'h2'), findings(log.fleet)]).toEqual([0, []])
  })

  test('once a report counts the new claim, the ended one of the same instance holds nothing', () => {
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

describe('Z19 and what Placement and Nova test about consumers', () => {
  test('Z19, F9: the same instance by CREATE under two keys holds room once', () => {
    const log = threeHosts()
    const create = (key: string, host: string) =>
      someInstances({ key, hosts: [host], instances: [X], mode: 'CONFIRM', grants: { classes: { VCPU: 4, MEMORY_MB: 64 } } })
    expect(log.append([create('f9-1', 'h1')])).toEqual([undefined])
    expect(log.append([create('f9-2', 'h2')])).toEqual(['claim.instance_taken'])
    expect(free(log, 'h2')).toBe(4)
  })

  test('allocations-1.28 "new version no gen existing": allocations of a consumer that is taken to be new are refused', () => {
    const log = threeHosts()
    log.append([someInstances({ key: 'a', instances: [X], project: 'p' })])
    expect(log.append([someInstances({ key: 'b', instances: [X], project: 'p' })])).toEqual(['claim.instance_taken'])
  })

  test('allocations-1.28 "empty allocations dict now possible": a consumer that gave everything back is new again', () => {
    const log = threeHosts()
    log.append([someInstances({ key: 'a', instances: [X], project: 'p' })])
    log.append([release(log, 'a.0')])
    expect(log.append([someInstances({ key: 'b', hosts: ['h2'], instances: [X], project: 'p' })])).toEqual([undefined])
  })

  test('allocations-1.28 "put that allocation to new consumer": room on host and shared disk is one claim of one consumer', () => {
    const log = threeHosts()
    const grants = { classes: { VCPU: 1, DISK_GB: 2 }, pools: { [aUuid(77)]: 2 } }
    // the pool is not told: whether it fits is another rule, that the two parts are one claim is this one
    const verdict = log.append([{ type: 'feature', level: 8 }, someInstances({ key: 'a', instances: [X], grants })])
    expect(verdict).not.toContain('claim.instance_taken')
  })

  test('test_claim_resources_success_resize_to_same_host_no_shared: a resize on its own host is the same instance, once', () => {
    const log = threeHosts()
    log.append([someInstances({ key: 'a', instances: [X], mode: 'CONFIRM', grants: passing })])
    const resize = aMove({ key: 'r', intent: 'RESIZE', instances: [X], grants: { classes: { VCPU: 2 } }, source: refOf(log, 'a.0') })
    expect(log.append([resize])).toEqual([undefined])
    expect(findings(log.fleet)).toEqual([])
    expect(log.append([someInstances({ key: 'b', hosts: ['h2'], instances: [X] })])).toEqual(['claim.instance_taken'])
  })

  test('reshaper "one consumer, many providers": a claim for several instances is refused whole where one of them is taken', () => {
    const log = threeHosts()
    log.append([someInstances({ key: 'a', instances: [Y] })])
    expect(log.append([someInstances({ key: 'b', hosts: ['h2', 'h3'], instances: [X, Y] })])).toEqual(['claim.instance_taken'])
    expect([free(log, 'h2'), free(log, 'h3')]).toEqual([4, 4])
  })
})

describe('limits of idempotency keys', () => {
  const limits = (expectedVersion: number, cap: number, afterlifeMs: number): Change => ({
    type: 'key-limits',
    expectedVersion,
    cap,
    afterlifeMs,
  })

  test('keys of live claims do not count against the cap; ended ones do, and forgetting makes room', () => {
    const log = threeHosts()
    expect(log.append([limits(0, 2, 1_000), limits(0, 5, 5)])).toEqual([undefined, 'claim.key_limits'])
    const claims = ['a', 'b', 'c'].map((key) => someInstances({ key, grants: passing }))
    expect(log.append(claims)).toEqual([undefined, undefined, undefined])
    log.append([release(log, 'a.0'), release(log, 'b.0')])
    expect(log.fleet.ledger.endedKeyCount).toBe(2)
    const next = someInstances({ key: 'd', grants: passing })
    const move = aMove({ key: 'm', hosts: ['h2'], grants: passing, source: refOf(log, 'c.0') })
    const abandon: Change = { type: 'abandon', account: 'acme', key: 'never used' }
    expect(log.append([next, move, abandon, aClaim({ key: 'e' })])).toEqual(Array(4).fill('claim.key_cap'))
    expect(log.append([next], { at: 2_000 })).toEqual(['claim.key_cap'])
    expect(log.append([next, move], { at: 2_000 })).toEqual([undefined, undefined])
  })

  test('another afterlife holds for the keys that have ended already', () => {
    const log = threeHosts()
    log.append([someInstances({ key: 'a' }), someInstances({ key: 'b', hosts: ['h2'] })])
    log.append([release(log, 'a.0')])
    log.append([release(log, 'b.0')], { at: 5_000 })
    log.append([limits(0, 10, 10_000)])
    log.append([], { at: 11_000 })
    expect([...log.fleet.ledger.keys()].map(({ key, forgottenAt }) => [key, forgottenAt])).toEqual([['b', 15_000]])
    const restored = restoreFleet(stored(log.fleet))
    expect(restored.ledger.keyLimits).toEqual({ cap: 10, afterlifeMs: 10_000, version: 1 })
    expect(restored.ledger.endedKeyCount).toBe(1)
    log.append([limits(1, 10, 2 * HOUR)])
    expect(log.fleet.ledger.findKey('acme', 'b')?.forgottenAt).toBe(5_000 + 2 * HOUR)
  })
})

/** Small numbers that become changes about two instances, so that most histories have something to refuse. */
const acts = fc.array(
  fc.record({ what: fc.nat({ max: 9 }), a: fc.nat({ max: 11 }), b: fc.nat({ max: 11 }), elapsedMs: fc.constantFrom(0, 10, 60, 600) }),
  { minLength: 5, maxLength: 40 },
)

test('whatever is proposed: one live claim for each instance in its scope, whole sums, and copies and restored fleets that agree', () => {
  fc.assert(
    fc.property(acts, (steps) => {
      const log = threeHosts()
      for (const [i, { what, a, b, elapsedMs }] of steps.entries()) {
        const live = [...log.fleet.ledger.claims.values()].filter(isLive)
        const one = live[a % Math.max(1, live.length)]
        const shape = {
          ...{ key: `k${i}`, account: `acc${a % 2}`, hosts: [`h${1 + (b % 3)}`], instances: [aUuid(a % 3)], grants: passing },
          ...{ project: [null, 'p', 'q'][b % 3] ?? null, mode: b % 4 === 0 ? ('CONFIRM' as const) : ('RESERVE' as const), ttlMs: 50 },
        }
        const ref = one === undefined ? { claim: 'none', fence: 0 } : refOf(log, one.id)
        const source = one?.source == null ? one : log.fleet.ledger.claims.get(one.source)
        const further = {
          ...shape,
          ...{ account: source?.account ?? '', instances: [source?.instance ?? null], project: source?.project ?? null },
          ...{
            source: source === undefined ? ref : refOf(log, source.id),
            ends: source?.target == null ? null : refOf(log, source.target),
          },
        }
        const changes: Change[] = [
          someInstances(shape),
          someInstances(shape),
          someInstances({ ...shape, hosts: [...shape.hosts, 'h1'], instances: [aUuid(a % 3), aUuid(b % 3)] }),
          aClaim(shape),
          anAttempt(further),
          anAttempt(further),
          aMove({ ...shape, instances: [one?.instance ?? null], source: ref }),
          { type: 'confirm', ...ref },
          { type: 'release', ...ref, reason: null },
          { type: 'expire', claim: ref.claim },
        ]
        const copy = copyFleet(log.fleet)
        const before = canonicalJson(checkpointOf(copy))
        const verdicts = log.append([changes[what] as Change], { at: log.fleet.now + elapsedMs })
        expect(canonicalJson(checkpointOf(copy))).toBe(before)
        expect(copy.apply(log.entries.at(-1) as (typeof log.entries)[number])).toEqual(verdicts)
        expect(canonicalJson(checkpointOf(copy))).toBe(canonicalJson(checkpointOf(log.fleet)))
      }
      const { fleet } = log
      expect(findings(fleet).filter(({ code }) => code !== 'instance.elsewhere')).toEqual([])
      for (const instance of [0, 1, 2].map(aUuid)) {
        const claims = liveClaimsOf(fleet.ledger.claimsFor(instance))
        for (const { claim } of claims) expect(fleet.ledger.liveClaimsIn(instance, scopeOf(claim))).toHaveLength(1)
      }
      for (const record of fleet.hosts.records) expect(grantsFit(fleet.hosts, record, {})).toBe(true)
      expect(canonicalJson(checkpointOf(restoreFleet(stored(fleet))))).toBe(canonicalJson(checkpointOf(fleet)))
    }),
    { seed: 30, numRuns: byExtent(40, 150) },
  )
})
