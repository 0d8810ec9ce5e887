import type { HostRecord, HostTable, OwnHostRecord } from '../hosts/hosts.ts'
import { isPart } from '../kinds/index.ts'
import type { Grants } from '../records/change.ts'
import { type Claim, isLive } from '../records/claim.ts'
import { ENDED_AS_HELD } from '../values/levels.ts'
import { drop, hold } from './held-amounts.ts'
import type { IdempotencyKeys } from './idempotency-keys.ts'
import { countedGrants, nullIfEmpty } from './in-place.ts'

/** The grants that claims hold after their end, because their instances run until a report of the host no longer lists them. */
export class EndedClaims {
  readonly #hosts: HostTable
  readonly #keys: IdempotencyKeys

  constructor(hosts: HostTable, keys: IdempotencyKeys) {
    this.#hosts = hosts
    this.#keys = keys
  }

  /**
   * The grants that an ended claim holds in addition to the host's report until the next report. If the report lists the instance, these
   * are all grants that no report has counted. If the report has no list of instances, these are the grants that a move in place added
   * since that report.
   */
  extraOnceEnded({ host, instance, state, source, grants, extra }: Claim): Grants | null {
    if (this.#hosts.featureLevel < ENDED_AS_HELD) return null
    const record = this.#hosts.get(host)
    // a move in place may have added nothing
    const added = extra === null ? null : nullIfEmpty(extra)
    // before its confirmation, a destination claim does not determine the size of the instance
    if (this.#hosts.isStillListed(record, instance)) return state === 'CONFIRMED' && source === null ? grants : added
    return instance === null || record.stats.instances === null ? added : null
  }

  /** Whether an ended claim still holds something on its host. */
  holds(record: HostRecord, { instance, extra }: Claim): boolean {
    return extra !== null || this.#hosts.isStillListed(record, instance)
  }

  hold(record: HostRecord, claim: Claim): void {
    const { instance, extra } = claim
    if (this.#hosts.isStillListed(record, instance)) hold(this.#hosts, record, countedGrants(this.#hosts, claim), true)
    if (extra !== null) hold(this.#hosts, record, extra, false)
  }

  /** Removes an ended claim from its host if the claim no longer holds anything there. */
  remove(record: OwnHostRecord, claim: Claim): void {
    record.claims.delete(claim)
    this.#keys.forgetUnused(claim)
  }

  /** Drops ended claims of a host if other claims count the same instances, so that an instance holds its resources only once. */
  dropReplaced(record: OwnHostRecord): void {
    const ended = [...record.claims].filter((claim) => !isLive(claim))
    if (ended.length === 0) return
    const isOnce = this.#hosts.featureLevel >= ENDED_AS_HELD
    // on a host where only claims count, no report shows the size of an instance, so an instance with a reservation may
    // still have its former size
    const isKnown = ({ confirmedAt }: Claim): boolean => !isOnce || record.usedFrom === 'REPORT' || confirmedAt !== null
    const shown = [...record.claims].filter(({ state }) => state === 'MATERIALISED')
    const counted = new Set(shown.filter(isKnown).map(({ instance }) => instance))
    // the other claim does not cover grants that no report has counted
    const settled = isOnce ? ended.filter(({ extra }) => extra === null) : ended
    for (const claim of settled)
      if (counted.has(claim.instance) || (isOnce && settled.some((other) => isWithin(claim, other)))) this.remove(record, claim)
  }

  /**
   * Removes from the sums the reported use that ended claims of an instance hold. The returned functions either hold it again or remove
   * the claims.
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

/** Whether an ended claim is covered by another claim of its instance that is larger, or of the same size and newer. */
function isWithin(claim: Claim, other: Claim): boolean {
  if (claim === other || claim.instance === null || claim.instance !== other.instance) return false
  return isPart(claim.grants, other.grants) && (claim.fence < other.fence || !isPart(other.grants, claim.grants))
}
