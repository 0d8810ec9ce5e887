import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { audit } from '../audit/index.ts'
import { type Change, FEATURE_LEVEL, type Grants } from '../fleet/change.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { Fleet } from '../fleet/fleet.ts'
import { countAnew } from '../fleet/report.ts'
import { aClaim, aLog, aMove, aReport, aUuid, type HostShape, type TestLog } from '../testing/index.ts'
import type { Claim } from './claim.ts'

/** What the auditor says of an instance that was resized in place and confirmed, until its host reports again. */

const roomy: HostShape = { vcpus: 16, memoryMb: 16_384 }
const fromClaims: Change = { type: 'usedFrom', host: 'h1', node: 'h1', usedFrom: 'CLAIMS', reason: 'its agent lists nothing' }

/** Two instances of half a host each, and then the host has `vcpus` left. */
function smaller(vcpus: number, more: HostShape = {}, ...edits: readonly Change[]): TestLog {
  const log = aLog(new Fleet())
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', roomy)])
  for (const [i, key] of ['a', 'b'].entries())
    expect(log.append([aClaim({ key, mode: 'CONFIRM', grants: { classes: { VCPU: 8 } }, instances: [aUuid(i + 1)] })])).toEqual([undefined])
  log.append([aReport('h1', { ...roomy, vcpus, ...more }, 2), ...edits], { at: 10_000 })
  return log
}

const claimOf = ({ fleet }: TestLog, id: string): Claim => fleet.ledger.claims.get(id) as Claim

let moves = 0

/** Resizes in place, and confirms it where the judge takes it. Answers the claim's id. */
function resizeTo(log: TestLog, from: string, grants: Grants, at: number): string {
  const { id, fence, instance } = claimOf(log, from)
  const key = `move-${++moves}`
  const move = aMove({ source: { claim: id, fence }, intent: 'RESIZE', key, hosts: ['h1'], instances: [instance], grants })
  expect(log.append([move], { at })).toEqual([undefined])
  const moved = claimOf(log, `${key}.0`)
  expect(log.append([{ type: 'confirm', claim: moved.id, fence: moved.fence }], { at: at + 1 })).toEqual([undefined])
  return moved.id
}

const findingsOf = (fleet: Fleet) => [...audit(fleet)].flatMap(({ findings }) => findings)

describe.each<readonly [string, HostShape, readonly Change[]]>([
  ['that does not list the instance', {}, []],
  ['that lists the instance', { vcpusUsed: 16, instances: [aUuid(1), aUuid(2)] }, []],
  ['that lists no instances', { instances: null }, []],
  ['whose used amounts come from claims', { vcpusUsed: 16, instances: [aUuid(1), aUuid(2)] }, [fromClaims]],
])('on an over-full host %s', (_name, shape, edits) => {
  test('less in place is no excess of its own, once or twice', () => {
    const log = smaller(4, shape, ...edits)
    const first = resizeTo(log, 'a.0', { classes: { VCPU: 6 } }, 20_000)
    expect(findingsOf(log.fleet)).toEqual([])
    resizeTo(log, first, { classes: { VCPU: 5 } }, 30_000)
    expect(findingsOf(log.fleet)).toEqual([])
    expect(findingsOf(restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet)))))).toEqual([])
    log.append([aReport('h1', { ...roomy, vcpus: 4, ...shape }, 3)], { at: 40_000 })
    expect(findingsOf(log.fleet)).toEqual([])
  })

  test('as much as before counts as much as before', () => {
    const log = smaller(4, shape, ...edits)
    const free = () => log.fleet.hosts.classColumns('VCPU').free[0]
    const before = free()
    resizeTo(log, 'a.0', { classes: { VCPU: 8 } }, 20_000)
    expect(free()).toBe(before)
    expect(findingsOf(log.fleet)).toEqual([])
  })
})

test.each<readonly [string, HostShape, readonly Change[]]>([
  ['does not list the instance', {}, []],
  ['says that its used amounts come from claims', { vcpusUsed: 16, instances: [aUuid(1), aUuid(2)] }, [fromClaims]],
])('what an instance adds in place where the host %s is an excess of its own', (_name, shape, edits) => {
  const log = smaller(18, shape, ...edits)
  const moved = resizeTo(log, 'a.0', { classes: { VCPU: 10 } }, 20_000)
  expect(findingsOf(log.fleet)).toEqual([])
  // as if the judge had granted more than there is
  const record = log.fleet.hosts.own(log.fleet.hosts.get(0 as never).index)
  record.stats = { ...record.stats, vcpus: 17 }
  countAnew(log.fleet, record)
  expect(findingsOf(log.fleet)).toMatchObject([{ code: 'state.over_capacity', field: 'VCPU', claim: moved }])
})

test.each([null, aUuid(1)])('what was added is forgotten with the next report (instance %s)', (instance) => {
  const log = aLog(new Fleet())
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', { ...roomy, instances: [] })])
  log.append([aClaim({ key: 'a', mode: 'CONFIRM', grants: { classes: { VCPU: 2 } }, instances: [instance] })])
  const moved = resizeTo(log, 'a.0', { classes: { VCPU: 4 } }, 20_000)
  expect(claimOf(log, moved).extra).toEqual({ classes: { VCPU: 2 } })
  log.append([aReport('h1', { ...roomy, instances: [] }, 2)])
  expect(claimOf(log, moved).extra).toBeNull()
})

test('of several moves in place between two reports, all stays held that the report cannot count', () => {
  const cpus = fc.integer({ min: 1, max: 8 })
  fc.assert(
    fc.property(cpus, fc.array(cpus, { minLength: 1, maxLength: 4 }), (first, sizes) => {
      const others = 3
      const log = aLog(new Fleet())
      const shape = (used: number, instances: string[]) => ({ ...roomy, vcpus: 64, vcpusUsed: used, instances })
      log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', shape(0, []))])
      log.append([aClaim({ key: 'a', mode: 'CONFIRM', grants: { classes: { VCPU: first } }, instances: [aUuid(1)] })])
      log.append([aReport('h1', shape(first + others, [aUuid(1), aUuid(2)]), 2)])
      let claim = 'a.0'
      let least = first
      for (const [step, size] of sizes.entries()) {
        claim = resizeTo(log, claim, { classes: { VCPU: size } }, 20_000 + 10 * step)
        least = Math.min(least, size)
        // the report shows the first size: of that, what every size since has had is counted
        expect(64 - (log.fleet.hosts.classColumns('VCPU').free[0] as number)).toBe(first + others + size - least)
      }
      expect(findingsOf(log.fleet)).toEqual([])
    }),
  )
})

describe('D7: while an instance grows in place from 2 to 6 of 8 CPUs', () => {
  /** What of the host is free after a report of so much use. */
  function freeAfter(vcpusUsed: number, ...edits: readonly Change[]): number | undefined {
    const log = aLog(new Fleet())
    const of = (used: number, instances: string[]) => ({ vcpus: 8, memoryMb: 1_024, vcpusUsed: used, instances })
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', of(0, []))])
    log.append([aClaim({ key: 'a', mode: 'CONFIRM', grants: { classes: { VCPU: 2 } }, instances: [aUuid(1)] })])
    log.append([aReport('h1', of(2, [aUuid(1)]), 2), ...edits])
    const source = claimOf(log, 'a.0')
    const grants = { classes: { VCPU: 6 } }
    const move = { source: { claim: source.id, fence: source.fence }, intent: 'RESIZE', instances: [aUuid(1)], grants } as const
    expect(log.append([aMove({ ...move, key: 'm' })])).toEqual([undefined])
    log.append([aReport('h1', of(vcpusUsed, [aUuid(1)]), 3)])
    return log.fleet.hosts.classColumns('VCPU').free[0]
  }

  test('it counts once, at its larger size, where the report shows the old one', () => expect(freeAfter(2)).toBe(2))

  test('4 in use beside the old size look as the new size does, and are not promised', () => expect(freeAfter(6)).toBe(-2))

  test('it counts once whatever the report shows, where used amounts come from claims', () => expect(freeAfter(6, fromClaims)).toBe(2))
})
