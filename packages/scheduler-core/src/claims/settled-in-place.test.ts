import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { audit } from '../audit/index.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { Fleet } from '../fleet/fleet.ts'
import { countAnew } from '../fleet/report.ts'
import { type Change, FEATURE_LEVEL, type Grants } from '../records/change.ts'
import type { Claim } from '../records/claim.ts'
import { aClaim, aLog, aMove, aReport, aUuid, type HostShape, type TestLog } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'

/** Checks the auditor's findings about an instance that was resized in place and confirmed, until its host reports again. */

const roomy: HostShape = { vcpus: 16, memoryMb: 16_384 }
const fromClaims: Change = { type: 'usedFrom', host: 'h1', node: 'h1', usedFrom: 'CLAIMS', reason: 'its agent lists nothing' }

/** A log in which two instances each have 8 of 16 CPUs of a host. The host then reports only `vcpus` CPUs. */
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

/** Resizes an instance on its host and confirms the resize. Returns the id of the new claim. */
function resizeTo(log: TestLog, from: string, grants: Grants, at: number, host = 'h1'): string {
  const { id, fence, instance } = claimOf(log, from)
  const key = `move-${++moves}`
  const move = aMove({ source: { claim: id, fence }, intent: 'RESIZE', key, hosts: [host], instances: [instance], grants })
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
  test('after one or two resizes in place to a smaller size, the auditor finds no excess', () => {
    const log = smaller(4, shape, ...edits)
    const first = resizeTo(log, 'a.0', { classes: { VCPU: 6 } }, 20_000)
    expect(findingsOf(log.fleet)).toEqual([])
    resizeTo(log, first, { classes: { VCPU: 5 } }, 30_000)
    expect(findingsOf(log.fleet)).toEqual([])
    expect(findingsOf(restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet)))))).toEqual([])
    log.append([aReport('h1', { ...roomy, vcpus: 4, ...shape }, 3)], { at: 40_000 })
    expect(findingsOf(log.fleet)).toEqual([])
  })

  test('a resize in place to the same size changes no sums', () => {
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
  ['takes its used amounts from claims', { vcpusUsed: 16, instances: [aUuid(1), aUuid(2)] }, [fromClaims]],
])('the auditor finds an excess if an instance adds more than fits in place and the host %s', (_name, shape, edits) => {
  const log = smaller(18, shape, ...edits)
  const moved = resizeTo(log, 'a.0', { classes: { VCPU: 10 } }, 20_000)
  expect(findingsOf(log.fleet)).toEqual([])
  // set the total below the claimed amounts, as if the judge had granted more than the host has
  const record = log.fleet.hosts.own(log.fleet.hosts.get(0 as never).index)
  record.stats = { ...record.stats, vcpus: 17 }
  countAnew(log.fleet, record)
  expect(findingsOf(log.fleet)).toMatchObject([{ code: 'state.over_capacity', field: 'VCPU', claim: moved }])
})

test.each([null, aUuid(1)])('with the next report, the claim no longer has extra grants (instance %s)', (instance) => {
  const log = aLog(new Fleet())
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', { ...roomy, instances: [] })])
  log.append([aClaim({ key: 'a', mode: 'CONFIRM', grants: { classes: { VCPU: 2 } }, instances: [instance] })])
  const moved = resizeTo(log, 'a.0', { classes: { VCPU: 4 } }, 20_000)
  expect(claimOf(log, moved).extra).toEqual({ classes: { VCPU: 2 } })
  log.append([aReport('h1', { ...roomy, instances: [] }, 2)])
  expect(claimOf(log, moved).extra).toBeNull()
})

test('after several resizes in place between two reports, all amounts that the report cannot count stay held', () => {
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
        // The report includes the first size of the instance. For its latest size, the report covers only the smallest size that the
        // instance has had since then. The amount above that is reserved in addition to the reported use.
        expect(64 - (log.fleet.hosts.classColumns('VCPU').free[0] as number)).toBe(first + others + size - least)
      }
      expect(findingsOf(log.fleet)).toEqual([])
    }),
  )
})

describe('the auditor finds no excess after a resize to the same size if the instance grew in place before its host was reduced', () => {
  const reporter = { incarnation: aUuid(1), sequence: 2 }
  const shape: HostShape = { ...roomy, instances: null }
  const h1 = { host: 'h1', node: 'h1' }

  test.each<readonly [string, readonly Change[], readonly Change[]]>([
    [
      'reduced by a delta that does not count the addition',
      [],
      [{ type: 'report', ...h1, ...reporter, delta: { baseSequence: 1, vcpusUsed: 5 } }],
    ],
    [
      'reduced by the report of the same machine under its new name, from before the addition',
      [aReport('h2', { ...shape, vcpus: 12 })],
      [{ type: 'replace', hosts: [{ from: h1, to: { host: 'h2', node: 'h2' } }], reason: 'new name' }],
    ],
    [
      'reduced by an operator',
      [],
      [{ type: 'hostAllocation', ...h1, resourceClass: 'VCPU', reserved: 3, by: 'op', reason: 'less to give' }],
    ],
  ])('%s', (_name, before, then) => {
    const log = aLog(new Fleet())
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', shape)])
    for (const [i, key] of ['a', 'b'].entries()) {
      const grants = { classes: { VCPU: 6, DISK_GB: 1 } }
      expect(log.append([aClaim({ key, mode: 'CONFIRM', grants, instances: [aUuid(i + 1)] })])).toEqual([undefined])
    }
    log.append(before, { at: 15_000 })
    const larger = resizeTo(log, 'a.0', { classes: { VCPU: 8, DISK_GB: 2 } }, 20_000)
    expect(log.append(then, { at: 30_000 })).toEqual(then.map(() => undefined))
    expect(log.fleet.hosts.classColumns('VCPU').free[0]).toBeLessThan(0)
    expect(findingsOf(log.fleet)).toEqual([])
    const { host } = log.fleet.hosts.get(0 as HostIndex)
    resizeTo(log, larger, { classes: { VCPU: 8, DISK_GB: 1 } }, 40_000, host)
    expect(findingsOf(log.fleet)).toEqual([])
    expect(findingsOf(restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet)))))).toEqual([])
  })
})

describe('D7: while an instance grows in place from 2 to 6 of 8 CPUs', () => {
  /** The free amount of the host after a report with the used amount `vcpusUsed`. */
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

  test('the instance counts once, at its larger size, if the report shows the old size', () => expect(freeAfter(2)).toBe(2))

  test('a reported use of 4 CPUs beyond the old size is counted in addition to the new size', () => expect(freeAfter(6)).toBe(-2))

  test('the instance counts once with any report if used amounts come from claims', () => expect(freeAfter(6, fromClaims)).toBe(2))
})
