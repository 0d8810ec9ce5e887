import type { HostIndex } from '../../values/host-index.ts'
import { bytesOf, type ColumnMemory, copyColumns, emptyColumns, growColumns } from '../column-memory.ts'
import {
  type ClassColumns,
  copyInventory,
  createClassColumns,
  type InventoryRow,
  inventoryNames,
  isInventory,
  setInventory,
  useOf,
} from '../columns.ts'
import { classValue, SparseColumns } from './sparse-columns.ts'

/** Up to this many hosts, every class has columns with a value for every host. */
const ALWAYS_DENSE = 256
/**
 * In a larger table, a class gets such columns when at least one of this many hosts has the class, and loses them when fewer than one of
 * twice as many have it. Counted are the hosts for which the table has room, which can be up to twice as many as the fleet has.
 */
const DENSE_SHARE = 16

/**
 * The columns of the resource classes that are in use: a host reports the class, or claims hold an amount of it. Hosts and requests choose
 * the names of classes, and columns need memory for every host of the fleet. So a class has columns only while it is in use, and the columns
 * of a class that few hosts have contain only these hosts.
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
  #replacements = 0

  constructor(size: number) {
    this.#size = size
  }

  /** Increases whenever the columns of a class are created, replaced or removed. Columns that were read before are then out of date. */
  get replacements(): number {
    return this.#replacements
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
    const columns = this.#columns.get(resourceClass) ?? this.#create()
    const before = isInUse(columns, host)
    if (columns instanceof SparseColumns) columns.open(host)
    change(columns)
    const after = isInUse(columns, host)
    if (columns instanceof SparseColumns && !after) columns.drop(host)
    if (after === before) return
    const users = (this.#users.get(resourceClass) ?? 0) + (after ? 1 : -1)
    if (users > 0) {
      this.#users.set(resourceClass, users)
      this.#store(resourceClass, columns, users)
      return
    }
    if (this.#columns.delete(resourceClass)) this.#replacements++
    this.#users.delete(resourceClass)
    this.#shared.delete(resourceClass)
  }

  /**
   * Writes the inventory of a class on a host. The columns stay shared with copies of the fleet if nothing changes. Must be called within
   * `write`.
   */
  setInventory(resourceClass: string, columns: ClassColumns, host: HostIndex, inventory: InventoryRow): void {
    if (columns instanceof SparseColumns) {
      for (const name of inventoryNames) columns.set(name, host, inventory[name])
      return
    }
    if (isInventory(columns, host, inventory)) return
    if (this.#shared.delete(resourceClass)) {
      copyInventory(columns)
      this.#replacements++
    }
    setInventory(columns, host, inventory)
  }

  /** The columns of a class that no host has yet. */
  #create(): ClassColumns {
    return this.#size > ALWAYS_DENSE ? new SparseColumns(this.#size) : createClassColumns(this.#size)
  }

  /** Stores the columns of a class that `users` hosts have, in the form for this count. */
  #store(resourceClass: string, columns: ClassColumns, users: number): void {
    // the two limits differ, so that a host that joins and leaves does not change the form each time
    const isMany = users * DENSE_SHARE >= this.#size
    const isFew = this.#size > ALWAYS_DENSE && 2 * users * DENSE_SHARE < this.#size
    if (columns instanceof SparseColumns ? !isMany : !isFew) {
      if (this.#columns.get(resourceClass) !== columns) this.#replacements++
      this.#columns.set(resourceClass, columns)
      return
    }
    this.#replacements++
    this.#shared.delete(resourceClass)
    this.#columns.set(
      resourceClass,
      columns instanceof SparseColumns ? columns.toDense() : SparseColumns.of(columns, this.#usersIn(columns), this.#size),
    )
  }

  *#usersIn(columns: ClassColumns): Generator<HostIndex, void> {
    for (let host = 0; host < columns.reported.length; host++) if (isInUse(columns, host as HostIndex)) yield host as HostIndex
  }

  /** The count of hosts that have a class. */
  usersOf(resourceClass: string): number {
    return this.#users.get(resourceClass) ?? 0
  }

  /** How many classes have columns with a value for every host. */
  get denseCount(): number {
    let count = 0
    for (const columns of this.#columns.values()) if (!(columns instanceof SparseColumns)) count++
    return count
  }

  /** The count of bytes that a copy of this table needs. */
  get bytes(): number {
    let sum = 0
    for (const columns of this.#columns.values()) if (!(columns instanceof SparseColumns)) sum += bytesOf(useOf(columns))
    return sum
  }

  /**
   * Makes this empty table a copy of `from`. Usage columns are copied into `memory`. Inventories are shared until one of the tables writes
   * them.
   */
  takeCopy(from: ClassTable, memory: ColumnMemory): void {
    this.#size = from.#size
    for (const [name, columns] of from.#columns) {
      if (columns instanceof SparseColumns) {
        this.#columns.set(name, columns.copy())
        continue
      }
      this.#columns.set(name, { ...columns, ...copyColumns(useOf(columns), memory) })
      for (const table of [this, from]) table.#shared.add(name)
    }
    for (const [name, users] of from.#users) this.#users.set(name, users)
  }

  /** Replaces all columns by empty columns, because another table reuses their memory. */
  giveUp(): void {
    this.#replacements++
    for (const columns of this.#columns.values()) if (!(columns instanceof SparseColumns)) emptyColumns(columns)
  }

  /** Makes space in every column for `size` hosts. */
  grow(size: number): void {
    this.#replacements++
    this.#size = size
    for (const columns of this.#columns.values())
      if (columns instanceof SparseColumns) columns.grow(size)
      else growColumns(columns, size)
    this.#unused = undefined
    this.#shared.clear()
    for (const [name, users] of this.#users) this.#store(name, this.read(name), users)
  }
}

/** True if a host reports the class, or claims hold an amount of it on the host. Otherwise, all values of the class on the host are 0. */
export const isInUse = (columns: ClassColumns, host: HostIndex): boolean =>
  classValue(columns, 'reported', host) !== 0 || classValue(columns, 'claimed', host) !== 0 || classValue(columns, 'covered', host) !== 0
