import type { PciGrant } from '../../records/grants.ts'
import type { HostStats } from '../../report/stats.ts'
import { type AuditedHold, type AuditedUnit, auditSort, sumSort } from '../audit-units.ts'
import type { HeldGrant, Mismatch } from '../kind.ts'
import { likestOf, sortOf } from './likeness.ts'
import { type PoolState, toPools, totalByPool, usedByPool } from './pool.ts'

type Holds = ReadonlyMap<string, AuditedHold>

/**
 * Compares the free devices in the state with the devices that the report and the claims leave free, for each sort of device (pools that
 * differ only in their NUMA cell). `isKept` is true from feature level KEPT_DEVICES on.
 */
export function auditSorts(
  actual: readonly PoolState[],
  pciPools: HostStats['pciPools'],
  held: readonly HeldGrant<readonly PciGrant[]>[],
  isKept: boolean,
): readonly Mismatch[] {
  const reported = toPools(pciPools)
  const used = usedByPool(pciPools)
  const units = reported.map(({ key, countsUse, free }) => ({
    id: key,
    field: `PCI ${key} free`,
    capacity: free + (used.get(key) ?? 0),
    used: used.get(key) ?? 0,
    countsUse,
    free: actual.find((pool) => pool.key === key)?.free,
  }))
  const holds = holdsOf(held)
  const sorts = [...new Set(reported.map(({ key }) => sortOf(key)))].map((sort) => ({
    sort,
    units: units.filter(({ id }) => sortOf(id) === sort),
    held: ofSort(holds, sort),
  }))
  const found = sorts.flatMap((one) => auditSort(`PCI ${one.sort}`, one.units, one.held))
  const isEachHeldOfItsOwn =
    [...holds.keys()].every((pool) => sorts.some(({ sort }) => sort === sortOf(pool))) &&
    sorts.every((one) => sumSort(one.units, one.held).free >= 0)
  if (!isKept || isEachHeldOfItsOwn || units.length === 0) return found
  // Some claims are subtracted from devices of another sort than the claims name. Only two things are checked in this case: the sum of all
  // free devices, and that no pool has more free devices than the report says.
  const beyond = units.flatMap(({ field, capacity, used: inUse, free }): Mismatch[] =>
    free === undefined || free > capacity - inUse
      ? [{ code: 'state.column', field, expected: capacity - inUse, actual: free ?? 'none' }]
      : [],
  )
  const expected = freeInAll(reported, pciPools, units, holds)
  const free = units.reduce((sum, unit) => sum + (unit.free ?? 0), 0)
  const sum: Mismatch[] = free === expected ? [] : [{ code: 'state.column', field: 'PCI free', expected, actual: free }]
  return [...beyond, ...sum, ...found.filter(({ code }) => code === 'state.over_capacity')]
}

function holdsOf(held: readonly HeldGrant<readonly PciGrant[]>[]): Holds {
  const holds = new Map<string, { always: number; unlessCounted: number; late: string | undefined }>()
  for (const { grant, counted, isLate, claim } of held)
    for (const { pool, count } of grant) {
      const hold = holds.get(pool) ?? { always: 0, unlessCounted: 0, late: undefined }
      holds.set(pool, hold)
      hold[counted ? 'unlessCounted' : 'always'] += count
      if (isLate && !counted) hold.late = claim
    }
  return holds
}

/** The expected sum of the free devices of all pools, if some claims are subtracted from devices of other sorts than the claims name. */
function freeInAll(
  reported: readonly PoolState[],
  pciPools: HostStats['pciPools'],
  units: readonly AuditedUnit<string>[],
  holds: Holds,
): number {
  let uncounted = 0
  const covered = new Map<string, number>()
  const add = (sums: Map<string, number>, pool: string, by: number): void => {
    sums.set(sortOf(pool), (sums.get(sortOf(pool)) ?? 0) + by)
  }
  for (const [pool, { always, unlessCounted }] of holds) {
    const counts = reported.find(({ key }) => key === pool)?.countsUse ?? likestOf(reported, pool).some(({ countsUse }) => countsUse)
    uncounted += always + (counts ? 0 : unlessCounted)
    if (counts) add(covered, pool, unlessCounted)
  }
  const used = new Map<string, number>()
  for (const [pool, count] of usedByPool(pciPools)) add(used, pool, count)
  const totals = new Map<string, number>()
  for (const [pool, count] of totalByPool(pciPools)) add(totals, pool, count)
  let short = 0
  let mayBeElsewhere = 0
  let usedElsewhere = 0
  for (const sort of new Set([...covered.keys(), ...used.keys()])) {
    const [holding, inUse, total] = [covered.get(sort) ?? 0, used.get(sort) ?? 0, totals.get(sort) ?? 0]
    short += Math.max(0, holding - inUse)
    mayBeElsewhere += Math.min(Math.max(0, holding - inUse), Math.max(0, holding - total))
    usedElsewhere += Math.max(0, inUse - holding)
  }
  const left = units.reduce((sum, { capacity, used: inUse }) => sum + capacity - inUse, 0)
  return left - uncounted - (short - Math.min(mayBeElsewhere, usedElsewhere))
}

const ofSort = (holds: Holds, sort: string): Holds => new Map([...holds].filter(([pool]) => sortOf(pool) === sort))

/** Below feature level STRICT_CLAIMS: compares the free devices of each pool with the reported free devices minus the claims. */
export function auditPools(
  actual: readonly PoolState[],
  reported: readonly PoolState[],
  held: readonly HeldGrant<readonly PciGrant[]>[],
): readonly Mismatch[] {
  const found: Mismatch[] = []
  if (actual.length !== reported.length)
    found.push({ code: 'state.column', field: 'PCI pools', expected: reported.length, actual: actual.length })
  for (const { key, countsUse, free } of reported) {
    const holders = held.filter(({ counted, grant }) => !(counted && countsUse) && grant.some(({ pool }) => pool === key))
    const taken = holders.flatMap(({ grant }) => grant).reduce((sum, { pool, count }) => (pool === key ? sum + count : sum), 0)
    const there = actual.find((pool) => pool.key === key)?.free
    if (there !== free - taken)
      found.push({ code: 'state.column', field: `PCI ${key} free`, expected: free - taken, actual: there ?? 'none' })
    const late = holders.find(({ isLate }) => isLate)
    if (taken > free && late !== undefined)
      found.push({ code: 'state.over_capacity', field: `PCI ${key}`, expected: free, actual: taken, claim: late.claim })
  }
  return found
}
