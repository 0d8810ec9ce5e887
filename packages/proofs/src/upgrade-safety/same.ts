import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@gantt/client'
import type { Checks } from '../checks.ts'
import type { Cluster } from '../safety-under-faults/cluster.ts'
import { decisionsOf } from '../safety-under-faults/final.ts'

/** The time limit in milliseconds for equal digests after the last change. Each replica publishes its digest every two seconds. */
const QUIESCE_TIMEOUT_MS = 60_000
const POLL_INTERVAL_MS = 200
/** At most this many decisions are replayed. They are spread over the whole run. */
const MAX_VERIFIED = 300

interface ReplicaDigest {
  readonly id: string
  readonly live: boolean
  readonly stateHash: { readonly revision: number; readonly hash: string } | null
}

/** Checks after the last change that every replica has the same state, and that replays of decisions have the recorded results. */
export async function checkSame(checks: Checks, { replicas }: Cluster): Promise<number> {
  const first = replicas[0]?.client as Client
  const digests = await waitForEqualRevisions(first, replicas.length)
  checks.check(
    'all replicas have one state, by its hash',
    digests.length === replicas.length && new Set(digests.map(({ stateHash }) => stateHash?.hash)).size === 1,
    () => JSON.stringify(digests),
  )
  const ids = await decisionsOf(first)
  const step = Math.max(1, Math.ceil(ids.length / MAX_VERIFIED))
  const verified = ids.filter((_id, i) => i % step === 0)
  checks.check('decisions were made', verified.length > 0)
  for (const [i, id] of verified.entries()) {
    const { client } = replicas[i % replicas.length] as Cluster['replicas'][0]
    const { verifyDecision } = await client.request<{ verifyDecision: Verified }>(VERIFY, { id })
    checks.check(
      'the replay of every decision is the same, whether the older or the newer release made it',
      verifyDecision.outcome === 'SAME',
      () => JSON.stringify({ id, ...verifyDecision }),
    )
  }
  return verified.length
}

interface Verified {
  readonly outcome: string
}

const VERIFY = 'query ($id: ID!) { verifyDecision(id: $id) { outcome fidelity checks { part outcome text } } }'

/** Waits until all living replicas have sent a digest for the same revision, or until the timeout. Returns the living replicas. */
async function waitForEqualRevisions(client: Client, count: number): Promise<readonly ReplicaDigest[]> {
  for (const end = performance.now() + QUIESCE_TIMEOUT_MS; ; await sleep(POLL_INTERVAL_MS)) {
    const { replicas } = await client.request<{ replicas: ReplicaDigest[] }>('{ replicas { id live stateHash { revision hash } } }')
    const living = replicas.filter(({ live }) => live)
    const revisions = new Set(living.map(({ stateHash }) => stateHash?.revision))
    if ((living.length === count && revisions.size === 1 && !revisions.has(undefined)) || performance.now() > end) return living
  }
}
