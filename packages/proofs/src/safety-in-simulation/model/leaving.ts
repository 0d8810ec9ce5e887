import { markEdited } from './aggregate.ts'
import { merged } from './allocation.ts'
import { holdNothingInAddition, isLive, isLiveState, isOverdue } from './claim.ts'
import { endClaim } from './claim-calls.ts'
import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'
import { findForgotten, findRenamed } from './host.ts'
import { forgetUnused } from './key.ts'
import { takeFull } from './report.ts'
import type { ModelClaim, ModelHost } from './state.ts'

export function liveOn(fleet: ModelFleet, host: ModelHost): ModelClaim[] {
  return fleet.claims.filter((claim) => claim.host === host.name && isLive(claim)).sort((a, b) => a.fence - b.fence)
}

function countClaims(fleet: ModelFleet, host: ModelHost): number {
  return host.gone === null ? liveOn(fleet, host).filter((claim) => !isOverdue(fleet, claim)).length : 0
}

export function hasClaims(fleet: ModelFleet, host: ModelHost): boolean {
  return liveOn(fleet, host).some((claim) => !isOverdue(fleet, claim))
}

export function judgeForget(fleet: ModelFleet, { hosts: names, isForced, expectedClaims }: ModelChange): string | undefined {
  const readmitted = (name: string): ModelHost | undefined => {
    const forgotten = findForgotten(fleet, name)
    return forgotten?.gone === 'readmitted' ? forgotten : undefined
  }
  const hosts = names.map(({ host }: ModelChange) => fleet.host(host) ?? readmitted(host))
  if (hosts.includes(undefined)) return 'leave.not_there'
  if (!isForced && hosts.some((host: ModelHost) => hasClaims(fleet, host))) return 'leave.has_claims'
  const count = hosts.reduce((sum: number, host: ModelHost) => sum + countClaims(fleet, host), 0)
  if (expectedClaims !== undefined && expectedClaims !== count) return 'leave.claims_changed'
  for (const host of hosts)
    if (host.gone === null) makeTombstone(fleet, host, 'forgotten')
    else host.gone = 'forgotten'
  return undefined
}

/** Removes a host that leaves the fleet. Its claims end. Only its names, and the data that identifies its old reports, are kept. */
export function makeTombstone(fleet: ModelFleet, host: ModelHost, as: 'forgotten' | 'merged'): void {
  for (const claim of host.gone === null ? liveOn(fleet, host) : [])
    if (isLive(claim)) endClaim(fleet, claim, isOverdue(fleet, claim) ? 'EXPIRED' : 'REVOKED')
  if (host.gone === null) editLists(fleet, host.name, [])
  for (const claim of host.gone === null ? fleet.claims.filter((one) => one.host === host.name) : []) {
    claim.lingers = false
    claim.heldUntil = null
    holdNothingInAddition(claim)
  }
  Object.assign(host, {
    gpus: [],
    gpusUsed: [],
    present: [],
    machine: null,
    listsNothing: false,
    full: null,
    fromClaims: false,
    allocation: {},
  })
  Object.assign(host, { status: 'ENABLED', liveness: 'UP', edited: fleet.revision, gone: as })
  forgetUnused(fleet)
}

/**
 * Replaces a host's name in the member lists of aggregates by other names. This has the same effect as an edit of each of these aggregates.
 */
export function editLists(fleet: ModelFleet, name: string, by: string[]): void {
  for (const aggregate of fleet.aggregates.filter(({ hosts }) => hosts.includes(name))) {
    const listed = [...new Set(aggregate.hosts.flatMap((host) => (host === name ? by : [host])))]
    markEdited(fleet, aggregate.hosts, listed, true)
    aggregate.hosts = listed
    aggregate.version++
  }
}

export function judgeReadmit(fleet: ModelFleet, { host: name }: ModelChange): string | undefined {
  const forgotten = findForgotten(fleet, name)
  const renamed = findRenamed(fleet, name)
  if (forgotten !== undefined) forgotten.gone = 'readmitted'
  else if (renamed !== undefined) renamed.former = renamed.former.filter((former) => former !== name)
  else return 'leave.not_gone'
  return undefined
}

/** Applies the renaming of a host. Returns why it has no effect, or undefined. The simulation renames one host at a time. */
export function judgeReplace(fleet: ModelFleet, { hosts: pairs }: ModelChange): string | undefined {
  const [pair] = pairs
  const from: string = pair.from.host
  const to: string = pair.to.host
  if (from === to) return 'leave.name_taken'
  const old = fleet.host(from)
  if (old === undefined) return 'leave.not_there'
  const renamed = findRenamed(fleet, to)
  if (renamed !== undefined && renamed !== old) return 'leave.name_taken'
  const next = fleet.host(to) ?? findForgotten(fleet, to)
  if (next !== undefined && next.gone === null && hasClaims(fleet, next)) return 'leave.has_claims'
  const reported = next?.gone === null ? { ...next } : undefined
  const listed = reported === undefined ? [from, to] : [from]
  const zones = fleet.aggregates.filter(({ zone, hosts }) => zone !== null && hosts.some((host) => listed.includes(host)))
  if (new Set(zones.map(({ zone }) => zone)).size > 1) return 'aggregate.zone_conflict'
  if (next !== undefined) makeTombstone(fleet, next, 'merged')
  old.name = to
  old.former = [...old.former.filter((name) => name !== to), from]
  for (const claim of fleet.claims)
    if (claim.host === from && (isLiveState(claim.state) || claim.lingers || claim.extra !== null)) claim.host = to
  editLists(fleet, from, [to])
  if (reported !== undefined) {
    const past = [...reported.pastIncarnations, old.incarnation, ...old.pastIncarnations]
    old.pastIncarnations = [...new Set(past.filter((incarnation) => incarnation !== reported.incarnation))].slice(0, 8)
    old.incarnation = reported.incarnation
    old.sequence = reported.sequence
    old.liveness = reported.liveness
    old.allocation = merged(old.allocation, reported.allocation)
    old.reportedAt = reported.reportedAt
    takeFull(fleet, old, reported.full as ModelChange, reported.reportedAt)
  }
  old.edited = fleet.revision
  return undefined
}
