import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { copyFleet } from '../fleet/copy.ts'
import type { Change } from '../records/change.ts'
import { isLive } from '../records/claim.ts'
import { publishedSpec } from '../request/versions.ts'
import { aClaim, aMove, anAttempt, aRequest, aUuid, someInstances } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { grantsFit } from './held-amounts.ts'
import { liveClaimsOf, scopeOf } from './instances.ts'
import { findings, free, HOUR, passing, refOf, release, stateOf, stored, threeHosts, X, Y } from './testing/three-hosts.ts'

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
    ['to be unshelved', { ...someInstances({ key: 'k2', instances: [X], project: 'p' }), intent: 'UNSHELVE' }, 'claim.instance_taken'],
    ['by a type of proposal from before level 8', { ...aClaim({ key: 'k2', instances: [X] }) }, 'claim.instance_taken'],
  ])('a second claim for an instance %s', (_name, change, expected) => {
    const log = threeHosts()
    log.append([someInstances({ key: 'k1', instances: [X], project: 'p' })])
    const before = stored(log.fleet)
    expect(log.append([change])).toEqual([expected === 'counts' ? undefined : expected])
    if (expected === 'counts') return
    expect({ ...stored(log.fleet), place: null, places: null }).toEqual({ ...before, place: null, places: null })
  })

  test('an instance named twice in one proposal is refused', () => {
    expect(threeHosts().append([someInstances({ hosts: ['h1', 'h2'], instances: [X, X] })])).toEqual(['claim.instance_taken'])
  })

  test('of two proposals decided on the same basis, the one that is first in the log counts', () => {
    const log = threeHosts()
    const basis = log.fleet.place
    expect(log.append([someInstances({ key: 'a', instances: [X] })], { basis })).toEqual([undefined])
    expect(log.append([someInstances({ key: 'b', hosts: ['h2'], instances: [X] })], { basis })).toEqual(['claim.instance_taken'])
  })

  test.each(['RELEASED', 'REVOKED', 'EXPIRED', 'abandoned'])('once its claim is %s, the instance may have another claim', (how) => {
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

  test('an overdue reservation does not exclude a new claim of its instance, and expires with the entry that makes the new claim', () => {
    const log = threeHosts()
    log.append([someInstances({ key: 'k1', instances: [X], ttlMs: 100 })])
    expect(log.append([someInstances({ key: 'k2', hosts: ['h2'], instances: [X] })], { at: 1_099 })).toEqual(['claim.instance_taken'])
    const ref = refOf(log, 'k1.0')
    expect(log.append([someInstances({ key: 'k2', hosts: ['h2'], instances: [X] })], { at: 1_100 })).toEqual([undefined])
    expect([stateOf(log, 'k1.0'), free(log, 'h1')]).toEqual(['EXPIRED', 4])
    expect(log.append([{ type: 'extend', ...ref, ttlMs: 1_000 }])).toEqual(['claim.lost'])
  })

  test('a move by another account keeps the scope of its instance', () => {
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

describe('one live claim per instance, before level 8 and at the entry that raises the level', () => {
  test('a second claim of an instance counts at level 7, and stays after the level is raised', () => {
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

  test('a claim from before level 8 excludes claims by its account under any project', () => {
    const log = threeHosts(7)
    log.append([aClaim({ key: 'a', instances: [X] })])
    log.append([{ type: 'feature', level: 8 }])
    expect(log.append([someInstances({ key: 'b', instances: [X], project: 'p' })])).toEqual(['claim.instance_taken'])
    expect(log.append([someInstances({ key: 'b', account: 'other', instances: [X], project: 'p' })])).toEqual([undefined])
  })

  test('the entry that raises the level is judged by the rules of the new level', () => {
    const log = threeHosts(7)
    const twice = [aClaim({ key: 'a', instances: [X] }), aClaim({ key: 'b', hosts: ['h2'], instances: [X] })]
    expect(log.append([...twice, { type: 'feature', level: 8 }])).toEqual([undefined, 'claim.instance_taken', undefined])
  })

  test('a proposal of the old type after level 8 is judged within the project of its request', () => {
    const log = threeHosts()
    const claim = aClaim({ key: 'a', instances: [X] })
    const request = publishedSpec(aRequest({ projectId: 'p' }))
    expect(log.append([{ ...claim, decision: { ...claim.decision, request } }])).toEqual([undefined])
    expect(log.fleet.ledger.claims.get('a.0')?.project).toBe('p')
    expect(log.append([someInstances({ key: 'b', account: 'other', instances: [X], project: 'p' })])).toEqual(['claim.instance_taken'])
  })
})

describe('several claims for one instance, in situations from the tests of Placement and Nova', () => {
  test('Z19, F9: an instance that is created under two keys gets only one claim', () => {
    const log = threeHosts()
    const create = (key: string, host: string) =>
      someInstances({ key, hosts: [host], instances: [X], mode: 'CONFIRM', grants: { classes: { VCPU: 4, MEMORY_MB: 64 } } })
    expect(log.append([create('f9-1', 'h1')])).toEqual([undefined])
    expect(log.append([create('f9-2', 'h2')])).toEqual(['claim.instance_taken'])
    expect(free(log, 'h2')).toBe(4)
  })

  test('allocations-1.28 "new version no gen existing": a second claim for an instance with a live claim is refused', () => {
    const log = threeHosts()
    log.append([someInstances({ key: 'a', instances: [X], project: 'p' })])
    expect(log.append([someInstances({ key: 'b', instances: [X], project: 'p' })])).toEqual(['claim.instance_taken'])
  })

  test('allocations-1.28 "empty allocations dict now possible": after its claim is released, an instance can be claimed like a new one', () => {
    const log = threeHosts()
    log.append([someInstances({ key: 'a', instances: [X], project: 'p' })])
    log.append([release(log, 'a.0')])
    expect(log.append([someInstances({ key: 'b', hosts: ['h2'], instances: [X], project: 'p' })])).toEqual([undefined])
  })

  test('allocations-1.28 "put that allocation to new consumer": resources of a host and of a shared disk pool are one claim', () => {
    const log = threeHosts()
    const grants = { classes: { VCPU: 1, DISK_GB: 2 }, pools: { [aUuid(77)]: 2 } }
    // The pool is not reported. The claim can therefore be refused for lack of capacity. This test only checks that the grants on the host
    // and in the pool are not refused as two claims for the instance.
    const verdict = log.append([{ type: 'feature', level: 8 }, someInstances({ key: 'a', instances: [X], grants })])
    expect(verdict).not.toContain('claim.instance_taken')
  })

  test('test_claim_resources_success_resize_to_same_host_no_shared: a resize on its own host counts as the same instance', () => {
    const log = threeHosts()
    log.append([someInstances({ key: 'a', instances: [X], mode: 'CONFIRM', grants: passing })])
    const resize = aMove({ key: 'r', intent: 'RESIZE', instances: [X], grants: { classes: { VCPU: 2 } }, source: refOf(log, 'a.0') })
    expect(log.append([resize])).toEqual([undefined])
    expect(findings(log.fleet)).toEqual([])
    expect(log.append([someInstances({ key: 'b', hosts: ['h2'], instances: [X] })])).toEqual(['claim.instance_taken'])
  })

  test('reshaper "one consumer, many providers": a claim for several instances is void if one of the instances has a live claim', () => {
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

  test('ended keys count against the cap, keys of live claims do not, and new keys are accepted after ended keys are forgotten', () => {
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

  test('a new retention time applies to keys that have already ended', () => {
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

/**
 * Random steps for the law below. Their numbers are small. Therefore, the steps often concern the same instances and hosts, and many steps
 * are refused.
 */
const actions = fc.array(
  fc.record({ what: fc.nat({ max: 9 }), a: fc.nat({ max: 11 }), b: fc.nat({ max: 11 }), elapsedMs: fc.constantFrom(0, 10, 60, 600) }),
  { minLength: 5, maxLength: 40 },
)

test('law: each instance has at most one live claim in its scope, sums are correct, and copies and restored fleets agree', () => {
  fc.assert(
    fc.property(actions, (steps) => {
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
    { seed: 30, numRuns: byExtent(15, 150) },
  )
})
