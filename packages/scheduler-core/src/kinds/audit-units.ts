import type { Mismatch } from './kind.ts'

/** One unit of a kind, such as a GPU or a PCI pool. A claim names a unit, but the host may give its instance another unit. */
export interface AuditedUnit<Id> {
  readonly id: Id
  readonly field: string
  readonly capacity: number
  readonly used: number
  /** True if the report counts the use of the unit. */
  readonly countsUse: boolean
  /** The free amount of the unit in the state that is audited. Undefined if the state has no such unit. */
  readonly free: number | undefined
}

/** What all claims that name one unit hold together. */
export interface AuditedHold {
  /** The amount that is subtracted from the free amount in any case. */
  readonly always: number
  /** The amount that is subtracted only if the report does not count the use of the unit. */
  readonly unlessCounted: number
  /** The id of a claim in `always` that was made after the host's last report. Undefined if there is none. */
  readonly late: string | undefined
}

/** The sums over all units of one kind on one host, computed only from the report and the claims. */
export interface SortSums {
  /** The free amount of all units together. Negative if more is held than exists. */
  readonly free: number
  /** The amount that claims hold in addition to the reported usage. */
  readonly amountHeld: number
  /** The amount that is free for claims according to the report, summed over all units. */
  readonly room: number
  /**
   * True if the unit that each claim names has enough free for the claim, and the reported usage is at least the amount that materialised
   * claims hold.
   */
  readonly isWhole: boolean
  readonly late: string | undefined
  /** The amount that claims hold of one unit in addition to its reported usage. */
  amountOf(hold: AuditedHold | undefined, countsUse: boolean): number
}

export function sumSort<Id>(units: readonly AuditedUnit<Id>[], held: ReadonlyMap<Id, AuditedHold>): SortSums {
  const anyCounts = units.some(({ countsUse }) => countsUse)
  const sum = (read: (unit: AuditedUnit<Id>) => number): number => units.reduce((total, unit) => total + read(unit), 0)
  const amountOf = (hold: AuditedHold | undefined, countsUse: boolean): number =>
    hold === undefined ? 0 : hold.always + (countsUse ? 0 : hold.unlessCounted)
  let amountHeld = 0
  let covered = 0
  let isWhole = true
  let late: string | undefined
  for (const [id, hold] of held) {
    const unit = units.find((one) => one.id === id)
    const countsUse = unit?.countsUse ?? anyCounts
    const here = amountOf(hold, countsUse)
    amountHeld += here
    if (countsUse) covered += hold.unlessCounted
    late ??= hold.late
    if (here > 0 && (unit === undefined || unit.used + here > unit.capacity)) isWhole = false
  }
  const used = sum((unit) => unit.used)
  const short = Math.max(0, covered - used)
  return {
    free: sum(({ capacity }) => capacity) - used - short - amountHeld,
    amountHeld,
    room: sum(({ capacity, used: here }) => Math.max(0, capacity - here)) - short,
    isWhole: isWhole && short === 0,
    late,
    amountOf,
  }
}

/**
 * Compares the free amounts of units with amounts computed from the report and the claims, and returns the differences. With `isWhole`,
 * each claim must be counted on the unit that it names. Otherwise only the sum over all units is compared exactly.
 */
export function auditSort<Id>(
  field: string,
  units: readonly AuditedUnit<Id>[],
  held: ReadonlyMap<Id, AuditedHold>,
  isWhole?: boolean,
): readonly Mismatch[] {
  if (units.length === 0) return []
  const sums = sumSort(units, held)
  const found: Mismatch[] = []
  for (const { id, field: where, capacity, used, countsUse, free } of units) {
    const most = capacity - used - ((isWhole ?? sums.isWhole) ? sums.amountOf(held.get(id), countsUse) : 0)
    if (free === undefined || ((isWhole ?? sums.isWhole) ? free !== most : free > most))
      found.push({ code: 'state.column', field: where, expected: most, actual: free ?? 'none' })
  }
  const free = units.reduce((total, unit) => total + (unit.free ?? 0), 0)
  if (found.length === 0 && free !== sums.free)
    found.push({ code: 'state.column', field: `${field} free`, expected: sums.free, actual: free })
  if (sums.late !== undefined && sums.amountHeld > sums.room)
    found.push({ code: 'state.over_capacity', field, expected: sums.room, actual: sums.amountHeld, claim: sums.late })
  return found
}
