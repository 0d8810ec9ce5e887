import type { Mismatch } from './kind.ts'

/** One unit of a resource kind, such as a GPU or a PCI pool. A claim names a unit, but the host can give the instance a different unit. */
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

/** The sums of the amounts that claims hold on one unit that they name. */
export interface AuditedHold {
  /** The sum of the claims that are subtracted from the free amount of the unit even if the report counts its use. */
  readonly always: number
  /**
   * The sum of the claims that are subtracted only if the report does not count the use of the unit. Otherwise, the reported usage includes
   * them.
   */
  readonly unlessCounted: number
  /** The id of a claim in `always` that was made after the host's last report. Undefined if there is none. */
  readonly late: string | undefined
}

/** Sums over units of the same kind on one host, computed only from the report and the claims. */
export interface SortSums {
  /** The free amount of all units together. Negative if more is held than exists. */
  readonly free: number
  /** The amount that claims hold in addition to the reported usage. */
  readonly amountHeld: number
  /**
   * The amount that the report leaves free for claims, summed over all units. If materialised claims hold more than the reported usage, the
   * difference is subtracted.
   */
  readonly room: number
  /** True if each claim fits on the unit that it names, and materialised claims do not hold more than the reported usage. */
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
 * Compares the free amounts of units with amounts computed from the report and the claims, and returns the differences. If `isWhole` is
 * true, each claim must be counted on the unit that it names. If it is false, claims can be counted on other units, so only the sum over
 * all units is compared exactly. If it is undefined, the value from `sumSort` is used.
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
