import type { HostIndex } from '../../values/host-index.ts'
import type { Column } from '../column-memory.ts'
import { at, type ClassColumns, classColumnNames, classColumnTypes, createClassColumns } from '../columns.ts'

/** The values of a resource class on one host. */
export type ClassRow = Record<keyof ClassColumns, number>

const NO_ROW: Readonly<ClassRow> = Object.freeze(Object.fromEntries(classColumnNames.map((name) => [name, 0])) as ClassRow)

/**
 * The columns of a resource class that few hosts have. Only these hosts have values in memory, so that a copy of the fleet, or a report,
 * costs nothing for all other hosts. A column with a value for every host is made when it is first read as a whole, for example by a
 * decision about the class. Copies of the fleet share the values until one of them writes them, and do not get such columns.
 */
export class SparseColumns implements ClassColumns {
  #rows: Map<HostIndex, ClassRow>
  /**
   * True if another table can share the map of rows. A row that another table can share is never written: `open` replaces it by a copy,
   * which `set` writes.
   */
  #isShared = false
  #size: number
  #whole: Partial<Record<keyof ClassColumns, Column>> = {}

  constructor(size: number, rows = new Map<HostIndex, ClassRow>()) {
    this.#size = size
    this.#rows = rows
  }

  /** Columns with the values of `columns`, in which `hosts` has all hosts with values. */
  static of(columns: ClassColumns, hosts: Iterable<HostIndex>, size: number): SparseColumns {
    return new SparseColumns(size, new Map(Array.from(hosts, (host) => [host, rowIn(columns, host)])))
  }

  get total(): Float64Array {
    return this.#column('total') as Float64Array
  }
  get reserved(): Float64Array {
    return this.#column('reserved') as Float64Array
  }
  get ratioMilli(): Float64Array {
    return this.#column('ratioMilli') as Float64Array
  }
  get minUnit(): Float64Array {
    return this.#column('minUnit') as Float64Array
  }
  get maxUnit(): Float64Array {
    return this.#column('maxUnit') as Float64Array
  }
  get stepSize(): Float64Array {
    return this.#column('stepSize') as Float64Array
  }
  get capacity(): Float64Array {
    return this.#column('capacity') as Float64Array
  }
  get reported(): Uint8Array {
    return this.#column('reported') as Uint8Array
  }
  get countsUse(): Uint8Array {
    return this.#column('countsUse') as Uint8Array
  }
  get used(): Float64Array {
    return this.#column('used') as Float64Array
  }
  get claimed(): Float64Array {
    return this.#column('claimed') as Float64Array
  }
  get covered(): Float64Array {
    return this.#column('covered') as Float64Array
  }
  get free(): Float64Array {
    return this.#column('free') as Float64Array
  }

  /** The values on a host, for reading only. They are 0 on a host without the class. */
  row(host: HostIndex): Readonly<ClassRow> {
    return this.#rows.get(host) ?? NO_ROW
  }

  /** Prepares a host for `set`. */
  open(host: HostIndex): void {
    if (this.#isShared) this.#rows = new Map(this.#rows)
    this.#isShared = false
    this.#rows.set(host, { ...this.row(host) })
  }

  /** Sets a value on a host. Must be called after `open`, before the next copy. */
  set(name: keyof ClassColumns, host: HostIndex, value: number): void {
    const row = this.#rows.get(host)
    if (row === undefined) throw new Error(`host ${host} has no values that can be set`)
    row[name] = value
    const whole = this.#whole[name]
    if (whole !== undefined) whole[host] = value
  }

  /** Removes the values of a host. All of them must be 0. */
  drop(host: HostIndex): void {
    this.#rows.delete(host)
  }

  copy(): SparseColumns {
    const copy = new SparseColumns(this.#size, this.#rows)
    copy.#isShared = true
    this.#isShared = true
    return copy
  }

  grow(size: number): void {
    this.#size = size
    this.#whole = {}
  }

  /** Columns with a value for every host. */
  toDense(): ClassColumns {
    const dense = createClassColumns(this.#size)
    for (const [host, row] of this.#rows) for (const name of classColumnNames) dense[name][host] = row[name]
    return dense
  }

  #column(name: keyof ClassColumns): Column {
    const known = this.#whole[name]
    if (known !== undefined) return known
    const column = new classColumnTypes[name](this.#size)
    for (const [host, row] of this.#rows) column[host] = row[name]
    this.#whole[name] = column
    return column
  }
}

/** The value of a class on a host. 0 if no host has the class. Does not make a column of a class that few hosts have. */
export function classValue(columns: ClassColumns | undefined, name: keyof ClassColumns, host: HostIndex): number {
  if (columns === undefined) return 0
  return columns instanceof SparseColumns ? columns.row(host)[name] : at(columns[name], host)
}

/** All values of a class on a host. Does not make columns of a class that few hosts have. */
export const classRow = (columns: ClassColumns, host: HostIndex): Readonly<ClassRow> =>
  columns instanceof SparseColumns ? columns.row(host) : rowIn(columns, host)

/** Sets a value of a class on a host. Must be called within `write` of the class table. */
export function setClassValue(columns: ClassColumns, name: keyof ClassColumns, host: HostIndex, value: number): void {
  if (columns instanceof SparseColumns) columns.set(name, host, value)
  else columns[name][host] = value
}

const rowIn = (columns: ClassColumns, host: HostIndex): ClassRow => ({
  total: at(columns.total, host),
  reserved: at(columns.reserved, host),
  ratioMilli: at(columns.ratioMilli, host),
  minUnit: at(columns.minUnit, host),
  maxUnit: at(columns.maxUnit, host),
  stepSize: at(columns.stepSize, host),
  capacity: at(columns.capacity, host),
  reported: at(columns.reported, host),
  countsUse: at(columns.countsUse, host),
  used: at(columns.used, host),
  claimed: at(columns.claimed, host),
  covered: at(columns.covered, host),
  free: at(columns.free, host),
})
