import type { HostStats } from '@gantt/scheduler-core'
import type { ModelFleet, ModelHost } from './state.ts'

const STANDARD = [
  { name: 'VCPU', ratio: 'cpuAllocationRatio', total: 'vcpus', used: 'vcpusUsed', nova: 'cpu_allocation_ratio' },
  { name: 'MEMORY_MB', ratio: 'ramAllocationRatio', total: 'memoryMb', used: 'memoryMbUsed', nova: 'ram_allocation_ratio' },
  { name: 'DISK_GB', ratio: 'diskAllocationRatio', total: 'localGb', used: 'localGbUsed', nova: 'disk_allocation_ratio' },
] as const

/** Computes the ratios and reserved amounts that apply to each host, from its report and all other sources. */
export function countAnew(fleet: ModelFleet): void {
  for (const host of fleet.hosts) host.stats = counted(fleet, host)
}

function counted(fleet: ModelFleet, host: ModelHost): HostStats {
  const { reported, overrides } = host
  const stats = { ...reported, inventories: reported.inventories.map((inventory) => ({ ...inventory })) }
  for (const inventory of stats.inventories) {
    const name = inventory.resourceClass
    const set = overrides[name] ?? {}
    // Only the classes that a ComputeNode describes can be left to the settings of the fleet.
    const standard = STANDARD.find((one) => one.name === name)
    const isDefaulted = standard !== undefined && reported.nova?.openRatios.includes(name) && !reported.nova.computeNode[standard.nova]
    const own = isDefaulted ? (configured(fleet, name, 'ratio') ?? 1) : inventory.allocationRatio
    inventory.allocationRatio = set.ratio ?? minRatio(fleet, host, name) ?? own
    const isOpen = standard !== undefined && reported.nova?.openReserves.includes(name) === true
    const kept = isOpen ? (configured(fleet, name, 'reserved') ?? 0) : 0
    inventory.reserved = Math.min(inventory.total, set.reserved ?? (isOpen ? kept : inventory.reserved))
    if (inventory.used !== null && isOpen) inventory.used = Math.max(0, inventory.used - keptInUse(fleet, name))
  }
  for (const { name, ratio, total, used, nova } of STANDARD) {
    const set = overrides[name] ?? {}
    const isListed = stats.inventories.some(({ resourceClass }) => resourceClass === name)
    const leaves = (open: 'openRatios' | 'openReserves') => reported.nova !== null && (!isListed || reported.nova[open].includes(name))
    const isDefaulted = leaves('openRatios') && !reported.nova?.computeNode[nova]
    const own = isDefaulted ? (configured(fleet, name, 'ratio') ?? 1) : reported[ratio]
    stats[ratio] = set.ratio ?? minRatio(fleet, host, name) ?? own
    const kept = leaves('openReserves') ? (configured(fleet, name, 'reserved') ?? 0) : 0
    // The used amounts in Nova's reports include the amounts that Nova's configuration reserves.
    stats[used] = Math.max(0, reported[used] - (leaves('openReserves') ? keptInUse(fleet, name) : 0))
    if (isListed) continue
    const reserved = Math.min(reported[total], set.reserved ?? kept)
    if (reserved === 0) continue
    const units = { minUnit: 1, maxUnit: null, stepSize: 1, used: null }
    stats.inventories.push({ resourceClass: name, total: reported[total], reserved, allocationRatio: stats[ratio], ...units })
  }
  return stats
}

function configured({ allocation: { release, classes } }: ModelFleet, name: string, what: 'ratio' | 'reserved'): number | undefined {
  const set = classes[name]?.[what]
  if (set !== undefined || release === null) return set
  if (what === 'reserved') return name === 'MEMORY_MB' ? 512 : 0
  const [before = 1, since = 1] = { VCPU: [16, 4], MEMORY_MB: [1.5, 1] }[name] ?? []
  return release < 27 ? before : since
}

/** How much of the reserved amount of the fleet is part of the used amounts in Nova's reports: all of it, unless a setting says how much. */
const keptInUse = (fleet: ModelFleet, name: string): number =>
  fleet.allocation.classes[name]?.reservedInUse ?? configured(fleet, name, 'reserved') ?? 0

/** For a class of a host that reports in Nova's form: how much of the used amount in Nova's own figures is a reserve. */
export function reserveCountedByNova(fleet: ModelFleet, { reported }: ModelHost, name: string): number {
  if (reported.nova === null || !STANDARD.some((one) => one.name === name)) return 0
  const inventory = reported.inventories.find(({ resourceClass }) => resourceClass === name)
  const isStated = inventory !== undefined && !reported.nova.openReserves.includes(name)
  return isStated ? inventory.reserved : keptInUse(fleet, name)
}

/** The lowest ratio that a host's aggregates set. Undefined if they set none, or if one of the ratios is invalid. */
function minRatio({ aggregates }: ModelFleet, { host }: ModelHost, resourceClass: string): number | undefined {
  const key = STANDARD.find(({ name }) => name === resourceClass)?.nova
  const texts = aggregates.filter(({ hosts }) => hosts.includes(host)).flatMap(({ metadata }) => metadata[key ?? ''] ?? [])
  const ratios = texts.map((text) => (text.trim() === '' ? Number.NaN : Number(text)))
  return ratios.length > 0 && ratios.every((ratio) => ratio >= 0.001 && ratio <= 1_000) ? Math.min(...ratios) : undefined
}

/** Sets an operator's values for a class of a host. Null removes a value. */
export function override(
  fleet: ModelFleet,
  host: ModelHost,
  { resourceClass, ratio, reserved }: { readonly resourceClass: string; readonly ratio: number | null; readonly reserved: number | null },
): void {
  const set = { ...(ratio !== null && { ratio }), ...(reserved !== null && { reserved }) }
  host.overrides = { ...host.overrides, [resourceClass]: set }
  countAnew(fleet)
}

/**
 * Merges the values that operators set for two hosts that are one machine. If a value is set for both hosts, the value in `own` is used.
 */
export function mergedOverrides(own: ModelHost['overrides'], other: ModelHost['overrides']): ModelHost['overrides'] {
  const names = new Set([...Object.keys(own), ...Object.keys(other)])
  return Object.fromEntries(Array.from(names, (name) => [name, { ...other[name], ...own[name] }]))
}
