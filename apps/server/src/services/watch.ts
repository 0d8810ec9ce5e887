import { allNamesIn, type HostRecord, type HostTable, hostsOfManyNames, type LogEntry } from '@gantt/scheduler-core'
import type { Query } from '@gantt/scheduler-core/query'
import type { DecisionFilter } from '../db/decisions.ts'
import type { StoredDecision } from '../db/rows.ts'
import type { Replica } from '../replica/replica.ts'
import { createBacklog } from './backlog.ts'
import { compileDecisionQuery, parseDecisionQuery } from './decision-query.ts'
import type { Decisions, DecisionView } from './decisions.ts'
import { checkDeltaOptions, type DeltaOptions, type FleetDelta, followFleet, type Gap, mergeDeltas } from './fleet-deltas.ts'
import { checkFilter, type HostFilter, matchesHost } from './host-filter.ts'
import { compileHostQuery } from './host-query.ts'
import { type HostView, viewHost } from './host-view.ts'
import { InputFault } from './outcome.ts'
import { createSample } from './sample.ts'
import { createStream, type Stream } from './stream.ts'

/** How often a stream looks whether its reader may still read. */
const RECHECK_MS = 5_000
/** Streams open in one process at most; the next one is refused. */
const MAX_STREAMS = 256
/** Of one key: no key can take all of them. */
const MAX_STREAMS_PER_KEY = 128
/** Decisions that wait for one slow reader; of more it gets the latest, and how many it missed. */
const MAX_PENDING_DECISIONS = 20
/** Hosts that one slow reader may have pending; beyond, it is told of a gap. */
const MAX_PENDING_HOSTS = 10_000
const MAX_PER_SECOND = 1_000
/** Decisions that one stream has not looked at yet; beyond, its reader is told of a gap. */
const MAX_UNSEEN_DECISIONS = 1_000

/** Decisions as they happen, whichever replica made them. */
export interface DecisionFeed {
  /** `missed`: there were more at once than are told one by one. Answers how to stop. */
  onDecision(listener: (decision: StoredDecision) => void, missed?: () => void): () => void
}

export interface DecisionEvent {
  readonly revision: number
  /** Null with a gap, and where a burst is over of which some were sampled out. */
  readonly decision: DecisionView | null
  /** Decisions before this one that this reader was too slow for, or that were sampled out. */
  readonly suppressed: number
  readonly gap: Gap | null
}

export interface HostEvent {
  readonly revision: number
  readonly host: HostView | null
  readonly gap: Gap | null
}

/** Too many streams are open in this process, or of one key. */
export class TooManyStreamsError extends Error {
  override readonly name = 'TooManyStreamsError'
}

/** What every stream is opened with. */
export interface StreamArgs {
  /** What the reader has seen already. */
  readonly after?: number | null | undefined
  /** The key that opens it. */
  readonly keyId: string
  /** False once its reader may not read any more; asked every few seconds. */
  mayGoOn(): boolean
}

/** Changes as they happen. A reader that is too slow gets the latest and is told what it missed; nothing piles up. */
export interface Watch {
  decisions(
    options: StreamArgs & { readonly filter?: DecisionFilter; readonly query?: string | null | undefined; readonly perSecond: number },
  ): Stream<DecisionEvent>
  hosts(
    options: StreamArgs & { readonly filter?: HostFilter | null | undefined; readonly query?: string | null | undefined },
  ): Stream<HostEvent>
  /** Hosts that change, as columns; coalesced. */
  fleet(options: StreamArgs & DeltaOptions): Stream<FleetDelta>
  readonly open: number
  /** Ends every stream. */
  close(): void
}

export function createWatch(replica: Replica, decisions: Decisions, feed: DecisionFeed): Watch {
  /** With the key that opened each. */
  const streams = new Map<Stream<unknown>, string>()
  const touchedBy = hostsTouched(replica)
  const admit = <Event>(
    { keyId, mayGoOn }: StreamArgs,
    start: (push: (event: Event) => void, fail: (error: unknown) => void) => () => void,
    merge: (pending: Event[], event: Event) => Event[],
  ): Stream<Event> => {
    if (streams.size >= MAX_STREAMS)
      throw new TooManyStreamsError(`${MAX_STREAMS} streams are open in this process; close some, or ask another replica`)
    const ofKey = [...streams.values()].filter((id) => id === keyId).length
    if (ofKey >= MAX_STREAMS_PER_KEY)
      throw new TooManyStreamsError(
        `the key has ${ofKey} streams open in this process, and may have ${MAX_STREAMS_PER_KEY}; close some, or ask another replica`,
      )
    const recheck = setInterval(() => {
      if (!mayGoOn()) void stream.return()
    }, RECHECK_MS)
    recheck.unref()
    const ended = () => {
      clearInterval(recheck)
      streams.delete(stream)
    }
    const stream = createStream<Event>({ start, merge, ended })
    streams.set(stream, keyId)
    return stream
  }

  return {
    decisions({ filter = {}, query, after, perSecond, ...args }) {
      const isAsked = followDecisions(replica, filter, parseDecisionQuery(query))
      if (perSecond < 1 || perSecond > MAX_PER_SECOND) throw InputFault.at(['samplePerSecond'], perSecond, `1 to ${MAX_PER_SECOND}`)
      const revision = () => replica.fleet.place.revision
      return admit<DecisionEvent>(
        args,
        (push, fail) => {
          const tellGap = (missedFrom: number): void =>
            push({ revision: revision(), decision: null, suppressed: 0, gap: { missedFrom, resumeAt: revision() } })
          // refusals are in no log: whoever comes back may have missed some at the very revision that was seen last
          if (typeof after === 'number') tellGap(after)
          const sample = createSample<StoredDecision>(perSecond, (stored, suppressed) =>
            push({ revision: revision(), decision: stored === null ? null : decisions.of(stored), suppressed, gap: null }),
          )
          const unseen = createBacklog<StoredDecision, undefined>({
            look: (stored) => {
              if (isAsked(stored)) sample.take(stored)
            },
            merge: () => undefined,
            most: MAX_UNSEEN_DECISIONS,
            onFull: () => tellGap(revision()),
            onFailed: fail,
          })
          const stop = feed.onDecision(
            (stored) => unseen.put(stored, undefined),
            () => tellGap(revision()),
          )
          return () => {
            stop()
            unseen.end()
            sample.end()
          }
        },
        (pending, event) => (pending.length < MAX_PENDING_DECISIONS ? [...pending, event] : withoutFirst([...pending, event])),
      )
    },
    hosts({ filter, query, after, ...args }) {
      const isAsked = compileHostQuery(query)
      if (filter) checkFilter(filter)
      const matches = (view: HostView) => isAsked(view) && (!filter || matchesHost(view, filter))
      return admit<HostEvent>(
        args,
        (push, fail) => {
          const { fleet } = replica
          /** With what the reader has: who follows a name also sees that it became another one. A host is told as it is by then. */
          const unseen = createBacklog<HostRecord, number>({
            look: (record, since) => {
              const view = viewHost(fleet, record)
              if (matches(view) || renamedSince(view, since).some(matches)) push({ revision: record.revision, host: view, gap: null })
            },
            merge: Math.min,
            // no more than there are hosts
            most: Number.POSITIVE_INFINITY,
            onFull: () => undefined,
            onFailed: fail,
          })
          // a host carries the revision of its last change, so what was missed is known exactly; in order, so that a reader whose
          // connection breaks meanwhile knows how far it came
          if (typeof after === 'number') {
            const missed = fleet.hosts.records.filter((record) => record.revision > after)
            for (const record of missed.sort((a, b) => a.revision - b.revision)) unseen.put(record, after)
          }
          const stop = replica.onApplied(({ entry }) => {
            for (const record of touchedBy(entry)) unseen.put(record, entry.revision - 1)
          })
          return () => {
            stop()
            unseen.end()
          }
        },
        (pending, event) => {
          const last = pending.at(-1)
          if (last?.gap) return [{ ...last, revision: event.revision, gap: { ...last.gap, resumeAt: event.revision } }]
          const others = pending.filter(({ host }) => host?.record !== event.host?.record)
          if (others.length < MAX_PENDING_HOSTS) return [...others, event]
          return [{ revision: event.revision, host: null, gap: { missedFrom: others[0]?.revision ?? 0, resumeAt: event.revision } }]
        },
      )
    },
    fleet({ columns, after, intervalMs, keyId, mayGoOn }) {
      const options = { columns, after: after ?? 0, intervalMs }
      checkDeltaOptions(options)
      return admit<FleetDelta>(
        { keyId, mayGoOn },
        (push) =>
          followFleet(
            replica,
            options,
            (listener) => replica.onApplied(({ entry }) => listener(touchedBy(entry).map(({ index }) => index))),
            push,
          ),
        (pending, event) => {
          const [waiting] = pending
          return [waiting === undefined ? event : mergeDeltas(replica, columns, waiting, event)]
        },
      )
    },
    get open() {
      return streams.size
    },
    close() {
      for (const stream of [...streams.keys()]) void stream.return()
    },
  }
}

/** The next one says of the first that it was left out, and tells of its gap. */
function withoutFirst([first, next, ...others]: readonly DecisionEvent[]): DecisionEvent[] {
  if (first === undefined || next === undefined) return []
  const suppressed = first.suppressed + next.suppressed + (first.decision === null ? 0 : 1)
  const resumeAt = next.gap?.resumeAt ?? first.gap?.resumeAt
  const gap = resumeAt === undefined ? null : { missedFrom: first.gap?.missedFrom ?? next.gap?.missedFrom ?? resumeAt, resumeAt }
  return [{ ...next, suppressed, gap }, ...others]
}

/** Whether a decision is among those meant, by the names that hosts have by then. */
function followDecisions(replica: Replica, filter: DecisionFilter, query: Query): (decision: StoredDecision) => boolean {
  let known: { readonly hosts: HostTable; readonly renames: number; readonly isMeant: (decision: StoredDecision) => boolean } | undefined
  return (decision) => {
    const { hosts } = replica.fleet
    if (known?.hosts !== hosts || known.renames !== hosts.renames) {
      const names = hostsOfManyNames(hosts)
      const isAsked = compileDecisionQuery(query, names)
      const chosen = filter.host === undefined ? undefined : allNamesIn(names)(filter.host)
      known = { hosts, renames: hosts.renames, isMeant: (one) => matchesDecision(one, filter, chosen) && isAsked(one) }
    }
    return known.isMeant(decision)
  }
}

function matchesDecision(
  { outcome, record, answer, account, requestSpecId }: StoredDecision,
  filter: DecisionFilter,
  chosen: readonly string[] | undefined,
): boolean {
  return (
    (filter.outcome === undefined || filter.outcome.includes(outcome)) &&
    (chosen === undefined || answer.some(({ selected }) => chosen.includes(selected.host))) &&
    (filter.instanceUuid === undefined || record.request.instanceUuids.includes(filter.instanceUuid)) &&
    (filter.account === undefined || account === filter.account) &&
    (filter.requestSpecId === undefined || requestSpecId === filter.requestSpecId)
  )
}

/** A host under each name that it lost after a revision. */
const renamedSince = ({ fleet, record }: HostView, revision: number): HostView[] =>
  record.formerNames.filter(({ until }) => until > revision).map(({ host, node }) => ({ fleet, record: { ...record, host, node } }))

/** Hosts whose record the entry that was applied last moved to its revision: worked out once for all streams. */
function hostsTouched(replica: Replica): (entry: LogEntry) => readonly HostRecord[] {
  let known: { readonly entry: LogEntry; readonly records: readonly HostRecord[] } | undefined
  return (entry) => {
    if (known?.entry !== entry) known = { entry, records: hostsTouchedBy(replica, entry) }
    return known.records
  }
}

/** Hosts whose record an applied entry moved to its revision. */
function hostsTouchedBy({ fleet }: Replica, { revision, changes }: LogEntry): HostRecord[] {
  const records = new Set(
    changes.flatMap((change) => {
      switch (change.type) {
        case 'report':
        case 'namespace':
        case 'status':
        case 'liveness':
        case 'usedFrom':
        case 'hostAllocation':
          return fleet.hosts.find(change) ?? []
        case 'aggregate':
        case 'forget':
        case 'readmit':
        case 'replace':
        case 'fleetAllocation':
          return fleet.hosts.records.filter((record) => record.revision === revision)
        default:
          return []
      }
    }),
  )
  for (const { host } of fleet.ledger.changed) records.add(fleet.hosts.get(host))
  return [...records]
}
