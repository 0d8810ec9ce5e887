import type { HostIndex } from '@gantt/scheduler-core'
import type { Replica } from '../../replica/replica.ts'

/** The last heal of a replica. */
export interface LastHeal {
  /** The revision at which the fleet was replaced. Readers that have read up to this revision can have read a wrong state. */
  readonly revision: number
  /** How many ordinals of hosts the healed fleet and the fleets before it used. */
  readonly ordinals: number
}

/**
 * Follows the heals of a replica. A heal can change every host and add or remove hosts at the end of the table, but the log gets no entry and
 * the revision stays the same. Therefore, all hosts count as changed.
 */
export function followHeals(replica: Pick<Replica, 'fleet' | 'onReplaced'>) {
  const listeners = new Set<(hosts: readonly HostIndex[]) => void>()
  let last: LastHeal | undefined
  replica.onReplaced(({ before, isHealed }) => {
    if (!isHealed) return
    const { hosts, place } = replica.fleet
    last = { revision: place.revision, ordinals: Math.max(hosts.count, before.hosts.count, last?.ordinals ?? 0) }
    const all = Array.from({ length: last.ordinals }, (_, index) => index as HostIndex)
    for (const listener of listeners) listener(all)
  })
  return {
    get last() {
      return last
    },
    /** Calls the listener after each heal with the ordinals of all hosts. Returns a function that removes the listener. */
    onHealed(listener: (hosts: readonly HostIndex[]) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
