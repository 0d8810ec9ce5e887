import { isInRange, override } from './allocation.ts'
import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'
import type { ModelHost } from './state.ts'

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
      gpus: [],
      gpusUsed: [],
      allocation: {},
      fromClaims: false,
      present: [],
      machine: null,
      listsNothing: false,
      incarnation: '',
      pastIncarnations: [],
      reportedAt: 0,
      sequence: 0,
    },
    ...{ status: 'ENABLED', liveness: 'UP', edited: 0, full: null, gone: null, former: [] },
  }
}

/** Applies a change to one host: an operator's edit, or a change of its liveness. Returns why the change has no effect, or undefined. */
export function judgeEdit(fleet: ModelFleet, change: ModelChange): string | undefined {
  const host = fleet.host(change.host)
  if (host === undefined) return 'report.unknown_host'
  if (change.type === 'hostAllocation' && !isInRange(change)) return 'allocation.range'
  if (change.type === 'status') host.status = change.status
  if (change.type === 'usedFrom') host.fromClaims = change.usedFrom === 'CLAIMS'
  if (change.type === 'liveness') host.liveness = change.state
  if (change.type === 'hostAllocation') override(fleet, host, change)
  // Of the changes of liveness, only the change to DOWN makes earlier decisions void.
  if (change.type !== 'liveness' || change.state === 'DOWN') host.edited = fleet.revision
  return undefined
}
