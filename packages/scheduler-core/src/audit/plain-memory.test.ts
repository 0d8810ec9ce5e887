import { describe, expect, test } from 'vitest'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { copyFleet } from '../fleet/copy.ts'
import { Fleet } from '../fleet/fleet.ts'
import type { Grants } from '../records/change.ts'
import { aClaim, aLog, aReport, aUuid, type HostShape, type TestLog } from '../testing/index.ts'
import { PLAIN_IN_CELLS } from '../values/levels.ts'
import { audit } from './audit.ts'

/** Tests that the audit adds up memory outside of huge pages over the whole host, as the judge does from level PLAIN_IN_CELLS on. */

const small = { sizeKib: 4, total: 1_048_576 }
const huge = { sizeKib: 2_048, total: 2_048 }
const cell = { id: 0, cpuset: [0, 1, 2, 3, 4, 5, 6, 7], memoryMb: 8_192, pages: [small, huge] }
/** A host with 8 GiB, half of it in huge pages. */
const host: HostShape = { vcpus: 8, memoryMb: 8_192, numaCells: [cell] }

const plain = (memoryMb: number): Grants => ({ classes: { VCPU: 1, MEMORY_MB: memoryMb } })
const inCell = (memoryMb: number, pages?: { readonly sizeKib: number; readonly count: number }): Grants => ({
  classes: { VCPU: 1, MEMORY_MB: memoryMb },
  numa: [{ guest: 0, cell: 0, cpus: 1, memoryMb, ...(pages !== undefined && { pages }) }],
})

function aHost(level: number = PLAIN_IN_CELLS, shape: HostShape = host): TestLog {
  const log = aLog(new Fleet())
  log.append([{ type: 'feature', level }, aReport('h1', shape)])
  return log
}

const claim = (log: TestLog, key: string, grants: Grants) =>
  log.append([aClaim({ key, mode: 'CONFIRM', grants, instances: [aUuid(key.charCodeAt(0))] })], { at: log.fleet.now + 1_000 })

const findingsOf = (fleet: Fleet) => [...audit(fleet)].flatMap(({ findings }) => findings)

const excessesOf = (fleet: Fleet) =>
  findingsOf(fleet).map(({ code, field, expected, actual, claim: fault }) => ({ code, field, expected, actual, claim: fault }))

const WHAT = 'memory outside of huge pages'

/** A log in which level 9 accepts claims that level 10 would refuse. The log is then raised to the level `level`. */
function overFull(level: number = PLAIN_IN_CELLS): TestLog {
  const log = aHost(PLAIN_IN_CELLS - 1)
  expect([claim(log, 'a', plain(4_096)), claim(log, 'b', inCell(3_072))]).toEqual([[undefined], [undefined]])
  if (level >= PLAIN_IN_CELLS) log.append([{ type: 'feature', level }], { at: log.fleet.now + 1_000 })
  return log
}

/** Marks all claims of a fleet as accepted by the rules of the fleet's present level. */
function acceptClaims(log: TestLog): Fleet {
  log.fleet.strictSince = 0
  return log.fleet
}

test('the audit finds claims that hold more than the memory outside of the huge pages', () => {
  expect(excessesOf(acceptClaims(overFull()))).toEqual([
    { code: 'state.over_capacity', field: WHAT, expected: '4096', actual: '7168', claim: 'b.0' },
  ])
})

test('a guest with huge pages holds no memory outside of the huge pages', () => {
  const log = aHost()
  expect([claim(log, 'a', plain(4_096)), claim(log, 'b', inCell(4_096, { sizeKib: 2_048, count: 2_048 }))]).toEqual([
    [undefined],
    [undefined],
  ])
  expect(findingsOf(log.fleet)).toEqual([])
  expect(claim(log, 'c', plain(1))).toEqual(['claim.no_room'])
})

test('claimed 2 MiB pages count as huge pages after the host reports only 1 GiB pages', () => {
  const gigabytes = { ...cell, pages: [small, { sizeKib: 1_048_576, total: 4 }] }
  const log = aHost()
  expect(claim(log, 'b', inCell(4_096, { sizeKib: 2_048, count: 2_048 }))).toEqual([undefined])
  log.append([aReport('h1', { ...host, numaCells: [gigabytes] }, 2)])
  expect([claim(log, 'a', plain(4_096)), findingsOf(acceptClaims(log))]).toEqual([[undefined], []])
})

test('reported huge pages are not part of the plain memory, even if they are in use', () => {
  const used = { ...cell, memoryUsageMb: 6_144, pages: [small, { ...huge, used: 2_048 }] }
  const log = aHost(PLAIN_IN_CELLS, { ...host, memoryMbUsed: 6_144, numaCells: [used] })
  expect([claim(log, 'a', plain(2_048)), claim(log, 'b', plain(1))]).toEqual([[undefined], ['claim.no_room']])
  expect(findingsOf(log.fleet)).toEqual([])
})

test('plain memory is multiplied by the allocation ratio', () => {
  const log = aHost(PLAIN_IN_CELLS, { ...host, ramAllocationRatio: 1.5 })
  expect([claim(log, 'a', plain(4_000)), claim(log, 'b', plain(2_144)), findingsOf(log.fleet)]).toEqual([[undefined], [undefined], []])
})

describe('claims that were accepted below the level at which plain memory is counted for the whole host', () => {
  test.each([PLAIN_IN_CELLS - 1, PLAIN_IN_CELLS])('older claims are not a violation at level %i', (level) => {
    expect(findingsOf(overFull(level).fleet)).toEqual([])
  })

  test('older claims are not a violation in a copied or restored fleet', () => {
    const { fleet } = overFull()
    const restored = restoreFleet(JSON.parse(JSON.stringify(checkpointOf(fleet))))
    expect([findingsOf(copyFleet(fleet)), findingsOf(restored)]).toEqual([[], []])
  })

  test('a later claim without plain memory is not reported', () => {
    const log = overFull()
    expect(claim(log, 'c', { classes: { VCPU: 1 } })).toEqual([undefined])
    expect(claim(log, 'd', inCell(1_024, { sizeKib: 2_048, count: 512 }))).toEqual([undefined])
    expect(findingsOf(log.fleet)).toEqual([])
  })
})

test('a report with more huge pages than before is not a violation, although claims exceed the remaining plain memory', () => {
  const log = aHost()
  expect(claim(log, 'a', plain(4_096))).toEqual([undefined])
  const pages = [
    { ...small, total: 524_288 },
    { ...huge, total: 3_072 },
  ]
  log.append([aReport('h1', { ...host, numaCells: [{ ...cell, pages }] }, 2)], { at: 9_000 })
  expect(findingsOf(log.fleet)).toEqual([])
})
