import type { Claim } from '../claims/claim.ts'
import { dropPart, holdCopies, holdMove, holdPart } from '../claims/ledger.ts'
import { asksDifference } from '../kinds/index.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { ClaimPart, GroupBinding } from './change.ts'
import type { Fleet } from './fleet.ts'
import { STRICT_CLAIMS } from './levels.ts'

/**
 * Proposals seen as if they counted, while one batch is being decided. It writes into the fleet's columns and takes
 * everything back on `discard`, so reading costs nothing; between `open` and `discard` nothing else may run.
 */
export interface Overlay {
  /** Takes a pick's grants, so that the next pick sees what is left. The grants must fit. */
  hold(part: ClaimPart, group: GroupBinding | null): void
  /** Takes the same plain amounts so many times, as one step. */
  holdCopies(part: ClaimPart, group: GroupBinding | null, copies: number): void
  /** Takes what a move adds to its source. */
  holdMove(part: ClaimPart, group: GroupBinding | null, source: Claim): void
  /**
   * Sees the fleet without a claim, so that its instance does not stand in its own way: out of its group, and off its host where the judge
   * will see it so, as the request asks for no other units there than it holds. A rebuild takes nothing, so that from feature level
   * STRICT_CLAIMS on all that it holds counts as free.
   */
  lift(claim: Claim, request: RequestSpec, isRebuild?: boolean): void
  /** Sees the fleet without the destination of an open move, which ends before what is decided; `isPlainNext`: what follows takes plain amounts. */
  liftDestination(claim: Claim, isPlainNext: boolean): void
  /** How many steps are taken. */
  readonly size: number
  /** Takes back the steps after the first `size`: a request that failed half-way leaves nothing. */
  rollback(size: number): void
  /** Takes everything back. */
  discard(): void
}

/** Throws when the fleet has an open overlay already. */
export function openOverlay(fleet: Fleet): Overlay {
  const { hosts, groups, ledger } = fleet
  const undo: (() => void)[] = []
  fleet.lock()
  const rollback = (size: number): void => {
    while (undo.length > size) undo.pop()?.()
  }
  /** Binds the group for as long as the step stands. */
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
      const putBack = ledger.lift(claim, true)
      if ((isRebuild && hosts.featureLevel >= STRICT_CLAIMS) || asksDifference(hosts, claim.host, claim.grants, request)) {
        undo.push(putBack)
        return
      }
      putBack()
      undo.push(ledger.lift(claim, false))
    },
    liftDestination(claim, isPlainNext) {
      undo.push(ledger.liftDestination(claim, isPlainNext))
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
