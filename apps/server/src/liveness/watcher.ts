import {
  type Change,
  type Fleet,
  type HostName,
  type HostRecord,
  inSlices,
  type Liveness,
  livenessStates,
  SLICE,
  type Steps,
} from '@gantt/scheduler-core'
import { runYielding } from '../event-loop/pauses.ts'
import type { Replica } from '../replica/replica.ts'
import { judgeLiveness, type LivenessTimeouts, type LivenessVerdict, type WatchedHost } from './judge-liveness.ts'
import type { Heard, LivenessSource } from './liveness-source.ts'

export interface LivenessWatcher {
  /** The result of the last check. Every replica checks, and one at a time writes the result. */
  readonly last: { readonly at: number; readonly verdict: LivenessVerdict } | undefined
  /** Checks now. */
  look(): Promise<void>
  close(): Promise<void>
}

export interface WatcherOptions {
  readonly replica: Replica
  readonly source: LivenessSource
  readonly timeouts: LivenessTimeouts
  /** The interval of checks in milliseconds; 0 for checks on request only. */
  readonly everyMs: number
  warn(message: string): void
}

const CHANGES_PER_CALL = 1_000
/** The longest interval between checks. A silent host is therefore detected soon after its timeout. */
const MAX_CHECK_INTERVAL_MS = 5_000
const CHECKS_PER_TIMEOUT = 4
/** After a gap between reads of more than this many intervals, signs of life may have been missed. */
const MISSED_INTERVALS = 3

/** The interval of checks for hosts with this timeout, milliseconds. */
export const checkIntervalOf = ({ suspectAfterMs }: LivenessTimeouts): number =>
  Math.min(MAX_CHECK_INTERVAL_MS, Math.ceil(suspectAfterMs / CHECKS_PER_TIMEOUT))

/** After a gap between reads of more than this many milliseconds, silence during the gap is ignored. */
export const breakAfter = (timeouts: LivenessTimeouts): number => MISSED_INTERVALS * checkIntervalOf(timeouts)

/** Reads the signs of life of hosts from a source, decides which hosts are alive, and proposes the results as log entries. */
export function createLivenessWatcher({ replica, source, timeouts, everyMs, warn }: WatcherOptions): LivenessWatcher {
  let last: LivenessWatcher['last']
  let looking: Promise<void> | undefined
  let lastWarning: string | undefined

  const warnOnce = (message: string | undefined): void => {
    if (message !== undefined && message !== lastWarning) warn(message)
    lastWarning = message
  }
  const look = (): Promise<void> => {
    looking ??= source
      .look(async (heard, isMine) => {
        const { fleet } = replica
        const verdict = await runYielding(judgeFleet(fleet, heard, timeouts))
        last = { at: heard.now, verdict }
        if (!isMine) return
        warnOnce(verdict.warning ?? undefined)
        if (verdict.changes.length === 0) return
        // another replica may have just written the same changes, or received a sign of life since the leases were read
        await replica.fresh()
        const changes = verdict.changes
          .filter(({ host }) => stateOf(host) === host.state)
          .map(({ host: { host, node }, state, reason }): Change => ({ type: 'liveness', host, node, state, reason }))
        for (let i = 0; i < changes.length; i += CHANGES_PER_CALL) await replica.propose(changes.slice(i, i + CHANGES_PER_CALL))
      })
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  const stateOf = (name: HostName): Liveness => {
    const { hosts } = replica.fleet
    const record = hosts.find(name)
    return (record && livenessStates[hosts.columns.liveness[record.index] as number]) ?? 'DOWN'
  }
  const timer = everyMs === 0 ? undefined : setInterval(() => void look().catch((error: unknown) => warnOnce(failure(error))), everyMs)
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

/** Decides on the liveness of the hosts of a fleet. A host that changes meanwhile can be judged by its earlier or its later state. */
function* judgeFleet(fleet: Fleet, heard: Heard, timeouts: LivenessTimeouts): Steps<LivenessVerdict> {
  const hosts: WatchedHost[] = []
  for (const record of inSlices(fleet.hosts.present, SLICE))
    if (record === undefined) yield
    else hosts.push(new Watched(fleet, record))
  return yield* judgeLiveness(hosts, heard, timeouts)
}

/**
 * A host at one check. Its failure domains are computed only if they are read. It is a class because a large fleet needs many of these
 * objects.
 */
class Watched implements WatchedHost {
  readonly host: string
  readonly node: string
  readonly reportedAt: number
  readonly namedAt: number
  readonly state: Liveness
  readonly #fleet: Fleet
  readonly #zone: string
  readonly #aggregates: readonly string[]

  constructor(fleet: Fleet, { host, node, index, reportedAt, zone, aggregates, formerNames }: HostRecord) {
    this.host = host
    this.node = node
    this.reportedAt = reportedAt
    this.namedAt = formerNames.at(-1)?.at ?? 0
    this.state = livenessStates[fleet.hosts.columns.liveness[index] as number] ?? 'DOWN'
    this.#fleet = fleet
    this.#zone = zone
    this.#aggregates = aggregates
  }

  get domains(): readonly string[] {
    const racks = this.#aggregates.flatMap((uuid) => this.#fleet.aggregates.byUuid.get(uuid)?.metadata.rack ?? [])
    return [`zone ${this.#zone}`, ...racks.map((rack) => `rack ${rack}`)]
  }
}

const failure = (error: unknown): string =>
  `the liveness of hosts could not be watched: ${error instanceof Error ? error.message : String(error)}`
