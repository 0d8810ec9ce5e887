import type { HostIndex } from '../values/host-index.ts'
import { bytesOf, type Column, ColumnMemory, copyColumns, createColumns, type TypesOf } from './column-memory.ts'

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

const inventoryNames = Object.keys(inventoryTypes) as (keyof InventoryColumns)[]

export const createClassColumns = (size: number): ClassColumns => createColumns<ClassColumns>({ ...inventoryTypes, ...useTypes }, size)

/** The columns of a class that copies of a fleet do not share. */
export const useOf = ({ used, claimed, covered, free }: ClassColumns): UseColumns => ({ used, claimed, covered, free })

/** Replaces the inventory's columns by copies, for a writer. */
export function copyInventory(columns: ClassColumns): void {
  const { total, reserved, ratioMilli, minUnit, maxUnit, stepSize, capacity, reported, countsUse } = columns
  const inventory: InventoryColumns = { total, reserved, ratioMilli, minUnit, maxUnit, stepSize, capacity, reported, countsUse }
  Object.assign(columns, copyColumns(inventory, new ColumnMemory(bytesOf(inventory))))
}

/** Whether a host has exactly these values of a class. */
export const hasInventory = (columns: InventoryColumns, host: HostIndex, inventory: InventoryRow): boolean =>
  inventoryNames.every((name) => columns[name][host] === inventory[name])

export function setInventory(columns: InventoryColumns, host: HostIndex, inventory: InventoryRow): void {
  for (const name of inventoryNames) columns[name][host] = inventory[name]
}
