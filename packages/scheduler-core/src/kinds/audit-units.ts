import type { Mismatch } from './kind.ts'

/** One of the units of a sort, of which a claim may get another than the one that it names. */
export interface AuditedUnit<Id> {
  readonly id: Id
  readonly field: string
  readonly capacity: number
  readonly used: number
  /** Whether the report counts its use. */
  readonly countsUse: boolean
  /** What the state says is free of it; undefined where it has no such unit. */
  readonly free: number | undefined
}

/** What claims hold of the unit that they name. */
export interface AuditedHold {
  /** Whether the report counts it or not. */
  readonly always: number
  /** Where the report does not count use. */
  readonly unlessCounted: number
  /** A claim of `always` that was made after the host's last report. */
  readonly late: string | undefined
}

/** The sums of a sort of units on one host, from report and claims alone. */
export interface SortSums {
  /** Free over all units; below 0 where more is held than there is. */
  readonly free: number
  /** Held beside what the report counts. */
  readonly beside: number
  /** What is left for that. */
  readonly room: number
  /** Every claim has its amount on the unit that it names, and use is no less than what materialised claims hold. */
  readonly isWhole: boolean
  readonly late: string | undefined
  /** Held of one unit beside what the report counts. */
  besideOf(hold: AuditedHold | undefined, countsUse: boolean): number
}

export function sumSort<Id>(units: readonly AuditedUnit<Id>[], held: ReadonlyMap<Id, AuditedHold>): SortSums {
  const anyCounts = units.some(({ countsUse }) => countsUse)
  const sum = (read: (unit: AuditedUnit<Id>) => number): number => units.reduce((total, unit) => total + read(unit), 0)
  const besideOf = (hold: AuditedHold | undefined, countsUse: boolean): number =>
    hold === undefined ? 0 : hold.always + (countsUse ? 0 : hold.unlessCounted)
  let beside = 0
  let covered = 0
  let isWhole = true
  let late: string | undefined
  for (const [id, hold] of held) {
    const unit = units.find((one) => one.id === id)
    const countsUse = unit?.countsUse ?? anyCounts
    const here = besideOf(hold, countsUse)
    beside += here
    if (countsUse) covered += hold.unlessCounted
    late ??= hold.late
    if (here > 0 && (unit === undefined || unit.used + here > unit.capacity)) isWhole = false
  }
  const used = sum((unit) => unit.used)
  const short = Math.max(0, covered - used)
  return {
    free: sum(({ capacity }) => capacity) - used - short - beside,
    beside,
    room: sum(({ capacity, used: here }) => Math.max(0, capacity - here)) - short,
    isWhole: isWhole && short === 0,
    late,
    besideOf,
  }
}

/** What of a sort of units is not as report and claims say; `isWhole`: every claim must have its amount where it names it. */
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
    const most = capacity - used - ((isWhole ?? sums.isWhole) ? sums.besideOf(held.get(id), countsUse) : 0)
    if (free === undefined || ((isWhole ?? sums.isWhole) ? free !== most : free > most))
      found.push({ code: 'state.column', field: where, expected: most, actual: free ?? 'none' })
  }
  const free = units.reduce((total, unit) => total + (unit.free ?? 0), 0)
  if (found.length === 0 && free !== sums.free)
    found.push({ code: 'state.column', field: `${field} free`, expected: sums.free, actual: free })
  if (sums.late !== undefined && sums.beside > sums.room)
    found.push({ code: 'state.over_capacity', field, expected: sums.room, actual: sums.beside, claim: sums.late })
  return found
}
