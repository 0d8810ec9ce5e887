import type { Mismatch } from './kind.ts'

/** One unit of a kind, such as a GPU or a PCI pool. A claim may hold a unit other than the one that it names. */
export interface AuditedUnit<Id> {
  readonly id: Id
  readonly field: string
  readonly capacity: number
  readonly used: number
  /** Whether the report counts the use of the unit. */
  readonly countsUse: boolean
  /** The free amount of the unit in the state. Undefined if the host has no such unit. */
  readonly free: number | undefined
}

/** The amounts of all claims that name one unit. */
export interface AuditedHold {
  /** The amount that is subtracted whether or not the report counts use. */
  readonly always: number
  /** The amount that is subtracted if the report does not count use. */
  readonly unlessCounted: number
  /** A claim with an amount in `always` that was made after the host's last report. */
  readonly late: string | undefined
}

/** The sums over all units of one kind on one host, computed only from the report and the claims. */
export interface SortSums {
  /** The free amount of all units together. Negative if more is held than exists. */
  readonly free: number
  /** The amount that is held in addition to what the report counts. */
  readonly amountHeld: number
  /** The amount that the report leaves for claims, summed over all units. */
  readonly room: number
  /**
   * Whether every claim can have its amount on the unit that it names, and the reported usage is at least the amount that materialised
   * claims hold.
   */
  readonly isWhole: boolean
  readonly late: string | undefined
  /** The amount of one unit that is held in addition to what the report counts. */
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
 * The differences between the state of units and the values computed from report and claims. With `isWhole`, every claim must have its
 * amount on the unit that it names.
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
