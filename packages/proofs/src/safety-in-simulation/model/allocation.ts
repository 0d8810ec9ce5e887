import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'
import type { ModelHost, ModelOverrides } from './state.ts'

const LEVEL = 10

/** For each class: its fields in a report, and the name of its ratio in Nova's form. */
const FIELDS: Record<string, { total: string; ratio: string; used: string; nova: string }> = {
  VCPU: { total: 'vcpus', ratio: 'cpuAllocationRatio', used: 'vcpusUsed', nova: 'cpu_allocation_ratio' },
  MEMORY_MB: { total: 'memoryMb', ratio: 'ramAllocationRatio', used: 'memoryMbUsed', nova: 'ram_allocation_ratio' },
  DISK_GB: { total: 'localGb', ratio: 'diskAllocationRatio', used: 'localGbUsed', nova: 'disk_allocation_ratio' },
}

export const CLASSES = Object.keys(FIELDS)

const NOTHING = { total: 0, capacity: 0, used: 0 }

/** For a class of a host: the total minus the reserved amount, the capacity, and the reported use. */
export function amountsOf(fleet: ModelFleet, host: ModelHost, name: string): { total: number; capacity: number; used: number } {
  const fields = FIELDS[name]
  const { full } = host
  if (host.gone !== null || full === null || fields === undefined) return NOTHING
  const document = fleet.level >= LEVEL ? (full.nova?.computeNode ?? null) : null
  const set = host.allocation[name] ?? {}
  const own: number = document === null || document[fields.nova] ? full[fields.ratio] : (ofFleet(fleet, name, 'ratio') ?? 1)
  const ratio = set.ratio?.value ?? minRatio(fleet, host.name, name) ?? own
  const configured = document === null ? 0 : (ofFleet(fleet, name, 'reserved') ?? 0)
  const total = Math.max(0, full[fields.total] - (set.reserved?.value ?? configured))
  // Nova includes the reserved amount of its configuration in the used amount.
  const used = Math.max(0, full[fields.used] - configured)
  return { total, capacity: Math.floor((total * Math.round(ratio * 1_000)) / 1_000), used }
}

function ofFleet({ allocation: { release, classes } }: ModelFleet, name: string, what: 'ratio' | 'reserved'): number | undefined {
  const given = classes[name]?.[what]
  if (given !== undefined || release === null) return given
  if (what === 'reserved') return name === 'MEMORY_MB' ? 512 : 0
  if (name === 'VCPU') return release < 27 ? 16 : 4
  return name === 'MEMORY_MB' && release < 27 ? 1.5 : 1
}

/** The lowest ratio that a host's aggregates set. Undefined if they set none, or if one of the ratios is invalid. */
export function minRatio(fleet: ModelFleet, host: string, name: string): number | undefined {
  const key = FIELDS[name]?.nova
  if (fleet.level < LEVEL || key === undefined) return undefined
  const texts = fleet.aggregates.flatMap(({ hosts, metadata }) => (hosts.includes(host) ? (metadata[key] ?? []) : []))
  const ratios = texts.map(Number)
  return texts.length === 0 || ratios.some((ratio) => !isRatio(ratio)) ? undefined : Math.min(...ratios)
}

const isRatio = (ratio: number): boolean => ratio >= 0.001 && ratio <= 1_000

export const isInRange = ({ ratio, reserved }: { ratio?: number | null; reserved?: number | null }): boolean =>
  (typeof ratio !== 'number' || isRatio(ratio)) && (typeof reserved !== 'number' || (Number.isInteger(reserved) && reserved >= 0))

/** Applies an operator's edit to the values of a host. Null removes a value. */
export function override(fleet: ModelFleet, host: ModelHost, change: ModelChange): void {
  const next = { ...host.allocation[change.resourceClass] }
  for (const what of ['ratio', 'reserved'] as const) {
    if (change[what] === undefined) continue
    if (change[what] === null) delete next[what]
    else next[what] = { value: change[what], at: fleet.now }
  }
  host.allocation = { ...host.allocation, [change.resourceClass]: next }
}

/**
 * Merges the values that operators set for two hosts that are one machine. If a value is set for both hosts, the value that was set later
 * is used.
 */
export function merged(own: ModelOverrides, other: ModelOverrides): ModelOverrides {
  const all: ModelOverrides = {}
  for (const name of [...Object.keys(own), ...Object.keys(other)]) {
    all[name] = {}
    for (const what of ['ratio', 'reserved'] as const) {
      const [last] = [own[name]?.[what], other[name]?.[what]].filter((value) => value !== undefined).sort((a, b) => b.at - a.at)
      if (last !== undefined) all[name][what] = last
    }
  }
  return all
}

/**
 * Replaces the fleet's ratios and reserved amounts, which apply to hosts that report in Nova's form. Claims on such hosts become void if
 * they were decided before this change.
 */
export function judgeFleetAllocation(fleet: ModelFleet, { expectedVersion, release, classes }: ModelChange): string | undefined {
  if (fleet.allocation.version !== expectedVersion) return 'allocation.version'
  if (!Object.values<{ ratio?: number; reserved?: number }>(classes).every(isInRange)) return 'allocation.range'
  fleet.allocation = { version: expectedVersion + 1, release, classes }
  for (const host of fleet.hosts) if (host.gone === null && host.full?.nova) host.edited = fleet.revision
  return undefined
}
