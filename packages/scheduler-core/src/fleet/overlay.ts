import { dropPart, holdCopies, holdMove, holdPart } from '../claims/held-amounts.ts'
import { asksDifference } from '../kinds/index.ts'
import type { ClaimPart, GroupBinding } from '../records/change.ts'
import type { Claim } from '../records/claim.ts'
import { demandOf, type RequestSpec } from '../request/request-spec.ts'
import { STRICT_CLAIMS } from '../values/levels.ts'
import type { Fleet } from './fleet.ts'

/**
 * Proposals that are treated as accepted while one batch is being decided. The overlay writes them into the fleet's columns, because reads
 * are then as fast as without an overlay. `discard` undoes all writes. While an overlay is open, no other code may use the fleet.
 */
export interface Overlay {
  /**
   * Subtracts the grants of a chosen instance from the free amounts. The next choice then uses the remaining resources. The grants must
   * fit.
   */
  hold(part: ClaimPart, group: GroupBinding | null): void
  /** Subtracts the same plain amounts `copies` times in one step. */
  holdCopies(part: ClaimPart, group: GroupBinding | null, copies: number): void
  /** Subtracts the resources that a move needs in addition to those of its source claim. */
  holdMove(part: ClaimPart, group: GroupBinding | null, source: Claim): void
  /**
   * Adds the resources of a claim to the free amounts and removes the claim from its group, for the claim's own move. Like the judge, it
   * leaves the resources reserved if the request needs units on the claim's host that do not belong to the claim. For a rebuild, all
   * resources of the claim are free from feature level STRICT_CLAIMS on.
   */
  lift(claim: Claim, request: RequestSpec, isRebuild?: boolean): void
  /**
   * Removes the destination claim of an open move from the sums, because the claim ends before the decision takes effect. `isPlainNext` is
   * true if the new grants are plain amounts.
   */
  liftDestination(claim: Claim, isPlainNext: boolean): void
  /**
   * Treats the requested resources as free on the destination host, because the instance already runs on that host and the report includes
   * its usage.
   */
  keepListed(request: RequestSpec): void
  /** The count of steps that were made and not undone. */
  readonly size: number
  /** Undoes all steps after the first `size` steps. Used if only a part of a request could be placed. */
  rollback(size: number): void
  /** Undoes all steps. */
  discard(): void
}

/** Opens an overlay. Throws Error if an overlay is open on the fleet or an entry is being applied to it. */
export function openOverlay(fleet: Fleet): Overlay {
  const { hosts, groups, ledger } = fleet
  const undo: (() => void)[] = []
  fleet.lock()
  const rollback = (size: number): void => {
    while (undo.length > size) undo.pop()?.()
  }
  /** Combines the undo functions of a step: `takeBack` for the grants, and `unbind` for the group. */
  const bound = (takeBack: () => void, unbind: (() => void) | undefined) => () => {
    takeBack()
    unbind?.()
  }
  const bind = (group: GroupBinding | null): (() => void) | undefined => (group === null ? undefined : groups.bind(group))
  return {
    hold(part, group) {
      const unbind = bind(group)
      holdPart(hosts, groups, part, group)
      undo.push(bound(() => dropPart(hosts, groups, part, group), unbind))
    },
    holdCopies(part, group, copies) {
      const unbind = bind(group)
      undo.push(bound(holdCopies(hosts, groups, part, group, copies), unbind))
    },
    holdMove(part, group, source) {
      const unbind = bind(group)
      undo.push(bound(holdMove(hosts, groups, part, group, source), unbind))
    },
    lift(claim, request, isRebuild = false) {
      const restore = ledger.lift(claim, true)
      if ((isRebuild && hosts.featureLevel >= STRICT_CLAIMS) || asksDifference(hosts, claim.host, claim.grants, request)) {
        if (isRebuild && hosts.mover !== null) hosts.mover = { ...hosts.mover, isRebuild: true }
        undo.push(restore)
        return
      }
      restore()
      undo.push(ledger.lift(claim, false))
    },
    liftDestination(claim, isPlainNext) {
      undo.push(ledger.liftDestination(claim, isPlainNext))
    },
    keepListed(request) {
      const { mover } = hosts
      const { host, node } = request.requestedDestination ?? { host: null, node: null }
      const record = host === null || node === null ? undefined : hosts.find({ host, node })
      if (record !== undefined) hosts.mover = { host: record.index, grants: { classes: demandOf(request).amounts }, isFree: true }
      undo.push(() => {
        hosts.mover = mover
      })
    },
    get size() {
      return undo.length
    },
    rollback,
    discard() {
      rollback(0)
      fleet.unlock()
    },
  }
}
