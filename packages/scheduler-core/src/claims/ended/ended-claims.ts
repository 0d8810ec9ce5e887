import type { HostRecord, HostTable, OwnHostRecord } from '../../hosts/hosts.ts'
import { isPart } from '../../kinds/index.ts'
import type { Grants } from '../../records/change.ts'
import { type Claim, isLive, type OwnClaim } from '../../records/claim.ts'
import { ENDED_AS_HELD } from '../../values/levels.ts'
import { drop, dropCounted, hold, holdCounted } from '../held-amounts.ts'
import { countsAsInstance } from '../held-until.ts'
import type { IdempotencyKeys } from '../idempotency-keys.ts'
import { countedGrants, nullIfEmpty, setExtra } from '../in-place.ts'

/**
 * The grants that remain reserved after the end of a claim. An instance can still run after its claim has ended. The claim's grants
 * therefore remain reserved until a report of the host no longer lists the instance.
 */
export class EndedClaims {
  readonly #hosts: HostTable
  readonly #keys: IdempotencyKeys

  constructor(hosts: HostTable, keys: IdempotencyKeys) {
    this.#hosts = hosts
    this.#keys = keys
  }

  /**
   * The grants that remain reserved for an ended claim until the next report, in addition to the usage in the host's last report. If the
   * last report lists the instance, these are all grants that no report has included. If the last report has no list of instances, these
   * are the grants that a move within the host added after that report.
   */
  extraOnceEnded({ host, instance, state, source, grants, extra }: Claim): Grants | null {
    if (this.#hosts.featureLevel < ENDED_AS_HELD) return null
    const record = this.#hosts.get(host)
    // a move to the same or a smaller size on the same host adds nothing
    const added = extra === null ? null : nullIfEmpty(extra)
    // until a move is confirmed, the instance has the size of the source claim
    if (this.#hosts.isStillListed(record, instance)) return state === 'CONFIRMED' && source === null ? grants : added
    return instance === null || record.stats.instances === null ? added : null
  }

  /** Returns true if an ended claim still reserves resources on its host. */
  holds(record: HostRecord, { instance, extra }: Claim): boolean {
    return extra !== null || this.#hosts.isStillListed(record, instance)
  }

  hold(record: HostRecord, claim: Claim): void {
    const { instance, extra } = claim
    if (this.#hosts.isStillListed(record, instance)) hold(this.#hosts, record, countedGrants(this.#hosts, claim), true)
    if (extra === null) return
    if (countsAsInstance(claim)) holdCounted(this.#hosts, record, extra, false)
    else hold(this.#hosts, record, extra, false)
  }

  /** Frees the amounts that stayed held after the end of a claim. */
  endHold(record: OwnHostRecord, claim: OwnClaim): void {
    const { extra } = claim
    if (extra !== null && countsAsInstance(claim)) dropCounted(this.#hosts, record, extra, false)
    else if (extra !== null) drop(this.#hosts, record, extra, false)
    setExtra(claim, null)
    claim.heldUntil = null
    if (!this.holds(record, claim)) this.remove(record, claim)
  }

  /** Removes an ended claim from its host. The claim must reserve nothing there. */
  remove(record: OwnHostRecord, claim: Claim): void {
    record.claims.delete(claim)
    this.#keys.forgetUnused(claim)
  }

  /**
   * Removes ended claims from a host if other claims reserve resources for the same instances. Resources are then reserved only once for
   * each instance.
   */
  dropReplaced(record: OwnHostRecord): void {
    const ended = [...record.claims].filter((claim) => !isLive(claim))
    if (ended.length === 0) return
    const isOnce = this.#hosts.featureLevel >= ENDED_AS_HELD
    // If the host's usage is read from claims, no report shows the size of an instance. Therefore, an instance whose reservation is not
    // confirmed can still have its former size.
    const isKnown = ({ confirmedAt }: Claim): boolean => !isOnce || record.usedFrom === 'REPORT' || confirmedAt !== null
    const shown = [...record.claims].filter(({ state }) => state === 'MATERIALISED')
    const counted = new Set(shown.filter(isKnown).map(({ instance }) => instance))
    // a claim with `extra` grants is not removed, because no other claim covers these grants, which no report has included
    const settled = isOnce ? ended.filter(({ extra }) => extra === null) : ended
    for (const claim of settled)
      if (counted.has(claim.instance) || (isOnce && settled.some((other) => isWithin(claim, other)))) this.remove(record, claim)
  }

  /**
   * Adds the grants of an instance's ended claims to the free amounts. Of the returned functions, `restore` subtracts the grants again, and
   * `remove` removes the ended claims from the host.
   */
  lift(record: OwnHostRecord, instance: string | null): { restore(): void; remove(): void } {
    const ended = [...record.claims].filter((claim) => !isLive(claim) && claim.instance === instance && claim.extra === null)
    for (const { grants } of ended) drop(this.#hosts, record, grants, true)
    return {
      restore: () => {
        for (const { grants } of ended) hold(this.#hosts, record, grants, true)
      },
      remove: () => {
        for (const claim of ended) this.remove(record, claim)
      },
    }
  }
}

/**
 * Returns true if `other` is another ended claim of the same instance with at least the grants of `claim`. If the grants of the two claims
 * are equal, `other` must be newer.
 */
function isWithin(claim: Claim, other: Claim): boolean {
  if (claim === other || claim.instance === null || claim.instance !== other.instance) return false
  return isPart(claim.grants, other.grants) && (claim.fence < other.fence || !isPart(other.grants, claim.grants))
}
