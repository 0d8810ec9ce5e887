import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { audit, digestPart, partsOf } from '../../audit/index.ts'
import { checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { copyFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import type { Change } from '../../records/change.ts'
import { levelOf } from '../../records/change-levels.ts'
import { isLive } from '../../records/claim.ts'
import type { Profile } from '../../records/profile.ts'
import { type DecideInput, decide } from '../../schedulers/decide.ts'
import { aClaim, aDocument, aLog, aMove, aReport, aRequest, aUuid, type TestLog } from '../../testing/index.ts'
import { kindSuite } from '../kind.suite.ts'
import { poolsKind } from './pools.ts'

const POOL = aUuid(1)
const OTHER = aUuid(2)
const level: Change = { type: 'feature', level: 6 }
const inPool = (hosts: readonly string[], pool = POOL, number = 90): Change => ({
  type: 'aggregate',
  uuid: aUuid(number),
  expectedVersion: 0,
  next: { name: `aggregate ${number}`, hosts, metadata: { 'gantt:disk_pool': pool } },
})
const space = (host: string, totalGib: number | null, sequence = 1, more: object = {}): Change =>
  aDocument(host, 'storage', { pools: [{ uuid: POOL, name: 'fast', totalGib, ...more }] }, sequence)
const disk = (gib: number) => ({ classes: { VCPU: 1, DISK_GB: gib }, pools: { [POOL]: gib } })

/** A log with hosts h1 to h3. The disks of h1 and h2 are in one shared pool of `totalGib`. */
function sharing(totalGib = 100): TestLog {
  const log = aLog()
  const shape = { vcpus: 64, memoryMb: 65_536, localGb: 1_000, instances: [] }
  log.append([level, aReport('h1', shape), aReport('h2', shape), aReport('h3', shape)])
  expect(log.append([inPool(['h1', 'h2']), space('h1', totalGib)])).toEqual([undefined, undefined])
  return log
}

const free = ({ fleet }: TestLog) => fleet.hosts.pools.free(POOL)

kindSuite({
  kind: poolsKind,
  hosts: fc.nat({ max: 40 }).map((localGb) => ({ localGb })),
  fleetOf: ({ localGb = 0 }) => {
    const log = aLog()
    log.append([level, aReport('h1'), aReport('h2'), inPool(['h1', 'h2']), space('h2', localGb)])
    return log.fleet
  },
  asks: fc.integer({ min: 1, max: 12 }),
  state: ({ hosts }, host) => [poolsKind.view?.(hosts, host), [...hosts.pools.allHeld()]],
  leastLeft: ({ hosts }) => hosts.pools.free(POOL) ?? 0,
})

describe('a pool that hosts share', () => {
  test('if claims on two hosts are decided on the same state, a claim that exceeds the space of the pool is void', () => {
    const log = sharing()
    const basis = log.fleet.place
    expect(log.append([aClaim({ key: 'a', hosts: ['h1'], grants: disk(60) })], { basis })).toEqual([undefined])
    expect(log.append([aClaim({ key: 'b', hosts: ['h2'], grants: disk(60) })], { basis })).toEqual(['claim.no_room'])
    expect(log.append([aClaim({ key: 'c', hosts: ['h2'], grants: disk(40) })], { basis })).toEqual([undefined])
    expect(free(log)).toBe(0)
  })

  test('if the parts of one proposal together exceed the space of the pool, all parts are void', () => {
    const log = sharing()
    expect(log.append([aClaim({ key: 'a', hosts: ['h1', 'h2'], grants: disk(60) })])).toEqual(['claim.no_room'])
    expect(free(log)).toBe(100)
    expect(log.append([aClaim({ key: 'a', hosts: ['h1', 'h2'], grants: disk(50) })])).toEqual([undefined])
    expect(free(log)).toBe(0)
  })

  test('a claim holds its space until it is released and the host no longer reports its instance', () => {
    const log = sharing()
    log.append([aClaim({ hosts: ['h1'], grants: disk(60), instances: [aUuid(50)] })])
    log.append([aReport('h1', { vcpus: 64, localGb: 1_000, localGbUsed: 60, instances: [aUuid(50)] }, 2)])
    expect([log.fleet.ledger.claims.get('k1.0')?.state, free(log)]).toEqual(['MATERIALISED', 40])
    const fence = log.fleet.ledger.claims.get('k1.0')?.fence ?? 0
    expect(log.append([{ type: 'release', claim: 'k1.0', fence, reason: null }])).toEqual([undefined])
    // the space of the released claim is not free, because the host's last report lists the instance
    expect(free(log)).toBe(40)
    log.append([aReport('h1', { vcpus: 64, localGb: 1_000, instances: [] }, 3)])
    expect(free(log)).toBe(100)
  })

  test('a move holds space for its source and its destination, and a resize on the same host takes only the difference', () => {
    const log = sharing()
    log.append([aClaim({ hosts: ['h1'], grants: disk(40), mode: 'CONFIRM' })])
    const source = { claim: 'k1.0', fence: log.fleet.ledger.claims.get('k1.0')?.fence ?? 0 }
    expect(log.append([aMove({ key: 'm', source, hosts: ['h2'], grants: disk(40) })])).toEqual([undefined])
    expect(free(log)).toBe(20)
    const fenceOf = (id: string) => log.fleet.ledger.claims.get(id)?.fence ?? 0
    log.append([{ type: 'confirm', claim: 'm.0', fence: fenceOf('m.0') }])
    expect(free(log)).toBe(60)
    const grown = aMove({ key: 'n', source: { claim: 'm.0', fence: fenceOf('m.0') }, intent: 'RESIZE', hosts: ['h2'], grants: disk(90) })
    expect(log.append([grown])).toEqual([undefined])
    expect(free(log)).toBe(10)
    log.append([{ type: 'confirm', claim: 'n.0', fence: fenceOf('n.0') }])
    expect(free(log)).toBe(10)
  })

  test('the space of a claim is free for a resize on its own host, but not on other hosts, and the judge accepts the resize', () => {
    for (const [gib, resized, stayers] of [
      [60, 60, ['h1', 'h3']],
      [60, 90, ['h1', 'h3']],
      [40, 60, ['h1', 'h2', 'h3']],
    ] as const) {
      const log = sharing()
      log.append([aClaim({ hosts: ['h1'], grants: disk(gib), mode: 'CONFIRM' })])
      const claim = log.fleet.ledger.claims.get('k1.0')
      if (claim === undefined) throw new Error('the claim was not made')
      const took = ['h1', 'h2', 'h3'].filter((host) => {
        const request = aRequest({ flavor: { vcpus: 1, memoryMb: 1, rootGb: resized }, forceHosts: [host] })
        const [part] = placedBy(log.fleet, request, profileNamed('default'), { intent: 'RESIZE', source: claim })
        if (part === undefined) return false
        const source = { claim: claim.id, fence: claim.fence }
        const twin = copyFleet(log.fleet)
        const move = aMove({ key: 'm', source, intent: 'RESIZE', hosts: [part.host], grants: part.grants })
        const entry = {
          format: 1,
          id: 'm',
          writer: 't',
          basis: twin.place,
          revision: twin.place.revision + 1,
          at: 5_000,
          changes: [move],
        } as const
        expect(twin.apply(entry)).toEqual([undefined])
        return true
      })
      expect([gib, resized, took]).toEqual([gib, resized, stayers])
      expect(free(log)).toBe(100 - gib)
    }
  })

  test('of contradicting documents, the latest is used, and at equal times the one from the host with the smallest ordinal', () => {
    const log = sharing(100)
    log.append([space('h2', 50)], { at: 2_000 })
    expect(free(log)).toBe(50)
    log.append([space('h3', 70)], { at: 2_000 })
    expect(free(log)).toBe(50)
    log.append([space('h2', null, 2)], { at: 3_000 })
    expect(free(log)).toBe(70)
    log.append([aDocument('h3', 'storage', { pools: [] }, 2)], { at: 4_000 })
    expect(free(log)).toBe(100)
    log.append([space('h1', 100, 2, { reservedGib: 10, usedGib: 20, thinRatio: 1.5 })], { at: 4_000 })
    expect(free(log)).toBe(115)
  })

  test('a decision for several instances subtracts the disk of each placed instance on all hosts of the pool', () => {
    for (const name of ['default', 'random', 'first-fit']) {
      const { fleet } = sharing(50)
      const request = aRequest({ flavor: { vcpus: 1, memoryMb: 1, rootGb: 20 }, numInstances: 4, forceHosts: [], ignoreHosts: ['h3'] })
      expect([name, placedBy(fleet, request, profileNamed(name)).length]).toEqual([name, 2])
    }
  })

  test('a claim on a pool needs feature level 6, and so does an aggregate that names a pool', () => {
    expect([levelOf(aClaim({ grants: disk(1) })), levelOf(aClaim()), levelOf(inPool([]))]).toEqual([6, 1, 6])
    const { fleet } = sharing()
    const [part] = placedBy(fleet, aRequest({ flavor: { vcpus: 1, memoryMb: 1, rootGb: 5 }, forceHosts: ['h3'] }), profileNamed('default'))
    expect(part?.grants).toEqual({ classes: { VCPU: 1, MEMORY_MB: 1, DISK_GB: 5 } })
  })
})

const profileNamed = (name: string): Profile => builtInProfiles.find((profile) => profile.name === name) as Profile

function placedBy(fleet: Fleet, request: ReturnType<typeof aRequest>, profile: Profile, more: Partial<DecideInput> = {}) {
  const overlay = openOverlay(fleet)
  const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
  const { parts } = decide(fleet, overlay, {
    ...{ id: 'd', request, profile, seed: 's', attempt: 1 },
    ...{ alternatesPerInstance: 0, allOrNothing: false, claimIds, ...more },
  })
  overlay.discard()
  return parts
}

test('law: accepted claims fit, held amounts equal those of the claims, and copied and restored fleets equal the original', () => {
  const step = fc.record({
    what: fc.constantFrom('claim', 'claim', 'claim', 'move', 'confirm', 'release', 'report', 'document', 'aggregate'),
    host: fc.constantFrom('h1', 'h2', 'h3'),
    pool: fc.constantFrom(POOL, OTHER),
    gib: fc.integer({ min: 1, max: 40 }),
    pick: fc.nat({ max: 20 }),
    stale: fc.boolean(),
  })
  // an example that is always tested: a document makes a pool smaller than its claims, and then a move reduces the space that the instance
  // holds
  const at = { host: 'h1' as const, pool: OTHER, stale: false }
  const shrunkThenLess = [
    { ...at, what: 'claim' as const, gib: 3, pick: 0 },
    { ...at, what: 'document' as const, gib: 1, pick: 1 },
    { ...at, what: 'move' as const, gib: 1, pick: 0 },
  ]
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const log = aLog()
      log.append([level, aReport('h1', BIG), aReport('h2', BIG), aReport('h3', BIG)])
      log.append([space('h1', 60), aDocument('h2', 'storage', { pools: [{ uuid: OTHER, name: 'slow', totalGib: 50 }] })])
      const { hosts, ledger } = log.fleet
      for (const [i, { what, host, pool, gib, pick, stale }] of steps.entries()) {
        const claims = [...ledger.claims.values()]
        const claim = claims[pick % Math.max(1, claims.length)]
        const grants = { classes: { VCPU: 1 }, pools: { [pool]: gib } }
        const before = hosts.pools.free(pool) ?? -1
        const changes: Record<typeof what, () => Change | undefined> = {
          claim: () => aClaim({ key: `k${i}`, hosts: [host], grants, instances: [aUuid(1_000 + i)] }),
          move: () =>
            claim &&
            aMove({
              key: `k${i}`,
              source: claim && { claim: claim.id, fence: claim.fence },
              hosts: [host],
              grants,
              instances: [claim.instance],
            }),
          confirm: () => claim && { type: 'confirm', claim: claim.id, fence: claim.fence },
          release: () => claim && { type: 'release', claim: claim.id, fence: claim.fence, reason: null },
          report: () =>
            aReport(
              host,
              { ...BIG, instances: claims.flatMap(({ instance }, n) => (n % 2 === pick % 2 && instance !== null ? [instance] : [])) },
              i + 2,
            ),
          document: () =>
            aDocument(
              host,
              'storage',
              { pools: pick % 4 === 0 ? [] : [{ uuid: pool, name: 'p', totalGib: gib * 3, usedGib: pick }] },
              i + 2,
            ),
          aggregate: () => ({ ...(inPool([host], pool, 900 + i) as object) }) as Change,
        }
        const change = changes[what]()
        if (change === undefined) continue
        const basis = stale && log.fleet.place.revision > 3 ? log.fleet.places.get(log.fleet.place.revision - 1) : undefined
        const [verdict] = log.append([change], { at: 1_000 + i * (pick % 3), ...(basis !== undefined && { basis }) })
        if (what === 'claim' && verdict === undefined) {
          expect(before).toBeGreaterThanOrEqual(gib)
          expect(hosts.pools.free(pool)).toBeGreaterThanOrEqual(0)
        }
        // if the pool is smaller than its claims, a move within a host is accepted only if it takes no more space than before
        if (what === 'move' && verdict === undefined) expect(hosts.pools.free(pool)).toBeGreaterThanOrEqual(Math.min(0, before))
      }
      const held = new Map<string, number>()
      for (const record of hosts.records)
        for (const claim of record.claims) {
          if (!isLive(claim) && !(claim.instance !== null && record.present.has(claim.instance))) continue
          const grown = claim.extra !== null && ledger.isInPlace(claim) ? claim.extra.pools : claim.grants.pools
          for (const [pool, gib] of Object.entries(grown ?? {})) held.set(pool, (held.get(pool) ?? 0) + gib)
        }
      expect(new Map([...hosts.pools.allHeld()])).toEqual(held)
      expect([...audit(log.fleet)].flatMap(({ findings }) => findings)).toEqual([])
      const views = (fleet: Fleet) => [
        Array.from({ length: partsOf(fleet) }, (_, part) => digestPart(fleet, part)),
        [POOL, OTHER].map((pool) => [fleet.hosts.pools.figure(pool), fleet.hosts.pools.free(pool)]),
      ]
      expect(views(restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet)))))).toEqual(views(log.fleet))
      expect(views(copyFleet(log.fleet))).toEqual(views(log.fleet))
    }),
    { numRuns: byExtent(50, 150), examples: [[shrunkThenLess]] },
  )
})

const BIG = { vcpus: 1_000, memoryMb: 65_536, localGb: 10_000, instances: [] as string[] }
