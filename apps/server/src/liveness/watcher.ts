import { type Change, type HostRecord, livenessStates } from '@gantt/scheduler-core'
import type { Replica } from '../replica/replica.ts'
import { judgeLiveness, type LivenessVerdict, type Patience, type WatchedHost } from './judge-liveness.ts'
import type { LivenessSource } from './liveness-source.ts'

export interface LivenessWatcher {
  /** What the last look showed; every replica looks, one at a time writes. */
  readonly last: { readonly at: number; readonly verdict: LivenessVerdict } | undefined
  /** Looks now. */
  look(): Promise<void>
  close(): Promise<void>
}

export interface WatcherOptions {
  readonly replica: Replica
  readonly source: LivenessSource
  readonly patience: Patience
  /** Between two looks, milliseconds; 0: only when asked. */
  readonly everyMs: number
  warn(message: string): void
}

const CHANGES_PER_CALL = 1_000

/** Draws the conclusions from what a source heard, and proposes them as changes of the log. */
export function createLivenessWatcher({ replica, source, patience, everyMs, warn }: WatcherOptions): LivenessWatcher {
  let last: LivenessWatcher['last']
  let looking: Promise<void> | undefined
  let told: string | undefined

  const tell = (message: string | undefined): void => {
    if (message !== undefined && message !== told) warn(message)
    told = message
  }
  const look = (): Promise<void> => {
    looking ??= source
      .look(async (heard, isMine) => {
        const verdict = judgeLiveness(replica.fleet.hosts.records.map(toWatched), heard, patience)
        last = { at: heard.now, verdict }
        if (!isMine) return
        tell(verdict.warning ?? undefined)
        const changes = verdict.changes.map(
          ({ host: { host, node }, state, reason }): Change => ({ type: 'liveness', host, node, state, reason }),
        )
        for (let i = 0; i < changes.length; i += CHANGES_PER_CALL) await replica.propose(changes.slice(i, i + CHANGES_PER_CALL))
      })
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  const toWatched = ({ host, node, index, reportedAt, zone, aggregates }: HostRecord): WatchedHost => {
    const { fleet } = replica
    const racks = aggregates.flatMap((uuid) => fleet.aggregates.byUuid.get(uuid)?.metadata.rack ?? [])
    return {
      host,
      node,
      reportedAt,
      state: livenessStates[fleet.hosts.columns.liveness[index] as number] ?? 'DOWN',
      domains: [`zone ${zone}`, ...racks.map((rack) => `rack ${rack}`)],
    }
  }
  const timer = everyMs === 0 ? undefined : setInterval(() => void look().catch((error: unknown) => tell(failure(error))), everyMs)
  timer?.unref()
  return {
    get last() {
      return last
    },
    look,
    async close() {
      clearInterval(timer)
      await looking?.catch(() => undefined)
      await source.close()
    },
  }
}

const failure = (error: unknown): string =>
  `the liveness of hosts could not be watched: ${error instanceof Error ? error.message : String(error)}`
