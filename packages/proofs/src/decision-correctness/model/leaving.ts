import type { HostStats } from '@gantt/scheduler-core'
import { countAnew, mergedOverrides } from './allocation.ts'
import { claimsOn, report } from './fleet.ts'
import type { ModelFleet, ModelHost } from './state.ts'

/** A host leaves: its claims end with it, and no aggregate names it once its last node is gone. */
export function forget(fleet: ModelFleet, host: ModelHost): void {
  for (const claim of claimsOn(fleet, host)) fleet.claims.splice(fleet.claims.indexOf(claim), 1)
  host.isGone = true
  host.overrides = {}
  renameInAggregates(fleet, host.host, [])
}

/** A forgotten host reports again: it is as a new one, in its old place. */
export function comeBack(fleet: ModelFleet, host: ModelHost, stats: HostStats): void {
  Object.assign(host, { isGone: false, status: 'ENABLED', liveness: 'UP', reported: stats, present: stats.instances ?? [] })
  countAnew(fleet)
}

/** A host gets another name; the host that reports under it already is the same machine, and what it reports is true of both. */
export function replace(fleet: ModelFleet, host: ModelHost, to: Pick<ModelHost, 'host' | 'node'>): void {
  const same = presentAt(fleet, to)
  const overrides = mergedOverrides(host.overrides, same?.overrides ?? {})
  if (same !== undefined) forget(fleet, same)
  host.overrides = overrides
  const from = host.host
  host.host = to.host
  host.node = to.node
  if (from !== to.host) renameInAggregates(fleet, from, [to.host])
  countAnew(fleet)
  if (same === undefined) return
  host.liveness = same.liveness
  report(fleet, host, same.reported)
}

export const presentAt = ({ hosts }: ModelFleet, name: Pick<ModelHost, 'host' | 'node'>): ModelHost | undefined =>
  hosts.find(({ host, node, isGone }) => !isGone && host === name.host && node === name.node)

/** Lists name these hosts instead of one, and that too while it has nodes. */
function renameInAggregates(fleet: ModelFleet, name: string, by: readonly string[]): void {
  const stays = fleet.hosts.some(({ host, isGone }) => host === name && !isGone) ? [name] : []
  for (const [i, aggregate] of fleet.aggregates.entries()) {
    const hosts = aggregate.hosts.flatMap((host) => (host === name ? [...stays, ...by] : [host]))
    fleet.aggregates[i] = { ...aggregate, hosts: [...new Set(hosts)] }
  }
  countAnew(fleet)
}
