import type { HostIndex } from '../values/host-index.ts'

export type Column = Float64Array | Int32Array | Uint16Array | Uint8Array

/** The value of a column for a host. */
export const at = (column: Column, host: HostIndex): number => column[host] as number

/**
 * Columns with a value for every host, in the order of first sight. Amounts are whole numbers in Float64Arrays (exact to 2^53). Only
 * `apply` and an overlay write them.
 */
export interface HostColumns {
  /** Index into hostStatuses: 0 ENABLED, 1 DISABLED, 2 DRAINING, 3 MAINTENANCE. */
  status: Uint8Array
  /** 0 up, 1 suspect, 2 down. */
  liveness: Uint8Array
  /** The host's availability zone, as a number that only this table's `zoneOf` can translate; 0 is the default zone. */
  zone: Int32Array
  /** Rises with every change of the host or of what it holds; scores that were cached at a version are valid at that version. */
  version: Float64Array
  /** Revision of the last edit (status, aggregate) that touched the host. */
  lastEdit: Float64Array
  /** Instances on the host: as reported, plus claims that the report does not count yet. */
  instances: Int32Array
  /** I/O-heavy operations: as reported, plus one per claim that the report does not count yet. */
  ioOps: Int32Array
  /** Thousandths of GPUs that are free, over all GPUs of the host. */
  gpuFreeMilli: Float64Array
  /**
   * The free thousandths of the GPU with the most, so that the devices of most hosts need not be read; 0 without GPUs.
   */
  gpuMostFreeMilli: Float64Array
  /** MiB that the report sets aside as huge pages, over all NUMA cells; this is not plain memory. */
  hugePageMib: Float64Array
  /**
   * 1 if the host's report in Nova's form says that the service is unavailable, or cannot be read
   * (report/reported-service.ts).
   */
  serviceSuspect: Uint8Array
  /** Fields that the host's report leaves out, as bits (report/stats-fields.ts). */
  omits: Int32Array
  /** 1 where the host has left the fleet (fleet/leave.ts). */
  gone: Uint8Array
}

export const createHostColumns = (size: number): HostColumns => ({
  status: new Uint8Array(size),
  liveness: new Uint8Array(size),
  zone: new Int32Array(size),
  version: new Float64Array(size),
  lastEdit: new Float64Array(size),
  instances: new Int32Array(size),
  ioOps: new Int32Array(size),
  gpuFreeMilli: new Float64Array(size),
  gpuMostFreeMilli: new Float64Array(size),
  hugePageMib: new Float64Array(size),
  serviceSuspect: new Uint8Array(size),
  omits: new Int32Array(size),
  gone: new Uint8Array(size),
})

/**
 * The inventory of one resource class on all hosts. It is written only when an inventory changes, so copies of a fleet
 * share these columns until then.
 */
export interface InventoryColumns {
  total: Float64Array
  reserved: Float64Array
  /** Allocation ratio in thousandths. */
  ratioMilli: Float64Array
  minUnit: Float64Array
  maxUnit: Float64Array
  stepSize: Float64Array
  /** floor((total - reserved) x ratio), computed once per report. */
  capacity: Float64Array
  /** 1 if the host reports this class at all. */
  reported: Uint8Array
  /** 1 if the host's report states the used amount, so that materialised claims are included in it. */
  countsUse: Uint8Array
}

/** The columns of one host for a class. */
export type InventoryRow = Readonly<Record<keyof InventoryColumns, number>>

/** The used amounts of one resource class. */
export interface UseColumns {
  used: Float64Array
  /** The amount that claims hold and `used` does not count. */
  claimed: Float64Array
  /**
   * The sum of claims whose instances the report lists, where it counts use: the part that exceeds `used` is in `claimed`. 0 below feature
   * level STRICT_CLAIMS.
   */
  covered: Float64Array
  free: Float64Array
}

/** Columns of one resource class. free = capacity - used - claimed; it may be negative after a report that shrinks a host. */
export interface ClassColumns extends InventoryColumns, UseColumns {}

export const createClassColumns = (size: number): ClassColumns => ({
  ...createInventoryColumns(size),
  used: new Float64Array(size),
  claimed: new Float64Array(size),
  covered: new Float64Array(size),
  free: new Float64Array(size),
})

function createInventoryColumns(size: number): InventoryColumns {
  return {
    total: new Float64Array(size),
    reserved: new Float64Array(size),
    ratioMilli: new Float64Array(size),
    minUnit: new Float64Array(size),
    maxUnit: new Float64Array(size),
    stepSize: new Float64Array(size),
    capacity: new Float64Array(size),
    reported: new Uint8Array(size),
    countsUse: new Uint8Array(size),
  }
}

const inventoryNames = Object.keys(createInventoryColumns(0)) as (keyof InventoryColumns)[]

/** Columns of a class that share the inventories of both sides with others; used amounts are copied, as in `takeColumns`. */
export function shareInventory(from: ClassColumns, spare?: UseColumns): ClassColumns {
  const { used, claimed, covered, free } = from
  const columns = { ...from }
  takeColumns<UseColumns>(columns, { used, claimed, covered, free }, spare)
  return columns
}

/** Replaces the inventory's columns by copies, for a writer. */
export function copyInventory(columns: ClassColumns): void {
  const own: Record<string, Column> = {}
  for (const name of inventoryNames) own[name] = columns[name].slice()
  Object.assign(columns, own)
}

/** Whether a host has exactly these values of a class. */
export const hasInventory = (columns: InventoryColumns, host: HostIndex, inventory: InventoryRow): boolean =>
  inventoryNames.every((name) => columns[name][host] === inventory[name])

export function setInventory(columns: InventoryColumns, host: HostIndex, inventory: InventoryRow): void {
  for (const name of inventoryNames) columns[name][host] = inventory[name]
}

/**
 * Copies every column of a set. The copies are made in the arrays of a spare set if it has some of that size; the spare set loses them.
 * Columns are large, and collecting them as garbage would slow down whatever runs at that time.
 */
export function takeColumns<Columns extends object>(columns: Columns, from: Columns, spare?: Columns): void {
  for (const [name, column] of Object.entries(from) as [keyof Columns, Column][]) {
    const old = spare?.[name] as Column | undefined
    columns[name] = (old?.length === column.length ? fill(old, column) : column.slice()) as Columns[keyof Columns]
    if (spare !== undefined) spare[name] = column.slice(0, 0) as Columns[keyof Columns]
  }
}

/** Every column of a set, copied into arrays of a larger size. */
export function growColumns<Columns extends object>(columns: Columns, size: number): void {
  for (const [name, column] of Object.entries(columns) as [keyof Columns, Column][]) {
    const larger = new (column.constructor as new (size: number) => Column)(size)
    larger.set(column as never)
    columns[name] = larger as Columns[keyof Columns]
  }
}

function fill(column: Column, from: Column): Column {
  column.set(from)
  return column
}
