import { DIGEST_FORMAT, digestAll, digestPart, type Finding, HOSTS_PER_PART, hostKey, partsOf } from '@gantt/scheduler-core'
import type { PartDigest, ReplicaRow, TakenDigests } from '../../stores/replicas.ts'
import type { Replica } from '../replica.ts'

/** The length of a slot in the log's time. The first entry in each slot makes every replica digest the same part of the state. */
const SLOT_MS = 125
/** Nothing is digested at entries older than this, because the replica is reading old entries. */
const FRESH_MS = 5_000
/** How many digests are stored for comparisons with replicas that are behind or ahead. */
const REMEMBERED = 4_096
const SENT = 128

/** A part of this replica's state that differs from the same part of another replica's state. */
export interface Divergence extends Finding {
  readonly since: number
}

/**
 * Checks promise I12 (docs/promises.md) while the log grows: every replica digests the same parts of the state at the same positions
 * (docs/adr/0007), and compares them through the store.
 */
export interface StateDigests {
  /**
   * Digests another part of the state while the log does not change. Returns false if all parts are done, or if the log changed since the
   * last step.
   */
  step(): boolean
  /** The digests that are sent to the other replicas. */
  taken(): TakenDigests
  /** Compares digests with those of other replicas. `now` is store time. */
  compare(others: readonly ReplicaRow[], now: number): void
  readonly divergences: readonly Divergence[]
  /** How many digests were compared with those of other replicas, and the store time of the last equal one. */
  readonly compared: number
  readonly agreedAt: number | null
  close(): void
}

export function createStateDigests(replica: Pick<Replica, 'fleet' | 'storeTime' | 'onApplied'>): StateDigests {
  let { fleet } = replica
  const own = new Map<string, PartDigest>()
  const diverged = new Map<string, Divergence>()
  let slot = slotAt(fleet.now)
  let still: { readonly revision: number; readonly first: number; readonly parts: string[]; taken: number } | undefined
  let whole: TakenDigests['whole'] = null
  let compared = 0
  let agreedAt: number | null = null

  const take = (part: number): string => {
    const { revision, id, at } = fleet.place
    const one: PartDigest = { revision, entry: `${id.slice(0, 8)} ${at}`, part, digest: digestPart(fleet, part) }
    own.delete(keyOf(one))
    own.set(keyOf(one), one)
    if (own.size > REMEMBERED) own.delete(own.keys().next().value as string)
    return one.digest
  }
  /** Starts again if the replica's fleet was replaced by another fleet. Earlier digests do not apply to the new fleet. */
  const followFleet = (): void => {
    if (replica.fleet === fleet) return
    fleet = replica.fleet
    own.clear()
    diverged.clear()
    still = undefined
    whole = null
  }
  const stop = replica.onApplied(() => {
    followFleet()
    const next = slotAt(fleet.now)
    if (next === slot) return
    slot = next
    if (replica.storeTime - fleet.now < FRESH_MS) take(slot % partsOf(fleet))
  })

  return {
    step() {
      followFleet()
      const parts = partsOf(fleet)
      const { revision } = fleet.place
      if (still?.revision !== revision) {
        // all replicas begin at the same revision, and only after the log was unchanged for a while
        still = { revision, first: slot % parts, parts: [], taken: 0 }
        return false
      }
      if (still.taken === parts) return false
      const part = (still.first + still.taken++) % parts
      still.parts[part] = take(part)
      if (still.taken === parts) whole = { revision, digest: digestAll(still.parts) }
      return still.taken < parts
    },
    taken: () => ({ format: DIGEST_FORMAT, taken: [...own.values()].slice(-SENT), whole }),
    compare(others, now) {
      followFleet()
      for (const { id, digests } of others)
        for (const theirs of digests.format === DIGEST_FORMAT ? digests.taken : []) {
          const mine = own.get(keyOf(theirs))
          if (mine === undefined) continue
          compared++
          const key = `${id} ${theirs.part}`
          if (mine.digest === theirs.digest) {
            agreedAt = now
            diverged.delete(key)
          } else diverged.set(key, { ...divergence(id, mine, theirs), since: diverged.get(key)?.since ?? now })
        }
      const ids = new Set(others.map(({ id }) => id))
      for (const key of diverged.keys()) if (!ids.has(key.slice(0, key.lastIndexOf(' ')))) diverged.delete(key)
    },
    get divergences() {
      return [...diverged.values()]
    },
    get compared() {
      return compared
    },
    get agreedAt() {
      return agreedAt
    },
    close: stop,
  }

  function divergence(replicaId: string, mine: PartDigest, theirs: PartDigest): Finding {
    const first = (mine.part - 1) * HOSTS_PER_PART
    const hosts = mine.part === 0 ? [] : fleet.hosts.records.slice(first, first + HOSTS_PER_PART).map(hostKey)
    return {
      code: 'state.diverged',
      subject: 'part',
      name: mine.part === 0 ? 'fleet' : `hosts ${hosts[0]} to ${hosts.at(-1)}`,
      host: hosts.length === 1 ? (hosts[0] ?? null) : null,
      claim: null,
      field: `digest at revision ${mine.revision}, replica ${replicaId}`,
      expected: theirs.digest,
      actual: mine.digest,
    }
  }
}

const slotAt = (now: number): number => Math.floor(now / SLOT_MS)

const keyOf = ({ revision, entry, part }: PartDigest): string => `${revision} ${entry} ${part}`
