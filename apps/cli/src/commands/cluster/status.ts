import { type Client, createClient, graphql, type ResultOf, textOf } from '@gantt/client'
import type { View } from '@gantt/server'
import type { ClusterFolder } from './folder.ts'
import type { Part } from './part.ts'
import type { NatsPart, Parts } from './parts.ts'

/** The status of a process of a cluster. */
export interface PartStatus {
  readonly name: string
  readonly where: string
  /** The process id; null if the process is not running. */
  readonly pid: number | null
  readonly isHealthy: boolean
  /** The health as a text; for a replica, its mode. */
  readonly health: string
  /** The revision that the replica has applied. Null if the process is not a replica that answers. */
  readonly revision: string | null
  /** By how many entries the replica lagged at its last sign of life. Null if this is unknown, or if the process is not a replica. */
  readonly lag: number | null
  /** For a nats-server: true if it is the leader of the log's stream. */
  readonly leads: boolean
}

const LOG_STREAM = 'GANTT_main_LOG'
const ANSWER_MS = 5_000
const DOWN = 'down'

/** Requests the status of all processes at the same time. */
export async function statusOf({ key }: ClusterFolder, { nats, postgres, replicas }: Parts): Promise<readonly PartStatus[]> {
  const views = await Promise.all(nats.map(async (server) => ({ server, view: await server.look() })))
  const asked = await Promise.all(replicas.map((replica) => askReplica(replica, key)))
  return [...asked, ...views.map(({ server, view }) => toNatsStatus(server, view, views)), toPostgresStatus(postgres)]
}

const toStatus = ({ name, where, pid }: Part, how: Pick<PartStatus, 'isHealthy' | 'health'> & Partial<PartStatus>): PartStatus => {
  const running = pid() ?? null
  const state = { name, where, pid: running, revision: null, lag: null, leads: false, ...how }
  return running === null ? { ...state, isHealthy: false, health: DOWN } : state
}

const STATUS = graphql(`query Status { health { mode revision } replicas { answers lagEvents } }`)

async function askReplica(replica: Part, key: string): Promise<PartStatus> {
  if (replica.pid() === undefined) return toStatus(replica, { isHealthy: false, health: DOWN })
  const client: Client = createClient({ url: new URL('/graphql', replica.where).href, key, deadlineMs: ANSWER_MS })
  try {
    const { health, replicas } = await client.request<ResultOf<typeof STATUS>>(textOf(STATUS))
    const lag = replicas.find(({ answers }) => answers)?.lagEvents ?? null
    return toStatus(replica, { isHealthy: health.mode === 'NORMAL', health: health.mode, revision: health.revision, lag })
  } catch (error) {
    // The URL can belong to a replica that is still starting, that has ended, or that is in another cluster. The error is shown.
    return toStatus(replica, { isHealthy: false, health: error instanceof Error ? error.message : String(error) })
  }
}

function toNatsStatus(server: NatsPart, view: View | undefined, all: readonly { server: NatsPart; view: View | undefined }[]): PartStatus {
  if (view === undefined) return toStatus(server, { isHealthy: false, health: 'does not answer' })
  // Only the leader of the log knows whether the other nats-servers have all entries.
  const leader = all.find((other) => other.view?.streams.get(LOG_STREAM)?.leader === other.server.name)
  const copy = leader?.view?.streams.get(LOG_STREAM)?.replicas.find(({ name }) => name === server.name)
  if (leader?.server === server) return toStatus(server, { isHealthy: true, health: 'leads the log', leads: true })
  if (copy === undefined) return toStatus(server, { isHealthy: false, health: 'the log has no leader' })
  const isInStep = copy.current && !copy.offline
  return toStatus(server, { isHealthy: isInStep, health: isInStep ? 'follows' : 'is behind' })
}

const toPostgresStatus = (postgres: Part): PartStatus => toStatus(postgres, { isHealthy: true, health: 'runs' })
