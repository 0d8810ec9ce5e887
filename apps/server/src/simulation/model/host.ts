import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'

export interface ModelHost {
  name: string
  /** Class by class: what there is and is not kept back, what may be given, and what is used as reported. */
  classes: Record<string, { total: number; capacity: number; used: number }>
  /** GPUs by index, and those of them that the report shows in use. */
  gpus: number[]
  gpusUsed: number[]
  /** Ratios and reserved amounts that an operator set, class by class. */
  allocation: Record<string, { ratio?: number; reserved?: number }>
  /** An operator said that its used amounts come from claims. */
  fromClaims: boolean
  present: string[]
  /** The machine that it is, as it says. */
  machine: string | null
  /** Its last report had no list of instances. */
  listsNothing: boolean
  incarnation: string
  pastIncarnations: string[]
  sequence: number
  status: string
  liveness: string
  /** Revision of the last edit. */
  edited: number
  /** Its last report; null before the first, and of one that left. */
  full: ModelChange | null
  /** Not there any more: forgotten, let in again with its next report, or part of another host since that was renamed. */
  gone: 'forgotten' | 'readmitted' | 'merged' | null
  /** What it was called before, and may not be used by others. */
  former: string[]
}

export const NOTHING = { total: 0, capacity: 0, used: 0 }

export function findForgotten(fleet: ModelFleet, name: string): ModelHost | undefined {
  return fleet.hosts.find((host) => host.name === name && (host.gone === 'forgotten' || host.gone === 'readmitted'))
}

export function findRenamed(fleet: ModelFleet, name: string): ModelHost | undefined {
  return fleet.hosts.find(({ former }) => former.includes(name))
}

export function newHost(name: string): ModelHost {
  return {
    ...{
      name,
      classes: {},
      gpus: [],
      gpusUsed: [],
      allocation: {},
      fromClaims: false,
      present: [],
      machine: null,
      listsNothing: false,
      incarnation: '',
      pastIncarnations: [],
      sequence: 0,
    },
    ...{ status: 'ENABLED', liveness: 'UP', edited: 0, full: null, gone: null, former: [] },
  }
}

/** An operator, or a host's silence, says something of a host. */
export function judgeEdit(fleet: ModelFleet, change: ModelChange): string | undefined {
  const host = fleet.host(change.host)
  if (host === undefined) return 'report.unknown_host'
  if (change.type === 'status') host.status = change.status
  if (change.type === 'usedFrom') host.fromClaims = change.usedFrom === 'CLAIMS'
  if (change.type === 'liveness') host.liveness = change.state
  if (change.type === 'hostAllocation') {
    host.allocation[change.resourceClass] = overridden(host.allocation[change.resourceClass], change)
    countClasses(host)
  }
  // a sign of life makes nothing void that was decided without it
  if (change.type !== 'liveness' || change.state === 'DOWN') host.edited = fleet.revision
  return undefined
}

/** What was set, with an edit in it: null takes a value away. */
function overridden(before: ModelHost['allocation'][string] = {}, { ratio, reserved }: ModelChange): ModelHost['allocation'][string] {
  const next = { ...before, ...(ratio !== undefined && { ratio }), ...(reserved !== undefined && { reserved }) }
  if (next.ratio === null) delete next.ratio
  if (next.reserved === null) delete next.reserved
  return next
}

/** Class by class from the last report, and what operators set instead. */
export function countClasses(host: ModelHost): void {
  const { full } = host
  if (full === null) return
  const of = (name: string, total: number, reported: number, used: number) => {
    const { ratio = reported, reserved = 0 } = host.allocation[name] ?? {}
    const rest = Math.max(0, total - reserved)
    return { total: rest, capacity: Math.floor((rest * Math.round(ratio * 1_000)) / 1_000), used }
  }
  host.classes = {
    VCPU: of('VCPU', full.vcpus, full.cpuAllocationRatio, full.vcpusUsed),
    MEMORY_MB: of('MEMORY_MB', full.memoryMb, full.ramAllocationRatio, full.memoryMbUsed),
    DISK_GB: of('DISK_GB', full.localGb, full.diskAllocationRatio, full.localGbUsed),
  }
}
