/** The data that one server of a cluster has. Only the leader of a stream shows the state of the others. */
export interface View {
  readonly meta: Raft
  /** The streams by name. */
  readonly streams: ReadonlyMap<string, Raft>
}

/** A group of servers with copies of the same data. */
export interface Raft {
  /** Empty if there is no leader. */
  readonly leader: string
  /** The other servers, each with whether it has caught up with the leader. */
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

/** The view of the streams of the server with this monitoring port; undefined if it does not answer, or knows no cluster. */
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
    // a server that is down, paused or starting gives no answer
    return undefined
  }
}

const toRaft = ({ leader = '', replicas = [] }: RaftAnswer = {}): Raft => ({
  leader,
  replicas: replicas.map(({ name, current = false, offline = false }) => ({ name, current, offline })),
})
