import type { HostStats } from '@gantt/scheduler-core'
import { countAnew, mergedOverrides } from './allocation.ts'
import { claimsOn, report } from './fleet.ts'
import type { ModelFleet, ModelHost } from './state.ts'

/** Removes a host, and ends its claims. Aggregates list its host name until all hosts with this host name have left. */
export function forget(fleet: ModelFleet, host: ModelHost): void {
  for (const claim of claimsOn(fleet, host)) fleet.claims.splice(fleet.claims.indexOf(claim), 1)
  host.isGone = true
  host.overrides = {}
  renameInAggregates(fleet, host.host, [])
}

/** Applies the first report of a host that was forgotten and readmitted. The host is like a new one, but keeps its index. */
export function comeBack(fleet: ModelFleet, host: ModelHost, stats: HostStats): void {
  Object.assign(host, { isGone: false, status: 'ENABLED', liveness: 'UP', reported: stats, present: stats.instances ?? [] })
  countAnew(fleet)
}

/** Renames a host. If another host has the new name, both are one machine: they are merged, and the report of the other host is used. */
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
  report(fleet, host, same.reported, true)
}

export const presentAt = ({ hosts }: ModelFleet, name: Pick<ModelHost, 'host' | 'node'>): ModelHost | undefined =>
  hosts.find(({ host, node, isGone }) => !isGone && host === name.host && node === name.node)

/**
 * Replaces a host's name by the names `by` in all aggregates. If another host still has the old host name, aggregates list this name too.
 */
function renameInAggregates(fleet: ModelFleet, name: string, by: readonly string[]): void {
  const stays = fleet.hosts.some(({ host, isGone }) => host === name && !isGone) ? [name] : []
  for (const [i, aggregate] of fleet.aggregates.entries()) {
    const hosts = aggregate.hosts.flatMap((host) => (host === name ? [...stays, ...by] : [host]))
    fleet.aggregates[i] = { ...aggregate, hosts: [...new Set(hosts)] }
  }
  countAnew(fleet)
}
