import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'
import { NovaError } from '../text/nova-error.ts'

export interface Candidates<Host> {
  readonly hosts: readonly Host[]
  /** True if the hosts are forced. Nova runs no filter on forced hosts. */
  readonly isForced: boolean
}

/**
 * The hosts that a request admits, as in Nova's host manager. Ignored hosts are removed. If the request has forced hosts or a requested
 * destination, only these remain. Names of ignored and forced hosts are compared without regard to case. Other names are case-sensitive.
 */
export function candidatesOf<Host extends HostState>(request: NovaRequest, hosts: readonly Host[]): Candidates<Host> {
  const { requestedDestination: destination } = request
  const ignored = lowered(request.ignoreHosts)
  const forcedHosts = lowered(request.forceHosts)
  const forcedNodes = new Set(request.forceNodes)
  let left = hosts
  if (destination?.host !== undefined)
    left = left.filter(({ host, node }) => host === destination.host && (!destination.node || node === destination.node))
  if (ignored.size === 0 && forcedHosts.size === 0 && forcedNodes.size === 0) return { hosts: left, isForced: false }
  if (ignored.size > 0) {
    left = left.filter(({ host }) => !ignored.has(host.toLowerCase()))
    if (left.length === 0) return { hosts: left, isForced: true }
  }
  if (forcedHosts.size > 0) left = left.filter(({ host }) => forcedHosts.has(host.toLowerCase()))
  if (forcedNodes.size > 0) left = left.filter(({ node }) => forcedNodes.has(node))
  if (request.schedulerHints === null) throw nullHints()
  return { hosts: left, isForced: skipsFilters(request) }
}

/**
 * Returns true if Nova runs no filter, because the request forces hosts or nodes. A rebuild is an exception, so its filters run. Throws an
 * error if hosts or nodes are forced and the scheduler hints are null.
 */
export function skipsFilters({ forceHosts, forceNodes, schedulerHints }: NovaRequest): boolean {
  if ((forceHosts ?? []).length + (forceNodes ?? []).length === 0) return false
  if (schedulerHints === null) throw nullHints()
  return (schedulerHints?._nova_check_type ?? []).length === 0
}

const lowered = (names: readonly string[] | null | undefined): ReadonlySet<string> =>
  new Set((names ?? []).map((name) => name.toLowerCase()))

const nullHints = () => new NovaError('AttributeError', { subject: 'scheduler_hints', need: 'a dictionary, or unset', have: 'null' })
