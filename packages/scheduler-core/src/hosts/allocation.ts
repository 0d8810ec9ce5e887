import {
  type AggregateRatio,
  type AggregateRatios,
  type AllocationOverride,
  type AllocationOverrides,
  type FleetAllocation,
  NO_RATIOS,
  type SetBy,
  type SetValue,
} from '../records/allocation-settings.ts'
import type { FleetAllocationSet, HostAllocationSet } from '../records/change.ts'
import { statsToCount } from '../records/used-from.ts'
import { isUnset, novaDefaults, ratioKeys } from '../report/nova-ratios.ts'
import type { HostStats } from '../report/stats.ts'
import { limits } from '../request/limits.ts'
import { readFloat } from '../text/numbers.ts'
import { ALLOCATION_RULES } from '../values/levels.ts'
import type { HostRecord, HostTable } from './hosts.ts'

/** The sources of an allocation ratio or a reserved amount, in order of precedence. The first source that has a value applies. */
export const allocationSources = ['HOST', 'AGGREGATE', 'REPORT', 'FLEET', 'NOVA_DEFAULT', 'NONE'] as const
export type AllocationSource = (typeof allocationSources)[number]

/** The value that applies, and its source. */
export interface Allocated {
  readonly value: number
  readonly source: AllocationSource
  /** Who set the value, when and why. Absent if nobody set the value. */
  readonly set?: SetBy
  /** The uuid of the aggregate that sets the ratio. Absent for other sources. */
  readonly aggregate?: string
  /** The release of Nova that has this value as its default. Absent for other sources. */
  readonly release?: number
}

/** True if a value is a valid allocation ratio. */
export const isRatio = (value: number): boolean => value >= 0.001 && value <= limits.ratio

const ratioEntries = Object.entries(ratioKeys)

/** For each resource class, the metadata key with which an aggregate sets the allocation ratio of its hosts. */
export const aggregateRatioKeys: Readonly<Record<string, string>> = ratioKeys

/** The allocation ratio of a class in an aggregate's metadata. Undefined if the metadata has no valid ratio. */
export function ratioIn(metadata: Readonly<Record<string, string>>, resourceClass: string): number | undefined {
  const key = aggregateRatioKeys[resourceClass]
  const text = key !== undefined && Object.hasOwn(metadata, key) ? metadata[key] : undefined
  const value = text === undefined ? undefined : readFloat(text)
  return value !== undefined && isRatio(value) ? value : undefined
}

interface RatedAggregate {
  readonly uuid: string
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * For each resource class, the lowest ratio that the aggregates set. The aggregates must be in order of uuid. If two aggregates have equal
 * ratios, the first is returned. If an aggregate has an invalid ratio, the class has no ratio from aggregates, as in Nova.
 */
export function minRatios(aggregates: readonly RatedAggregate[]): AggregateRatios {
  const least: Record<string, AggregateRatio> = {}
  for (const [resourceClass, key] of ratioEntries) {
    const saying = aggregates.filter(({ metadata }) => Object.hasOwn(metadata, key))
    if (saying.length === 0) continue
    const ratios = saying.map(({ uuid, metadata }) => ({ uuid, value: ratioIn(metadata, resourceClass) }))
    if (!ratios.every((one): one is AggregateRatio => one.value !== undefined)) continue
    const [first] = [...ratios].sort((a, b) => a.value - b.value)
    if (first !== undefined) least[resourceClass] = first
  }
  return Object.keys(least).length === 0 ? NO_RATIOS : least
}

export const sameRatios = (a: AggregateRatios, b: AggregateRatios): boolean =>
  a === b ||
  Object.keys(ratioKeys).every((resourceClass) => {
    const [one, other] = [a[resourceClass], b[resourceClass]]
    return one?.value === other?.value && one?.uuid === other?.uuid
  })

/** The allocation ratio of a class on a host, and its source. */
export function ratioOf(hosts: HostTable, record: HostRecord, resourceClass: string): Allocated {
  const least = hosts.featureLevel < ALLOCATION_RULES ? undefined : record.aggregateRatios[resourceClass]
  const isOfAggregate = least !== undefined && record.allocation[resourceClass]?.ratio === undefined
  if (isOfAggregate) return { value: least.value, source: 'AGGREGATE', aggregate: least.uuid }
  return ratioWithoutAggregates(hosts, record, resourceClass)
}

/** The allocation ratio that a class would have if the host's aggregates were ignored. Nova's weighers use this ratio. */
export function ratioWithoutAggregates(hosts: HostTable, { allocation, stats }: HostRecord, resourceClass: string): Allocated {
  const set = allocation[resourceClass]?.ratio
  if (set !== undefined) return { value: set.value, source: 'HOST', set }
  const own = inventoryOf(stats, resourceClass)
  const standard = standardRatio(stats, resourceClass)
  const isSaid =
    (own !== undefined && !stats.nova?.openRatios.includes(resourceClass)) || standard === undefined || !isUnset(stats.nova, resourceClass)
  if (hosts.featureLevel < ALLOCATION_RULES || isSaid) return { value: own?.allocationRatio ?? standard ?? 1, source: 'REPORT' }
  return ofFleet(hosts.fleetAllocation, resourceClass, 'ratio') ?? { value: 1, source: 'NONE' }
}

/** The reserved amount of a class on a host, and its source. */
export function reservedOf(hosts: HostTable, record: HostRecord, resourceClass: string): Allocated {
  const set = record.allocation[resourceClass]?.reserved
  if (set !== undefined) return { value: set.value, source: 'HOST', set }
  if (!leavesReserveOpen(hosts, record, resourceClass))
    return { value: inventoryOf(record.stats, resourceClass)?.reserved ?? 0, source: 'REPORT' }
  return ofFleet(hosts.fleetAllocation, resourceClass, 'reserved') ?? { value: 0, source: 'NONE' }
}

/**
 * True if the host reports in Nova's form, without a reserved amount for this class. The reserved amount that is configured for the whole
 * fleet then applies.
 */
const leavesReserveOpen = ({ featureLevel }: HostTable, { stats }: HostRecord, resourceClass: string): boolean =>
  featureLevel >= ALLOCATION_RULES &&
  stats.nova !== null &&
  standardRatio(stats, resourceClass) !== undefined &&
  (inventoryOf(stats, resourceClass) === undefined || stats.nova.openReserves.includes(resourceClass))

/**
 * The reserved amount that is part of the reported usage. Nova adds its configured reserved amounts to the usage in its reports. 0 for
 * other reports.
 */
const reserveInUse = (hosts: HostTable, record: HostRecord, resourceClass: string): number =>
  record.usedFrom === 'REPORT' && leavesReserveOpen(hosts, record, resourceClass) ? fleetReserveInUse(hosts, resourceClass) : 0

const fleetReserveInUse = ({ fleetAllocation }: HostTable, resourceClass: string): number =>
  fleetAllocation.classes[resourceClass]?.reservedInUse ?? ofFleet(fleetAllocation, resourceClass, 'reserved')?.value ?? 0

/**
 * The part of the usage in Nova's own figures of a host that this service does not count as used, because it is reserved: the configured
 * amount of the fleet, or the amount that an inventory next to the ComputeNode states. 0 for hosts that do not report in Nova's form.
 */
export function reserveInFigures(hosts: HostTable, record: HostRecord, resourceClass: string): number {
  if (record.stats.nova === null || standardRatio(record.stats, resourceClass) === undefined) return 0
  if (leavesReserveOpen(hosts, record, resourceClass)) return fleetReserveInUse(hosts, resourceClass)
  return inventoryOf(record.stats, resourceClass)?.reserved ?? 0
}

function ofFleet(
  { classes, release, by, at, reason }: FleetAllocation,
  resourceClass: string,
  what: 'ratio' | 'reserved',
): Allocated | undefined {
  const set = { by, at, reason }
  const given = classes[resourceClass]?.[what]
  if (given !== undefined) return { value: given, source: 'FLEET', set }
  const usual = release === null ? undefined : novaDefaults(release)[resourceClass]?.[what]
  return usual === undefined || release === null ? undefined : { value: usual, source: 'NOVA_DEFAULT', release, set }
}

/** A copy of the host's report in which the ratios, reserved amounts and usage are replaced by the values that apply. */
export function countedStats(hosts: HostTable, record: HostRecord): HostStats {
  const stats = statsToCount(record)
  if (!isOverruled(hosts, record)) return stats
  const standard = Object.fromEntries(
    Object.entries(standardFields).flatMap(([resourceClass, { ratio, used }]) => {
      const { value, source } = ratioOf(hosts, record, resourceClass)
      const usedHere = Math.max(0, stats[used] - reserveInUse(hosts, record, resourceClass))
      // The ratio in a plain field, such as `cpuAllocationRatio`, applies to NUMA cells. It can differ from the ratio of the class's
      // inventory, so a ratio from the report is left unchanged here.
      return [...(source === 'REPORT' ? [] : [[ratio, value] as const]), [used, usedHere] as const]
    }),
  )
  const listed = new Set(stats.inventories.map(({ resourceClass }) => resourceClass))
  const added = Object.entries(standardFields).flatMap(([resourceClass, { total }]) => {
    const reserved = reservedOf(hosts, record, resourceClass).value
    return listed.has(resourceClass) || reserved === 0 ? [] : [plainInventory(resourceClass, stats[total], reserved)]
  })
  const inventories = [...stats.inventories, ...added].map((inventory) => ({
    ...inventory,
    reserved: reservedOf(hosts, record, inventory.resourceClass).value,
    allocationRatio: ratioOf(hosts, record, inventory.resourceClass).value,
    used: inventory.used === null ? null : Math.max(0, inventory.used - reserveInUse(hosts, record, inventory.resourceClass)),
  }))
  return { ...stats, ...standard, inventories }
}

/**
 * The ratio that applies to the host. Undefined if it comes from the host's report or no source has a ratio, because an option of the
 * profile then takes precedence.
 */
export function ratioSet(hosts: HostTable, record: HostRecord, resourceClass: string): Allocated | undefined {
  if (!isOverruled(hosts, record)) return undefined
  const ratio = ratioOf(hosts, record, resourceClass)
  return ratio.source === 'REPORT' || ratio.source === 'NONE' ? undefined : ratio
}

/** True if a ratio or a reserved amount of the host can have a source other than the host's report. False for most hosts. */
export const isOverruled = (hosts: HostTable, { allocation, aggregateRatios, stats }: HostRecord): boolean =>
  Object.keys(allocation).length > 0 || (hosts.featureLevel >= ALLOCATION_RULES && (stats.nova !== null || aggregateRatios !== NO_RATIOS))

/** An inventory for a standard class that a report describes only in its plain fields, such as `vcpus`. */
const plainInventory = (resourceClass: string, total: number, reserved: number): HostStats['inventories'][number] => ({
  resourceClass,
  total,
  reserved,
  allocationRatio: 1,
  minUnit: 1,
  maxUnit: null,
  stepSize: 1,
  used: null,
})

const standardFields = {
  VCPU: { ratio: 'cpuAllocationRatio', total: 'vcpus', used: 'vcpusUsed' },
  MEMORY_MB: { ratio: 'ramAllocationRatio', total: 'memoryMb', used: 'memoryMbUsed' },
  DISK_GB: { ratio: 'diskAllocationRatio', total: 'localGb', used: 'localGbUsed' },
} as const satisfies Readonly<Record<string, Readonly<Record<'ratio' | 'total' | 'used', keyof HostStats>>>>

function standardRatio(stats: HostStats, resourceClass: string): number | undefined {
  const fields = Object.hasOwn(standardFields, resourceClass) ? standardFields[resourceClass as keyof typeof standardFields] : undefined
  return fields && stats[fields.ratio]
}

const inventoryOf = ({ inventories }: HostStats, resourceClass: string) => inventories.find((one) => one.resourceClass === resourceClass)

/**
 * The operators' settings of a host after an edit. Null in the edit removes a value. A value that is absent in the edit stays unchanged.
 */
export function withOverride(before: AllocationOverrides, change: HostAllocationSet, at: number): AllocationOverrides {
  const { resourceClass, by, reason } = change
  const next: Record<'ratio' | 'reserved', SetValue | undefined> = { ratio: undefined, reserved: undefined }
  for (const what of ['ratio', 'reserved'] as const) {
    const value = change[what]
    next[what] = value === undefined ? before[resourceClass]?.[what] : value === null ? undefined : { value, by, at, reason }
  }
  const { [resourceClass]: _, ...others } = before
  const { ratio, reserved } = next
  if (ratio === undefined && reserved === undefined) return others
  return { ...others, [resourceClass]: { ...(ratio && { ratio }), ...(reserved && { reserved }) } }
}

/**
 * The settings of a host after the merge of two hosts that are one machine. If both hosts have a value, the value that was set later
 * applies. If both values were set at the same time, the value of `own` applies.
 */
export function mergedOverrides(own: AllocationOverrides, other: AllocationOverrides): AllocationOverrides {
  const merged: Record<string, AllocationOverride> = { ...own }
  for (const [resourceClass, { ratio, reserved }] of Object.entries(other))
    merged[resourceClass] = {
      ...laterOf('ratio', own[resourceClass]?.ratio, ratio),
      ...laterOf('reserved', own[resourceClass]?.reserved, reserved),
    }
  return merged
}

function laterOf(what: 'ratio' | 'reserved', own: SetValue | undefined, other: SetValue | undefined): AllocationOverride {
  const last = own === undefined || (other !== undefined && other.at > own.at) ? other : own
  return last === undefined ? {} : { [what]: last }
}

/** True if an edit of a host's settings is valid. */
export const isAllocation = ({ ratio, reserved }: Pick<HostAllocationSet, 'ratio' | 'reserved'>): boolean =>
  (ratio === undefined || ratio === null || isRatio(ratio)) && (reserved === undefined || reserved === null || isReserved(reserved))

export const isReserved = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= limits.amount

/** True if an edit of the fleet's settings is valid. */
export const isFleetAllocation = ({ classes }: Pick<FleetAllocationSet, 'classes'>): boolean =>
  Object.values(classes).every(
    (amounts) => isAllocation(amounts) && (amounts.reservedInUse === undefined || isReservedInUse(amounts.reservedInUse, amounts.reserved)),
  )

/** True if this can be the part of a reserved amount that hosts report as used. */
export const isReservedInUse = (value: number, reserved: number | null | undefined): boolean =>
  isReserved(value) && value <= (reserved ?? -1)
