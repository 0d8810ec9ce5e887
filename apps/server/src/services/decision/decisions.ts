import {
  currentSpec,
  type DecisionRecord,
  hostsOfManyNames,
  type InstanceRecord,
  ignoredFields,
  isStorable,
  unlocatedFields,
} from '@gantt/scheduler-core'
import { type DecisionFilter, type DecisionStore, isUnreadable, type UnreadableDecision } from '../../db/tables/decisions.ts'
import type { LostTry } from '../../db/tables/lost-tries.ts'
import { receiptOf } from '../../db/tables/receipts.ts'
import type { RequestSpecStore, StoredRequestSpec } from '../../db/tables/request-specs.ts'
import type { KeptReceipt, StoredDecision } from '../../db/tables/rows.ts'
import type { Projector } from '../../replica/follow/projector.ts'
import type { Replica } from '../../replica/replica.ts'
import { UnavailableError } from '../../unavailable.ts'
import { inBatches } from '../calls/in-batches.ts'
import { InputFault } from '../calls/outcome.ts'
import { firstOf, keyOf, listOf, type Page, type PageArgs, toCursor } from '../calls/paging.ts'
import { type InstanceDestinations, toDestinations } from '../placement/destinations.ts'
import { parseDecisionQuery } from './decision-query.ts'
import { decidedOf } from './report-ages.ts'

export type { LostTry } from '../../db/tables/lost-tries.ts'
export type { StoredRequestSpec } from '../../db/tables/request-specs.ts'
export type { KeptReceipt } from '../../db/tables/rows.ts'
export { causeOfRefusal, type KeptCause, type RefusalReason, type StoredDecision } from '../../db/tables/rows.ts'

/** How long a query waits for the tables to reach the revision that this replica has applied. */
const WAIT_MS = 5_000

/** The preceding attempt of a placement is searched at most this far back. */
const CHAIN_MS = 3_600_000
/** The preceding attempt of a placement is searched among at most this many earlier decisions about the instance. */
const PREVIOUS_DECISIONS = 20

/**
 * True if a later request with the same intent must be a retry. An instance is created only once, and a claim moves only once. Requests
 * with other intents can recur without being retries.
 */
const isTriedAgain = ({ intent = 'CREATE', source }: DecisionRecord): boolean => intent === 'CREATE' || source !== undefined

/**
 * A decision of which only the id is known at first. `load` reads the other fields and is called only if a caller selects them. A placement
 * call that selects only the id therefore reads no table.
 */
export interface DecisionView {
  readonly id: string
  load(): Promise<StoredDecision>
}

/** A page of decisions. `unreadable` lists the decisions of the page with records that cannot be read. */
export interface DecisionPage extends Page<DecisionView> {
  readonly unreadable: readonly UnreadableDecision[]
}

export interface Decisions {
  find(id: string): Promise<DecisionView | undefined>
  /** Returns the view of a decision that is known to exist. */
  view(id: string): DecisionView
  /** Like `view`, for the answer to the call that made the decision. It is in memory if this replica made it just now. */
  viewMade(id: string): DecisionView
  of(stored: StoredDecision): DecisionView
  stored(id: string): Promise<StoredDecision | undefined>
  /** Sorted newest first. */
  list(args: PageArgs & { readonly filter?: DecisionFilter; readonly query?: string | null | undefined }): Promise<DecisionPage>
  /**
   * The recorded placement of one instance. Without an index: of the instance that got no host, or of the first instance if all were
   * placed. Throws InputFault for an instance that the decision did not try to place.
   */
  instanceOf(decision: StoredDecision, index: number | null | undefined): InstanceRecord
  destinationsOf(decision: StoredDecision): InstanceDestinations[]
  /** The paths of request fields that had no effect. Null if this replica does not know the profile version of the decision. */
  ignoredFields(decision: StoredDecision): string[] | null
  /** Those of `ignoredFields` that have no effect because no recent document locates what they name. Null in the same case. */
  unlocatedFields(decision: StoredDecision): string[] | null
  /**
   * The hashes that later show whether the decision is unchanged. If the decision was not read from the tables, the hashes are computed as
   * they would be stored there.
   */
  receiptOf(decision: StoredDecision): KeptReceipt
  /** Resolves with true when the tables contain everything that this replica has applied, and with false after a timeout. */
  caughtUp(): Promise<boolean>
  /** The ids of the requests that this decision answered, oldest first. Empty until the audit contains them, shortly after the answer. */
  requestIds(id: string): Promise<readonly string[]>
  /**
   * Attempts of the same call whose changes were void, before the attempt that became this decision, oldest first. An attempt without an
   * entry in the log is omitted.
   */
  lostTries(decision: StoredDecision): Promise<readonly LostTry[]>
  /**
   * The decision of which `decision` is a retry: the last decision within the preceding hour for the same account, instance and intent and,
   * for a move, the same claim. Undefined if there is no such decision, or if the request names no instance.
   */
  previous(decision: StoredDecision): Promise<DecisionView | undefined>
  findSpec(id: string): Promise<StoredRequestSpec | undefined>
  /** Sorted newest first. */
  listSpecs(args: PageArgs): Promise<Page<StoredRequestSpec>>
}

export interface Records {
  readonly decisions: DecisionStore
  /** Returns one of the decisions that this replica applied last, from memory. */
  latest(id: string): StoredDecision | undefined
  readonly requestSpecs: RequestSpecStore
  readonly projector: Pick<Projector, 'reached'>
}

export function createDecisions(replica: Replica, { decisions, latest, requestSpecs, projector }: Records): Decisions {
  /**
   * Waits until the tables contain everything that this replica has applied. Then a caller that has just got an answer can read its
   * decision.
   */
  const caughtUp = () => projector.reached(replica.fleet.place.revision, WAIT_MS)
  /**
   * Finds a decision by its id. Before an unknown id is reported, this replica and the tables are brought up to the end of the log. A
   * decision that is still missing was never made, or it was dropped.
   */
  const look = async (id: string): Promise<StoredDecision | undefined> => {
    const found = await decisions.find(id)
    if (found !== undefined) return found
    // another replica might have just made the decision
    await replica.fresh()
    const isCaughtUp = await caughtUp()
    const later = await decisions.find(id)
    if (later === undefined && !isCaughtUp)
      throw new UnavailableError('store', `the tables, which have not followed the log up to now, have no decision ${id}; ask again`)
    return later
  }
  const of = (decision: StoredDecision): DecisionView => ({ id: decision.id, load: () => Promise.resolve(decision) })
  const view = (id: string): DecisionView => {
    let loading: Promise<StoredDecision> | undefined
    return {
      id,
      load() {
        loading ??= look(id).then((found) => {
          if (found === undefined) throw new Error(`decision ${id} was made, but is not in the records`)
          return found
        })
        return loading
      },
    }
  }

  return {
    view,
    viewMade(id) {
      const made = latest(id)
      return made === undefined ? view(id) : of(made)
    },
    of,
    stored: look,
    caughtUp,
    async find(id) {
      const found = await look(id)
      return found === undefined ? undefined : of(found)
    },
    async list({ filter: given = {}, query, ...page }) {
      const filter: DecisionFilter = { ...given, query: parseDecisionQuery(query) }
      for (const [name, text] of Object.entries(filter))
        if (typeof text === 'string' && !isStorable(text)) throw InputFault.at(['filter', name], text, 'text without NUL')
      const list = listOf('decisions', filter)
      const first = firstOf(list, page)
      const key = keyOf<[number, string]>(list, page, ['number', 'string'])
      await caughtUp()
      const names = hostsOfManyNames(replica.fleet.hosts)
      const rows = await decisions.list({ ...filter, names, first: first + 1, ...(key ? { after: { at: key[0], id: key[1] } } : {}) })
      const shown = rows.slice(0, first)
      const cursorOf = ({ at, id }: { readonly at: number; readonly id: string }) => toCursor(list, [at, id])
      const [begin, end] = [shown[0], shown.at(-1)].map((row) => (row === undefined ? null : cursorOf(row)))
      return {
        edges: shown.flatMap((row) => (isUnreadable(row) ? [] : [{ cursor: cursorOf(row), node: of(row) }])),
        unreadable: shown.filter(isUnreadable),
        bounds: { start: begin ?? null, end: end ?? null },
        hasNextPage: rows.length > first,
        hasPreviousPage: key !== undefined,
        totalCount: () => decisions.count({ ...filter, names }),
      }
    },
    instanceOf({ record, answer }, index) {
      const { instances } = record
      // if not all instances were placed, the last recorded instance is the instance that got no host
      const instanceIndex = index ?? (answer.length < record.request.numInstances ? instances.length - 1 : 0)
      const found = instances[instanceIndex]
      if (found === undefined) throw InputFault.at(['instanceIndex'], instanceIndex, `0 to ${instances.length - 1}`)
      return found
    },
    destinationsOf: (decision) =>
      toDestinations(
        replica,
        decision.answer,
        decision.claimIds.map((id) => replica.fleet.ledger.claims.get(id)),
        async () => decidedOf(decision),
      ),
    ignoredFields({ record: { request, profile: ref } }) {
      const profile = replica.fleet.profiles.find(ref)
      return profile === undefined ? null : [...ignoredFields(currentSpec(request), profile, replica.fleet)]
    },
    unlocatedFields({ record: { request, profile: ref } }) {
      const profile = replica.fleet.profiles.find(ref)
      return profile === undefined ? null : [...unlocatedFields(currentSpec(request), profile, replica.fleet)]
    },
    receiptOf: (decision) => decision.receipt ?? { ...receiptOf(decision), matrix: null, matrixAt: null },
    requestIds: inBatches(async (ids) => {
      const found = await decisions.requestIds(ids)
      return (id) => found.get(id) ?? []
    }),
    async lostTries({ id, record }) {
      if (record.attempt === 1) return []
      await caughtUp()
      return decisions.lostTries(id)
    },
    async previous({ id, at, account, record }) {
      const [instanceUuid] = record.request.instanceUuids
      if (instanceUuid === undefined || !isTriedAgain(record)) return undefined
      await caughtUp()
      const before = await decisions.list({ first: PREVIOUS_DECISIONS, after: { at, id }, since: at - CHAIN_MS, instanceUuid, account })
      const found = before.find((one) => !isUnreadable(one) && one.record.intent === record.intent && one.record.source === record.source)
      return found === undefined || isUnreadable(found) ? undefined : of(found)
    },
    async findSpec(id) {
      const found = await requestSpecs.find(id)
      if (found !== undefined) return found
      await caughtUp()
      return requestSpecs.find(id)
    },
    async listSpecs(page) {
      const list = listOf('requestSpecs')
      const first = firstOf(list, page)
      const key = keyOf<[number, string]>(list, page, ['number', 'string'])
      await caughtUp()
      const rows = await requestSpecs.list({ first: first + 1, ...(key ? { after: { createdAt: key[0], id: key[1] } } : {}) })
      return {
        edges: rows.slice(0, first).map((row) => ({ cursor: toCursor(list, [row.createdAt, row.id]), node: row })),
        hasNextPage: rows.length > first,
        hasPreviousPage: key !== undefined,
        totalCount: () => requestSpecs.count(),
      }
    },
  }
}
