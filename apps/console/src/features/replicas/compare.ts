import type { ResultOf } from '../../lib/service/graphql.ts'
import type { REPLICA_STATES } from './documents.ts'

export type ReplicaStates = ResultOf<typeof REPLICA_STATES>
export type Replica = ReplicaStates['replicas'][number]

/** The problems among replicas, one sentence each. Empty if there are none. */
export function problemsOf(replicas: readonly Replica[]): readonly string[] {
  const live = replicas.filter((one) => one.live)
  const versions = [...new Set(live.map(({ version }) => version))].sort()
  return [
    ...divergedAt(live).map(
      (revision) =>
        `The states of the replicas differ at revision ${revision}: this is an error. Heal the replicas whose auditor found violations.`,
    ),
    ...(versions.length > 1
      ? [`Replicas that decide by different rules are running: ${versions.join(', ')}. This is expected only during an upgrade.`]
      : []),
    ...replicas
      .filter((one) => !one.live && one.stoppedAt === null)
      .map(({ id }) => `${id} sent no heartbeat for ten seconds and was not stopped properly.`),
  ]
}

/** Revisions at which two replicas have different digests of their whole state. */
function divergedAt(replicas: readonly Replica[]): readonly string[] {
  const digests = new Map<string, Set<string>>()
  for (const { stateHash } of replicas) {
    if (stateHash === null) continue
    const at = digests.get(stateHash.revision) ?? new Set()
    digests.set(stateHash.revision, at.add(stateHash.hash))
  }
  return [...digests].filter(([, hashes]) => hashes.size > 1).map(([revision]) => revision)
}

/**
 * True if a replica's state equals the states of all other replicas at the same revision. Undefined if no other replica is at that
 * revision.
 */
export function agrees({ id, stateHash }: Replica, replicas: readonly Replica[]): boolean | undefined {
  if (stateHash === null) return undefined
  const others = replicas.filter((other) => other.id !== id && other.stateHash?.revision === stateHash.revision)
  return others.length === 0 ? undefined : others.every((other) => other.stateHash?.hash === stateHash.hash)
}

/** The state of a replica as one word. */
export const modeOf = ({ live, stoppedAt, mode }: Pick<Replica, 'live' | 'stoppedAt' | 'mode'>): string =>
  stoppedAt !== null ? 'stopped' : live ? (mode === 'STORE_AWAY' ? 'store unavailable' : mode.toLowerCase().replaceAll('_', ' ')) : 'silent'
