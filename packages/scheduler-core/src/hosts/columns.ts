import type { HostIndex } from '../values/host-index.ts'
import { bytesOf, type Column, ColumnMemory, copyColumns, createColumns, type TypesOf } from './column-memory.ts'

/** The value of a column for a host. */
export const at = (column: Column, host: HostIndex): number => column[host] as number

/**
 * Columns with a value for every host, in the order in which hosts first reported. Amounts are integers in Float64Arrays (exact to 2^53).
 * Only `apply` and an overlay write the columns.
 */
export interface HostColumns {
  /** Index into hostStatuses: 0 ENABLED, 1 DISABLED, 2 DRAINING, 3 MAINTENANCE. */
  status: Uint8Array
  /** 0 up, 1 suspect, 2 down. */
  liveness: Uint8Array
  /**
   * The number that the host table assigned to the host's availability zone. `zoneOf` returns the number of a zone name. 0 is the default
   * zone.
   */
  zone: Int32Array
  /** Increases with every change of the host, its claims or its instances. A cached score of the host is valid until this value changes. */
  version: Float64Array
  /** The revision of the last edit of the host, such as an edit of its status or of an aggregate that lists it. */
  lastEdit: Float64Array
  /** The count of instances on the host: the reported count, plus the claims that the report does not count yet. */
  instances: Int32Array
  /** The count of I/O-heavy operations: the reported count, plus one for each claim that the report does not count yet. */
  ioOps: Int32Array
  /** The free thousandths of GPUs, summed over all GPUs of the host. */
  gpuFreeMilli: Float64Array
  /**
   * The free thousandths of the host's GPU that has the most. 0 without GPUs. Hosts for which this value is too small are refused without
   * reading their list of GPUs.
   */
  gpuMostFreeMilli: Float64Array
  /** MiB of huge pages in the report, over all NUMA cells. Memory that is not in huge pages is called plain memory. */
  hugePageMib: Float64Array
  /** 1 if the host's report in Nova's form has a compute service that is disabled or forced down, or whose data cannot be read. */
  serviceSuspect: Uint8Array
  /** The fields that the host's report does not contain, as bits (`bitsOf`). */
  omits: Int32Array
  /** 1 if the host has left the fleet. */
  gone: Uint8Array
}

const hostColumnTypes = {
  status: Uint8Array,
  liveness: Uint8Array,
  zone: Int32Array,
  version: Float64Array,
  lastEdit: Float64Array,
  instances: Int32Array,
  ioOps: Int32Array,
  gpuFreeMilli: Float64Array,
  gpuMostFreeMilli: Float64Array,
  hugePageMib: Float64Array,
  serviceSuspect: Uint8Array,
  omits: Int32Array,
  gone: Uint8Array,
} as const satisfies TypesOf<HostColumns>

export const createHostColumns = (size: number): HostColumns => createColumns<HostColumns>(hostColumnTypes, size)

/** The inventory of one resource class on all hosts. Copies of a fleet share these columns until an inventory changes. */
export interface InventoryColumns {
  total: Float64Array
  reserved: Float64Array
  /** Allocation ratio in thousandths. */
  ratioMilli: Float64Array
  minUnit: Float64Array
  maxUnit: Float64Array
  stepSize: Float64Array
  /** floor((total - reserved) x ratio), computed once for each report. */
  capacity: Float64Array
  /** 1 if the host reports this class. */
  reported: Uint8Array
  /** 1 if the host reports the used amount of this class. The used amount then includes the instances of materialised claims. */
  countsUse: Uint8Array
}

/** The inventory of one resource class on one host. */
export type InventoryRow = Readonly<Record<keyof InventoryColumns, number>>

/** True if the columns have this inventory on a host. Names each column, because V8 is slow to read columns by a name in a variable. */
export const isInventory = (columns: InventoryColumns, host: HostIndex, row: InventoryRow): boolean =>
  columns.total[host] === row.total &&
  columns.reserved[host] === row.reserved &&
  columns.ratioMilli[host] === row.ratioMilli &&
  columns.minUnit[host] === row.minUnit &&
  columns.maxUnit[host] === row.maxUnit &&
  columns.stepSize[host] === row.stepSize &&
  columns.capacity[host] === row.capacity &&
  columns.reported[host] === row.reported &&
  columns.countsUse[host] === row.countsUse

export function setInventory(columns: InventoryColumns, host: HostIndex, row: InventoryRow): void {
  columns.total[host] = row.total
  columns.reserved[host] = row.reserved
  columns.ratioMilli[host] = row.ratioMilli
  columns.minUnit[host] = row.minUnit
  columns.maxUnit[host] = row.maxUnit
  columns.stepSize[host] = row.stepSize
  columns.capacity[host] = row.capacity
  columns.reported[host] = row.reported
  columns.countsUse[host] = row.countsUse
}

/** The usage of one resource class. */
export interface UseColumns {
  used: Float64Array
  /** The amount that claims hold and that is not included in `used`. */
  claimed: Float64Array
  /**
   * If the report counts usage: the amount that the claims of the reported instances hold. If this amount exceeds `used`, the excess is in
   * `claimed`. 0 below feature level STRICT_CLAIMS.
   */
  covered: Float64Array
  free: Float64Array
}

/**
 * The columns of one resource class. free = capacity - used - claimed. `free` is negative if the host now reports a capacity that is
 * smaller than its usage and claims.
 */
export interface ClassColumns extends InventoryColumns, UseColumns {}

const inventoryTypes = {
  total: Float64Array,
  reserved: Float64Array,
  ratioMilli: Float64Array,
  minUnit: Float64Array,
  maxUnit: Float64Array,
  stepSize: Float64Array,
  capacity: Float64Array,
  reported: Uint8Array,
  countsUse: Uint8Array,
} as const satisfies TypesOf<InventoryColumns>

const useTypes = {
  used: Float64Array,
  claimed: Float64Array,
  covered: Float64Array,
  free: Float64Array,
} as const satisfies TypesOf<UseColumns>

export const inventoryNames = Object.keys(inventoryTypes) as (keyof InventoryColumns)[]

export const classColumnTypes: TypesOf<ClassColumns> = { ...inventoryTypes, ...useTypes }

export const classColumnNames = Object.keys(classColumnTypes) as (keyof ClassColumns)[]

export const createClassColumns = (size: number): ClassColumns => createColumns<ClassColumns>(classColumnTypes, size)

/** The usage columns of a class. Copies of a fleet do not share these columns. */
export const useOf = ({ used, claimed, covered, free }: ClassColumns): UseColumns => ({ used, claimed, covered, free })

/** Replaces the inventory columns by copies. Called before a write, because other fleets can share the columns. */
export function copyInventory(columns: ClassColumns): void {
  const { total, reserved, ratioMilli, minUnit, maxUnit, stepSize, capacity, reported, countsUse } = columns
  const inventory: InventoryColumns = { total, reserved, ratioMilli, minUnit, maxUnit, stepSize, capacity, reported, countsUse }
  Object.assign(columns, copyColumns(inventory, new ColumnMemory(bytesOf(inventory))))
}
