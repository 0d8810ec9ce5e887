/** The state of the streams as one server reports it. Only the leader of a stream reports the state of the other servers. */
export interface View {
  readonly meta: Raft
  /** The streams by name. */
  readonly streams: ReadonlyMap<string, Raft>
}

/** A group of servers with copies of the same data. */
export interface Raft {
  /** The name of the leader; empty if there is none. */
  readonly leader: string
  /** The other servers of the group. `current` is true if the server has caught up with the leader. */
  readonly replicas: readonly { readonly name: string; readonly current: boolean; readonly offline: boolean }[]
}

const ANSWER_MS = 1_000

interface Jsz {
  readonly meta_cluster?: RaftAnswer
  readonly account_details?: readonly { readonly stream_detail?: readonly { readonly name: string; readonly cluster?: RaftAnswer }[] }[]
}

interface RaftAnswer {
  readonly leader?: string
  readonly replicas?: readonly { readonly name: string; readonly current?: boolean; readonly offline?: boolean }[]
}

/** The view of the server with this monitoring port. Undefined if it does not answer, or is not in a cluster. */
export async function lookAt(monitorPort: number): Promise<View | undefined> {
  try {
    const url = `http://127.0.0.1:${monitorPort}/jsz?accounts=true&streams=true`
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
    const { meta_cluster: meta, account_details: accounts = [] } = (await answer.json()) as Jsz
    if (meta === undefined) return undefined
    const streams = accounts.flatMap(({ stream_detail: details = [] }) =>
      details.map(({ name, cluster }) => [name, toRaft(cluster)] as const),
    )
    return { meta: toRaft(meta), streams: new Map(streams) }
  } catch {
    // a server that is down, paused or starting does not answer
    return undefined
  }
}

const toRaft = ({ leader = '', replicas = [] }: RaftAnswer = {}): Raft => ({
  leader,
  replicas: replicas.map(({ name, current = false, offline = false }) => ({ name, current, offline })),
})
