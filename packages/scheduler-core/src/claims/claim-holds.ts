import type { Groups } from '../hosts/groups.ts'
import type { HostRecord, HostTable } from '../hosts/hosts.ts'
import { isPlain } from '../kinds/index.ts'
import type { Grants } from '../records/change.ts'
import type { Claim } from '../records/claim.ts'
import { ADDED_IN_PLACE, ENDED_AS_HELD, ENDED_CLAIMS, OWN_UNITS, STRICT_CLAIMS } from '../values/levels.ts'
import type { ClaimMap } from './claim-store.ts'
import { drop, dropCounted, hold, holdCounted, isCounted, liftCounted, liftParts } from './held-amounts.ts'
import { countedBy, countedGrants, withoutExtra } from './in-place.ts'

/**
 * The amounts and units that live claims hold on their hosts, and how they are left out of the sums while a move is
 * judged and decided.
 */
export class ClaimHolds {
  readonly #hosts: HostTable
  readonly #groups: Groups
  readonly #claims: ClaimMap

  constructor(hosts: HostTable, groups: Groups, claims: ClaimMap) {
    this.#hosts = hosts
    this.#groups = groups
    this.#claims = claims
  }

  /** Whether a claim is the destination of an open move on the host of its source, which keeps the instance until the move ends. */
  isInPlace({ source, host }: Claim): boolean {
    return source !== null && this.#claims.get(source)?.host === host
  }

  /** Holds a live claim's grants, of a move in place only what it adds to its source, and those that no report counts yet. */
  hold(claim: Claim): void {
    const record = this.#hosts.get(claim.host)
    const inPlace = this.isInPlace(claim)
    if (!inPlace) holdCounted(this.#hosts, record, countedGrants(this.#hosts, claim), isCounted(claim, record))
    else if (claim.extra === null) hold(this.#hosts, record, claim.grants, false)
    if (claim.extra !== null) hold(this.#hosts, record, claim.extra, false)
  }

  drop(claim: Claim): void {
    const record = this.#hosts.get(claim.host)
    const inPlace = this.isInPlace(claim)
    if (!inPlace) dropCounted(this.#hosts, record, countedGrants(this.#hosts, claim), isCounted(claim, record))
    else if (claim.extra === null) drop(this.#hosts, record, claim.grants, false)
    if (claim.extra !== null) drop(this.#hosts, record, claim.extra, false)
  }

  /** The grants that a live claim adds to those of the other claims on its host: of a move in place, what it adds to its source. */
  addedGrants(claim: Claim): Grants {
    return this.isInPlace(claim) && claim.extra !== null ? claim.extra : claim.grants
  }

  /**
   * The grants of a move in place that stay `extra` once it is confirmed: those that the host's report does not count yet. If the report
   * counts nothing of the claim, that is all that the move added, since the rest was held before it.
   */
  extraOnceSettled(claim: Claim, extra: Grants | null): Grants | null {
    const record = this.#hosts.get(claim.host)
    if (isCounted(claim, record)) return countedBy(this.#hosts, record, extra)
    // without `extra`, the move took other units than its source had, and the report counts none of them
    if (this.#hosts.featureLevel >= ENDED_AS_HELD) return extra ?? claim.grants
    if (this.#hosts.featureLevel >= ADDED_IN_PLACE) return extra
    return claim.state === 'MATERIALISED' ? countedBy(this.#hosts, record, extra) : null
  }

  /**
   * Takes a claim out of the sums as if it were not there, for judging and deciding its move: out of its group, and with
   * `isFree` also off its host. Returns a function that undoes this exactly.
   */
  lift(claim: Claim, isFree: boolean): () => void {
    const record = this.#hosts.get(claim.host)
    this.#groups.leave(claim.group, claim.host)
    const restore = isFree ? this.#liftHeld(claim, record) : undefined
    const { mover, featureLevel } = this.#hosts
    if (featureLevel >= STRICT_CLAIMS) this.#hosts.mover = { host: claim.host, grants: claim.grants, isFree }
    return () => {
      this.#hosts.mover = mover
      restore?.()
      this.#groups.join(claim.group, claim.host)
    }
  }

  /** Disregards what a claim holds; returns a function that ends this. */
  #liftHeld(claim: Claim, record: HostRecord): () => void {
    const { grants, extra } = claim
    const counted = isCounted(claim, record)
    if (extra === null || this.#hosts.featureLevel < ENDED_AS_HELD) return liftCounted(this.#hosts, record, grants, counted)
    const restore = liftCounted(this.#hosts, record, withoutExtra(grants, extra), counted)
    const restoreExtra = liftParts(this.#hosts, record, extra, false)
    return () => {
      restoreExtra()
      restore()
    }
  }

  /**
   * Takes the destination of an open move out of the sums, for judging and deciding what follows it: out of its group, and off its host
   * where no report counts it (below feature level OWN_UNITS only where both are plain amounts). Returns a function that undoes this.
   */
  liftDestination(claim: Claim, isPlainNext: boolean): () => void {
    // on the source's host, the destination is no group member and holds only what it adds to its source
    if (this.isInPlace(claim)) return () => undefined
    const { mover, featureLevel } = this.#hosts
    const isFree = claim.state !== 'MATERIALISED' && (featureLevel >= OWN_UNITS || (isPlainNext && isPlain(claim.grants)))
    const restore = this.lift(claim, isFree)
    // the move stays open for its source, which may keep its units; the destination is released and keeps none
    this.#hosts.mover = mover
    const record = this.#hosts.get(claim.host)
    if (!isFree || featureLevel < ENDED_CLAIMS || !this.#hosts.isStillListed(record, claim.instance)) return restore
    // its host lists the instance: after its end, the claim continues to hold what the report does not count
    hold(this.#hosts, record, claim.grants, true)
    return () => {
      drop(this.#hosts, record, claim.grants, true)
      restore()
    }
  }
}
