import type { Groups } from '../hosts/groups.ts'
import type { HostRecord, HostTable } from '../hosts/hosts.ts'
import { isPlain } from '../kinds/index.ts'
import type { Grants } from '../records/change.ts'
import type { Claim } from '../records/claim.ts'
import { ADDED_IN_PLACE, ENDED_AS_HELD, ENDED_CLAIMS, OWN_UNITS, STRICT_CLAIMS } from '../values/levels.ts'
import type { ClaimMap } from './claim-store.ts'
import { drop, dropCounted, hold, holdCounted, isCounted, liftCounted, liftParts } from './held-amounts.ts'
import { heldIfEnded } from './held-until.ts'
import { countedBy, countedGrants, withoutExtra } from './in-place.ts'

/**
 * The amounts and units that live claims reserve on their hosts. While a move is judged or decided, the claims of the moved instance are
 * left out of the sums.
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

  /**
   * Returns true if a claim is the destination of an open move within one host. The instance belongs to the source claim until the move
   * ends.
   */
  isInPlace({ source, host }: Claim): boolean {
    return source !== null && this.#claims.get(source)?.host === host
  }

  /**
   * Subtracts the grants of a live claim from the free amounts of its host, including grants that no report of the host includes yet. For
   * the destination of a move within one host, subtracts only the grants that the source claim does not have.
   */
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

  /** The grants of a live claim. For the destination of a move within one host, only the grants that the source claim does not have. */
  addedGrants(claim: Claim): Grants {
    return this.isInPlace(claim) && claim.extra !== null ? claim.extra : claim.grants
  }

  /**
   * Returns the part of a claim's grants that the report of its host does not include (`extra`), when the claim's move within the host is
   * confirmed. If the report includes no grants of the claim, this part has all grants that the move added.
   */
  extraOnceSettled(claim: Claim, extra: Grants | null): Grants | null {
    const record = this.#hosts.get(claim.host)
    if (isCounted(claim, record)) return countedBy(this.#hosts, record, extra)
    // if `extra` is null, the old and the new grants were both reserved in full, and the report includes none of the new grants
    if (this.#hosts.featureLevel >= ENDED_AS_HELD) return extra ?? claim.grants
    if (this.#hosts.featureLevel >= ADDED_IN_PLACE) return extra
    return claim.state === 'MATERIALISED' ? countedBy(this.#hosts, record, extra) : null
  }

  /**
   * Removes a claim from the member count of its group while its move is judged or decided. If `isFree` is true, its grants on the host are
   * also added to the free amounts. Returns a function that restores the member count and the amounts exactly.
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

  /** Removes the grants of a claim from the sums of its host. Returns a function that restores them. */
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
   * Removes the destination claim of an open move from the sums while a further attempt to move the instance is judged or decided. The
   * claim is removed from the member count of its group. Its grants are added to the free amounts of its host unless the claim is
   * materialised. Below feature level OWN_UNITS, they are added only if the old and the new grants are plain amounts. Returns a function
   * that undoes all this.
   */
  liftDestination(claim: Claim, isPlainNext: boolean): () => void {
    // on the source's host, the destination claim is not a group member and reserves only the grants that it adds to those of its source
    if (this.isInPlace(claim)) return () => undefined
    const { mover, featureLevel } = this.#hosts
    const isFree = claim.state !== 'MATERIALISED' && (featureLevel >= OWN_UNITS || (isPlainNext && isPlain(claim.grants)))
    const restore = this.lift(claim, isFree)
    // The source claim can keep its units during the next attempt. The released destination claim keeps none of its units.
    this.#hosts.mover = mover
    const record = this.#hosts.get(claim.host)
    if (!isFree || featureLevel < ENDED_CLAIMS) return restore
    const held = heldIfEnded(this.#hosts, claim)
    if (held !== null) {
      holdCounted(this.#hosts, record, held, false)
      return () => {
        dropCounted(this.#hosts, record, held, false)
        restore()
      }
    }
    if (!this.#hosts.isStillListed(record, claim.instance)) return restore
    // The host lists the instance. Therefore, after the claim has ended, it still reserves the grants that the report does not include.
    hold(this.#hosts, record, claim.grants, true)
    return () => {
      drop(this.#hosts, record, claim.grants, true)
      restore()
    }
  }
}
