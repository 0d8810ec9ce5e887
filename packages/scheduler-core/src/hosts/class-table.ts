import type { HostIndex } from '../values/host-index.ts'
import { bytesOf, type ColumnMemory, copyColumns, emptyColumns, growColumns } from './column-memory.ts'
import {
  at,
  type ClassColumns,
  copyInventory,
  createClassColumns,
  hasInventory,
  type InventoryRow,
  setInventory,
  useOf,
} from './columns.ts'

/**
 * The columns of the resource classes that are in use: a host reports the class, or claims hold an amount of it. Hosts and requests choose
 * the names of classes, and columns need memory for every host of the fleet. So a class has columns only while it is in use.
 */
export class ClassTable {
  readonly #columns = new Map<string, ClassColumns>()
  /** For each class with columns, the count of hosts on which the class is in use. */
  readonly #users = new Map<string, number>()
  /** The classes whose inventory columns another table can share. */
  readonly #shared = new Set<string>()
  /** Columns in which all values are 0, for reading a class that is not in use. Undefined until they are needed. */
  #unused: ClassColumns | undefined
  /** Every column has values for this many hosts. */
  #size: number

  constructor(size: number) {
    this.#size = size
  }

  /** The classes that are in use, with their columns. */
  get inUse(): ReadonlyMap<string, ClassColumns> {
    return this.#columns
  }

  /** The columns of a class, for reading only. If the class is not in use, all values are 0. */
  read(resourceClass: string): ClassColumns {
    const known = this.#columns.get(resourceClass)
    if (known !== undefined) return known
    this.#unused ??= createClassColumns(this.#size)
    return this.#unused
  }

  /**
   * Calls `change`, which writes the values of a class on a host. The columns of a class are kept from its first use on, and deleted after
   * its last use.
   */
  write(resourceClass: string, host: HostIndex, change: (columns: ClassColumns) => void): void {
    const columns = this.#columns.get(resourceClass) ?? createClassColumns(this.#size)
    const before = isInUse(columns, host)
    change(columns)
    const after = isInUse(columns, host)
    if (after === before) return
    const users = (this.#users.get(resourceClass) ?? 0) + (after ? 1 : -1)
    if (users > 0) {
      this.#columns.set(resourceClass, columns)
      this.#users.set(resourceClass, users)
      return
    }
    this.#columns.delete(resourceClass)
    this.#users.delete(resourceClass)
    this.#shared.delete(resourceClass)
  }

  /**
   * Writes the inventory of a class on a host. The columns stay shared with copies of the fleet if nothing changes. Must be called within
   * `write`.
   */
  setInventory(resourceClass: string, columns: ClassColumns, host: HostIndex, inventory: InventoryRow): void {
    if (hasInventory(columns, host, inventory)) return
    if (this.#shared.delete(resourceClass)) copyInventory(columns)
    setInventory(columns, host, inventory)
  }

  /** The count of bytes that a copy of this table needs. */
  get bytes(): number {
    let sum = 0
    for (const columns of this.#columns.values()) sum += bytesOf(useOf(columns))
    return sum
  }

  /**
   * Makes this empty table a copy of `from`. Usage columns are copied into `memory`. Inventories are shared until one of the tables writes
   * them.
   */
  takeCopy(from: ClassTable, memory: ColumnMemory): void {
    this.#size = from.#size
    for (const [name, columns] of from.#columns) {
      this.#columns.set(name, { ...columns, ...copyColumns(useOf(columns), memory) })
      for (const table of [this, from]) table.#shared.add(name)
    }
    for (const [name, users] of from.#users) this.#users.set(name, users)
  }

  /** Replaces all columns by empty columns, because another table reuses their memory. */
  giveUp(): void {
    for (const columns of this.#columns.values()) emptyColumns(columns)
  }

  /** Makes space in every column for `size` hosts. */
  grow(size: number): void {
    this.#size = size
    for (const columns of this.#columns.values()) growColumns(columns, size)
    this.#unused = undefined
    this.#shared.clear()
  }
}

/** True if a host reports the class, or claims hold an amount of it on the host. Otherwise, all values of the class on the host are 0. */
export const isInUse = ({ reported, claimed, covered }: ClassColumns, host: HostIndex): boolean =>
  at(reported, host) !== 0 || at(claimed, host) !== 0 || at(covered, host) !== 0
