import { allNamesIn, type HostIndex, type HostTable, hostsOfManyNames, type LogEntry } from '@gantt/scheduler-core'
import type { Query } from '@gantt/scheduler-core/query'
import type { DecisionFilter } from '../../db/tables/decisions.ts'
import type { StoredDecision } from '../../db/tables/rows.ts'
import type { EndOfCall } from '../../event-loop/call-end.ts'
import { CallerGoneError } from '../../event-loop/query.ts'
import type { DecisionFeed } from '../../replica/follow/decision-feed.ts'
import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'
import { compileDecisionQuery, parseDecisionQuery } from '../decision/decision-query.ts'
import type { Decisions, DecisionView } from '../decision/decisions.ts'
import { checkDeltaOptions, createFleetDeltas, type DeltaOptions, type FleetDelta, type Gap } from '../fleet/fleet-deltas.ts'
import { compileHostFilter, type HostFilter } from '../host/host-filter.ts'
import { compileHostQuery } from '../host/host-query.ts'
import { type HostView, viewHost } from '../host/host-view.ts'
import { createBacklog } from './backlog.ts'
import { changedAfter } from './changed-after.ts'
import { followHeals } from './heals.ts'
import { createSample } from './sample.ts'
import { createStream, createWaitingList, readWhenDue, type Stream, type Waiting } from './stream.ts'
import { createWaitingHosts, type HostEvent } from './waiting-hosts.ts'

/** The interval at which a stream checks whether its reader is still authorised, in milliseconds. */
const RECHECK_MS = 5_000
/** At most this many streams may be open in one process. Further streams are refused. */
const MAX_STREAMS = 256
/** At most this many streams of one key may be open. */
const MAX_STREAMS_PER_KEY = 128
/**
 * At most this many decisions wait for one slow reader. If there are more, the reader gets only the latest decisions and the count of
 * missed decisions.
 */
const MAX_PENDING_DECISIONS = 20
/** At most this many changed hosts wait for one slow reader. If there are more, an event says that changes are missing. */
const MAX_PENDING_HOSTS = 10_000
const MAX_PER_SECOND = 1_000
/** At most this many decisions of one stream wait to be processed. If there are more, an event says that decisions are missing. */
const MAX_UNSEEN_DECISIONS = 1_000
export interface DecisionEvent {
  readonly revision: number
  /** The decision. Null if the event only reports a gap, or only the count of decisions that were dropped at the end of a burst. */
  readonly decision: DecisionView | null
  /** How many decisions were dropped before this event, because there were too many or the reader was too slow. */
  readonly suppressed: number
  readonly gap: Gap | null
}

/** The error if too many streams are open in this process or for one key. */
export class TooManyStreamsError extends Error {
  override readonly name = 'TooManyStreamsError'
}

/** The arguments of every stream. */
export interface StreamArgs {
  /** The last revision that the reader has seen. Absent: only later changes are sent, except that `fleet` first sends all hosts. */
  readonly after?: number | null | undefined
  /** The id of the key that opened the stream. */
  readonly keyId: string
  /** Returns false if the reader is not authorised any more. Called every few seconds. */
  mayGoOn(): boolean
  /** Aborted once nothing more can be sent to the reader. The stream then ends. */
  readonly over: EndOfCall
}

/**
 * Streams of changes. For a reader that is too slow, earlier changes are dropped or merged. Otherwise the memory for waiting changes would
 * grow without limit.
 */
export interface Watch {
  decisions(
    options: StreamArgs & { readonly filter?: DecisionFilter; readonly query?: string | null | undefined; readonly perSecond: number },
  ): Stream<DecisionEvent>
  hosts(
    options: StreamArgs & { readonly filter?: HostFilter | null | undefined; readonly query?: string | null | undefined },
  ): Stream<HostEvent>
  /** The changed hosts as columns, in one event per interval. */
  fleet(options: StreamArgs & DeltaOptions): Stream<FleetDelta>
  readonly open: number
  /** Ends every stream. */
  close(): void
}

export function createWatch(replica: Replica, decisions: Pick<Decisions, 'of'>, feed: DecisionFeed): Watch {
  /** The open streams, each with the id of the key that opened it. */
  const streams = new Map<Stream<unknown>, string>()
  const touchedBy = hostsTouched(replica)
  const heals = followHeals(replica)
  const readerOfDeltas = createFleetDeltas({
    replica,
    touched(listener) {
      const stops = [replica.onApplied(({ entry }) => listener(touchedBy(entry))), heals.onHealed(listener)]
      return () => {
        for (const stop of stops) stop()
      }
    },
    healed: () => heals.last,
  })
  const admit = <Event>(
    { keyId, mayGoOn, over }: StreamArgs,
    start: (push: (event: Event) => void, fail: (error: unknown) => void) => () => void,
    waiting: Waiting<Event>,
  ): Stream<Event> => {
    if (over.aborted) throw new CallerGoneError()
    if (streams.size >= MAX_STREAMS)
      throw new TooManyStreamsError(`${MAX_STREAMS} streams are open in this process; close some, or use another replica`)
    const ofKey = [...streams.values()].filter((id) => id === keyId).length
    if (ofKey >= MAX_STREAMS_PER_KEY)
      throw new TooManyStreamsError(
        `the key has ${ofKey} streams open in this process, and may have ${MAX_STREAMS_PER_KEY}; close some, or use another replica`,
      )
    const recheck = setInterval(() => {
      if (!mayGoOn()) void stream.return()
    }, RECHECK_MS)
    recheck.unref()
    const end = (): void => void stream.return()
    const ended = () => {
      clearInterval(recheck)
      over.removeEventListener('abort', end)
      streams.delete(stream)
    }
    const stream = createStream<Event>({ start, waiting, ended })
    streams.set(stream, keyId)
    // a stream must also end if nobody reads the answer, for example because the client does not accept the content type
    over.addEventListener('abort', end)
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
          const emitGap = (missedFrom: number): void =>
            push({ revision: revision(), decision: null, suppressed: 0, gap: { missedFrom, resumeAt: revision() } })
          // refusals are not in the log, so a reader that reconnects can have missed refusals even if the revision has not changed
          if (typeof after === 'number') emitGap(after)
          const sample = createSample<StoredDecision>(perSecond, (stored, suppressed) =>
            push({ revision: revision(), decision: stored === null ? null : decisions.of(stored), suppressed, gap: null }),
          )
          const unseen = createBacklog<StoredDecision, undefined>({
            look: (stored) => {
              if (isAsked(stored)) sample.take(stored)
            },
            merge: () => undefined,
            most: MAX_UNSEEN_DECISIONS,
            onFull: () => emitGap(revision()),
            onFailed: fail,
          })
          const stop = feed.onDecision(
            (stored) => unseen.put(stored, undefined),
            () => emitGap(revision()),
          )
          // a wrong state can have published or withheld decisions at any revision
          const stopHeals = heals.onHealed(() => emitGap(0))
          return () => {
            stop()
            stopHeals()
            unseen.end()
            sample.end()
          }
        },
        createWaitingList((pending, event) =>
          pending.length < MAX_PENDING_DECISIONS ? [...pending, event] : withoutFirst([...pending, event]),
        ),
      )
    },
    hosts({ filter, query, after, ...args }) {
      const isAsked = compileHostQuery(query)
      const isMeant = filter ? compileHostFilter(filter) : undefined
      const matches = (view: HostView) => isAsked(view) && (!isMeant || isMeant(view))
      return admit<HostEvent>(
        args,
        (push, fail) => {
          /**
           * Sends changed hosts in their present state. A reader that follows a host by name also gets the event in which the name changes.
           */
          const unseen = createBacklog<HostIndex, number>({
            look: (index, since) => {
              const { fleet } = replica
              // only the wrong state before a heal had this host; after a heal, the reader gets a gap and reads all hosts again
              if (fleet.hosts.records[index] === undefined) return
              const view = viewHost(fleet, { index })
              if (matches(view) || renamedSince(view, since).some(matches)) push({ revision: view.record.revision, host: view, gap: null })
            },
            merge: Math.min,
            // No limit is needed, because there are never more items than hosts: an item is the index of a host, which does not change. A
            // record of a host would not do, because it is replaced by a clone when the fleet is copied.
            most: Number.POSITIVE_INFINITY,
            onFull: () => undefined,
            onFailed: fail,
          })
          // The revision of a host is that of its last change, so the missed changes are known exactly. They are sent in the order of their
          // revisions. A reader that loses its connection therefore knows up to which revision it has read.
          const { fleet } = replica
          const { revision } = fleet.place
          const isBeforeHeal = typeof after === 'number' && after <= (heals.last?.revision ?? -1)
          if (isBeforeHeal) push(afterHeal(revision))
          else if (typeof after === 'number') unseen.putEach(changedAfter(fleet, after), after)
          const stop = replica.onApplied(({ entry }) => unseen.putEach(touchedBy(entry), entry.revision - 1))
          const stopHeals = heals.onHealed(() => push(afterHeal(replica.fleet.place.revision)))
          return () => {
            stop()
            stopHeals()
            unseen.end()
          }
        },
        createWaitingHosts(MAX_PENDING_HOSTS),
      )
    },
    fleet({ columns, after, intervalMs, ...args }) {
      const options = { columns, after: after ?? 0, intervalMs }
      checkDeltaOptions(options)
      const reader = readerOfDeltas(options)
      // the changes are read when the reader of the stream wants them, so a slow reader has at most one event to come
      const due = admit<true>(
        args,
        (push) => reader.listen(() => push(true)),
        createWaitingList(() => [true]),
      )
      return readWhenDue(due, () => reader.read())
    },
    get open() {
      return streams.size
    },
    close() {
      for (const stream of [...streams.keys()]) void stream.return()
    },
  }
}

/** The event for a reader that got hosts of a wrong state, which can have been wrong since any revision. */
const afterHeal = (revision: number): HostEvent => ({ revision, host: null, gap: { missedFrom: 0, resumeAt: revision } })

/** Removes the first waiting event. The next event then counts the removed decision as missed, and gets the gap of the removed event. */
function withoutFirst([first, next, ...others]: readonly DecisionEvent[]): DecisionEvent[] {
  if (first === undefined || next === undefined) return []
  const suppressed = first.suppressed + next.suppressed + (first.decision === null ? 0 : 1)
  const resumeAt = next.gap?.resumeAt ?? first.gap?.resumeAt
  const gap = resumeAt === undefined ? null : { missedFrom: first.gap?.missedFrom ?? next.gap?.missedFrom ?? resumeAt, resumeAt }
  return [{ ...next, suppressed, gap }, ...others]
}

/** Returns a test of whether a decision matches. A host is found by the names that it has when the decision arrives. */
function followDecisions(replica: Replica, filter: DecisionFilter, query: Query): (decision: StoredDecision) => boolean {
  // duplicates are removed here, because a caller can name an outcome ten thousand times and the filter runs for every decision
  const asked = filter.outcome === undefined ? filter : { ...filter, outcome: [...new Set(filter.outcome)] }
  let known: { readonly hosts: HostTable; readonly renames: number; readonly isMeant: (decision: StoredDecision) => boolean } | undefined
  return (decision) => {
    const { hosts } = replica.fleet
    if (known?.hosts !== hosts || known.renames !== hosts.renames) {
      const names = hostsOfManyNames(hosts)
      const isAsked = compileDecisionQuery(query, names)
      const chosen = filter.host === undefined ? undefined : allNamesIn(names)(filter.host)
      known = { hosts, renames: hosts.renames, isMeant: (one) => matchesDecision(one, asked, chosen) && isAsked(one) }
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

/** Views of a host under the earlier names that it lost after a revision. */
const renamedSince = ({ fleet, record }: HostView, revision: number): HostView[] =>
  record.formerNames.filter(({ until }) => until > revision).map(({ host, node }) => ({ fleet, record: { ...record, host, node } }))

/** Returns a function that finds the hosts that the last applied entry concerns. The hosts are computed only once for all streams. */
function hostsTouched(replica: Replica): (entry: LogEntry) => readonly HostIndex[] {
  let known: { readonly entry: LogEntry; readonly hosts: readonly HostIndex[] } | undefined
  return (entry) => {
    if (known?.entry !== entry) known = { entry, hosts: hostsTouchedBy(replica, entry) }
    return known.hosts
  }
}

/**
 * The hosts that an applied entry concerns: the hosts of its reports and of edits of single hosts, even if they are void, all hosts that
 * other changes changed, and the hosts of the changed claims.
 */
function hostsTouchedBy({ fleet }: Replica, { revision, changes }: LogEntry): HostIndex[] {
  const touched = new Set<HostIndex>()
  let changesMany = false
  for (const change of changes)
    switch (change.type) {
      case 'report':
      case 'namespace':
      case 'status':
      case 'liveness':
      case 'usedFrom':
      case 'hostAllocation': {
        const record = fleet.hosts.find(change)
        if (record !== undefined) touched.add(record.index)
        break
      }
      case 'aggregate':
      case 'forget':
      case 'readmit':
      case 'replace':
      case 'fleetAllocation':
        changesMany = true
        break
      default:
        break
    }
  // all hosts are searched once, however many such changes the entry has
  if (changesMany) for (const record of fleet.hosts.records) if (record.revision === revision) touched.add(record.index)
  for (const { host } of fleet.ledger.changed) touched.add(host)
  return [...touched]
}
