import type { SelectedDestination } from '../decision/decision.ts'
import type { ClaimPart, ClaimsProposed, GroupBinding } from '../fleet/change.ts'
import type { Groups } from '../fleet/groups.ts'
import type { HostRecord, HostTable } from '../fleet/hosts.ts'
import { allKinds } from '../kinds/index.ts'
import { type Claim, isLive } from './claim.ts'

/** How long a key outlives its last claim, milliseconds of store time. */
export const KEY_AFTERLIFE_MS = 3_600_000

/** What an idempotency key is bound to. */
export interface BoundKey {
  readonly account: string
  readonly key: string
  readonly digest: string
  /** The whole answer in the order of the claims; null: the key was abandoned before use. */
  readonly answer: readonly SelectedDestination[] | null
  readonly claims: readonly string[]
  readonly decision: string | null
  readonly revision: number
  readonly boundAt: number
  /** Store time at which the key is forgotten; null while one of its claims lives. */
  forgottenAt: number | null
}

/** All claims and idempotency keys, and what the claims hold on their hosts. Written by the judge and by reports only. */
export class Ledger {
  readonly claims = new Map<string, Claim>()
  readonly #keys = new Map<string, BoundKey>()
  /** Keys in the order in which they end: the afterlife is the same for all, so the order of ending is that of forgetting. */
  readonly #ending = new Set<BoundKey>()
  /** Reservations, for expiry. */
  readonly reserved = new Set<Claim>()

  readonly #hosts: HostTable
  readonly #groups: Groups

  constructor(hosts: HostTable, groups: Groups) {
    this.#hosts = hosts
    this.#groups = groups
  }

  get keyCount(): number {
    return this.#keys.size
  }

  keys(): Iterable<BoundKey> {
    return this.#keys.values()
  }

  /** Undefined when the key is unbound or forgotten. */
  findKey(account: string, key: string): BoundKey | undefined {
    return this.#keys.get(keyOf(account, key))
  }

  /** Takes over the keys of a checkpoint. */
  restoreKeys(keys: readonly BoundKey[]): void {
    for (const bound of keys) this.#keys.set(keyOf(bound.account, bound.key), bound)
    const ended = [...this.#keys.values()].filter(({ forgottenAt }) => forgottenAt !== null)
    for (const bound of ended.sort((a, b) => (a.forgottenAt as number) - (b.forgottenAt as number))) this.#ending.add(bound)
  }

  bind(bound: BoundKey): void {
    this.#keys.set(keyOf(bound.account, bound.key), bound)
    if (bound.forgottenAt !== null) this.#ending.add(bound)
  }

  /** Records the claims of a proposal whose parts are held already. */
  open(change: ClaimsProposed, fence: number, revision: number, now: number): void {
    for (const [i, part] of change.parts.entries()) {
      const record = this.#hosts.find(part) as HostRecord
      this.add({
        id: part.claim,
        instance: part.instance,
        account: change.account,
        key: change.key,
        host: record.index,
        grants: part.grants,
        group: change.group?.uuid ?? null,
        decision: change.decision.id,
        fence: fence + i,
        createdAt: now,
        state: change.mode === 'RESERVE' ? 'RESERVED' : 'CONFIRMED',
        expiresAt: change.mode === 'RESERVE' ? now + change.ttlMs : null,
        confirmedAt: change.mode === 'CONFIRM' ? now : null,
        endedAt: null,
        reason: null,
        revision,
      })
    }
    this.bind({
      account: change.account,
      key: change.key,
      digest: change.digest,
      answer: change.answer,
      claims: change.parts.map(({ claim }) => claim),
      decision: change.decision.id,
      revision,
      boundAt: now,
      forgottenAt: change.parts.length === 0 ? now + KEY_AFTERLIFE_MS : null,
    })
  }

  /** Enters a claim without holding anything: for `open` and for checkpoints. */
  add(claim: Claim): void {
    this.claims.set(claim.id, claim)
    this.#hosts.get(claim.host).claims.add(claim)
    if (claim.state === 'RESERVED') this.reserved.add(claim)
  }

  /** Confirms, materialises or sets back a live claim; what it holds follows the new state. Only a reservation has an end. */
  move(claim: Claim, state: 'RESERVED' | 'CONFIRMED' | 'MATERIALISED', revision: number): void {
    claim.state = state
    claim.revision = revision
    if (state === 'RESERVED') return
    claim.expiresAt = null
    this.reserved.delete(claim)
  }

  /** Ends a live claim: what it holds is free, unless its instance is still listed by the host where only claims count. */
  end(claim: Claim, state: 'RELEASED' | 'EXPIRED' | 'REVOKED', reason: string | null, revision: number, now: number): void {
    const record = this.#hosts.get(claim.host)
    const stillThere = claim.instance !== null && record.present.has(claim.instance)
    dropCounted(this.#hosts, record, claim.grants, claim.state === 'MATERIALISED')
    this.#groups.leave(claim.group, claim.host)
    this.#groups.forgetIfEmpty(claim.group)
    claim.state = state
    claim.endedAt = now
    claim.reason = reason
    claim.revision = revision
    this.reserved.delete(claim)
    // the instance runs on: what the host does not count itself stays taken, until a report drops it
    if (stillThere) hold(this.#hosts, record, claim.grants, true)
    else record.claims.delete(claim)
    record.revision = revision
    this.#endKey(claim, now)
  }

  /** Holds every claim of a host again after its inventory was replaced, and forgets ended claims whose instance is gone. */
  holdAll(record: HostRecord): void {
    const { columns } = this.#hosts
    columns.instances[record.index] = record.stats.runningVms
    columns.ioOps[record.index] = record.stats.numIoOps
    for (const claim of record.claims) {
      if (isLive(claim)) holdCounted(this.#hosts, record, claim.grants, claim.state === 'MATERIALISED')
      else if (claim.instance !== null && record.present.has(claim.instance)) hold(this.#hosts, record, claim.grants, true)
      else {
        record.claims.delete(claim)
        this.#forgetUnused(claim)
      }
    }
  }

  /** Forgets keys whose time is over, and the ended claims that only they kept. */
  forgetEnded(now: number): void {
    for (const bound of this.#ending) {
      if ((bound.forgottenAt as number) > now) return
      this.#ending.delete(bound)
      this.#keys.delete(keyOf(bound.account, bound.key))
      for (const id of bound.claims) {
        const claim = this.claims.get(id)
        if (claim !== undefined) this.#forgetUnused(claim)
      }
    }
  }

  /** An ended claim is kept while its key is, and while its instance is still present. */
  #forgetUnused(claim: Claim): void {
    if (isLive(claim) || this.#hosts.get(claim.host).claims.has(claim)) return
    // the key may be bound anew by then, to other claims
    if (this.findKey(claim.account, claim.key)?.claims.includes(claim.id)) return
    this.claims.delete(claim.id)
  }

  #endKey(claim: Claim, now: number): void {
    const bound = this.findKey(claim.account, claim.key)
    if (bound === undefined || bound.forgottenAt !== null) return
    for (const id of bound.claims) {
      const other = this.claims.get(id)
      if (other !== undefined && isLive(other)) return
    }
    bound.forgottenAt = now + KEY_AFTERLIFE_MS
    this.#ending.add(bound)
  }
}

const keyOf = (account: string, key: string): string => `${account}\u0000${key}`

/** Whether every kind could hold these grants on the host now. */
export function grantsFit(hosts: HostTable, record: HostRecord, grants: ClaimPart['grants']): boolean {
  for (const kind of allKinds) {
    const grant = grants[kind.name]
    if (grant !== undefined && !kind.fits(hosts, record.index, grant)) return false
  }
  return true
}

/** Takes a new instance's grants from the host, and counts the instance. */
export function holdPart(hosts: HostTable, groups: Groups, part: ClaimPart, group: GroupBinding | null): void {
  const record = hosts.find(part) as HostRecord
  holdCounted(hosts, record, part.grants, false)
  groups.join(group?.uuid ?? null, record.index)
}

/** Undoes holdPart exactly. */
export function dropPart(hosts: HostTable, groups: Groups, part: ClaimPart, group: GroupBinding | null): void {
  const record = hosts.find(part) as HostRecord
  dropCounted(hosts, record, part.grants, false)
  groups.leave(group?.uuid ?? null, record.index)
}

function holdCounted(hosts: HostTable, record: HostRecord, grants: ClaimPart['grants'], materialised: boolean): void {
  hold(hosts, record, grants, materialised)
  if (!materialised) count(hosts, record, 1)
}

function dropCounted(hosts: HostTable, record: HostRecord, grants: ClaimPart['grants'], materialised: boolean): void {
  for (const kind of allKinds) {
    const grant = grants[kind.name]
    if (grant !== undefined) kind.drop(hosts, record.index, grant, materialised)
  }
  hosts.touch(record.index)
  if (!materialised) count(hosts, record, -1)
}

function hold(hosts: HostTable, record: HostRecord, grants: ClaimPart['grants'], materialised: boolean): void {
  for (const kind of allKinds) {
    const grant = grants[kind.name]
    if (grant !== undefined) kind.hold(hosts, record.index, grant, materialised)
  }
  hosts.touch(record.index)
}

/** One instance, and as in Nova one input/output-heavy operation, more or less than the report says. */
function count(hosts: HostTable, { index }: HostRecord, by: 1 | -1): void {
  const { instances, ioOps } = hosts.columns
  instances[index] = (instances[index] as number) + by
  ioOps[index] = (ioOps[index] as number) + by
}
