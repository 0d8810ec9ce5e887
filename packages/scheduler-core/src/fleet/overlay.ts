import { dropPart, holdPart } from '../claims/ledger.ts'
import type { ClaimPart, GroupBinding } from './change.ts'
import type { Fleet } from './fleet.ts'

/**
 * Proposals seen as if they counted, while one batch is being decided. It writes into the fleet's columns and takes
 * everything back on `discard`, so reading costs nothing; between `open` and `discard` nothing else may run.
 */
export interface Overlay {
  /** Takes a pick's grants, so that the next pick sees what is left. The grants must fit. */
  hold(part: ClaimPart, group: GroupBinding | null): void
  /** How many picks are held. */
  readonly size: number
  /** Takes back the picks after the first `size`: a request that failed half-way leaves nothing. */
  rollback(size: number): void
  /** Takes everything back. */
  discard(): void
}

/** Throws when the fleet has an open overlay already. */
export function openOverlay(fleet: Fleet): Overlay {
  const { hosts, groups } = fleet
  const held: { part: ClaimPart; group: GroupBinding | null; made: boolean }[] = []
  fleet.lock()
  const rollback = (size: number): void => {
    while (held.length > size) {
      const { part, group, made } = held.pop() as (typeof held)[number]
      dropPart(hosts, groups, part, group)
      if (made && group !== null) groups.unbind(group.uuid)
    }
  }
  return {
    hold(part, group) {
      const made = group !== null && groups.find(group.uuid) === undefined
      if (group !== null) groups.bind(group)
      holdPart(hosts, groups, part, group)
      held.push({ part, group, made })
    },
    get size() {
      return held.length
    },
    rollback,
    discard() {
      rollback(0)
      fleet.unlock()
    },
  }
}
