import {
  canonicalJson,
  examineEach,
  type FirstDifference,
  type Fleet,
  firstDifference,
  isProposal,
  type KeptDecision,
  type LogEntry,
  matrixTexts,
  otherCode,
  type Proposal,
  pluginsOf,
  proposalsBefore,
  replayInSteps,
  type Steps,
  verdictMatrixInSteps,
} from '@gantt/scheduler-core'
import { type DecisionStore, UnreadableDecisionError } from '../../db/tables/decisions.ts'
import { createHashing, receiptOf, searchedOf } from '../../db/tables/receipts.ts'
import type { StoredDecision } from '../../db/tables/rows.ts'
import type { History } from '../../replica/follow/history.ts'
import { placedDecision } from '../../replica/follow/rows-of.ts'
import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'
import type { Fidelity } from '../explanation/examined.ts'
import { createOwnFleet } from '../moments/own-fleet.ts'
import type { Decisions, DecisionView } from './decisions.ts'

/**
 * SAME if all bits are equal. UNKNOWN if no hash is stored for the comparison, if the decision cannot be replayed, or if the replay differs
 * and the decision was made by different code.
 */
export type CheckOutcome = 'SAME' | 'DIFFERENT' | 'UNKNOWN'

/**
 * The comparisons. INPUTS, DECIDED and ROW compare the stored record and its columns with the stored hashes. LOG compares the record with
 * its log entry. REPLAY compares the record with a new decision on the same inputs. MATRIX compares every verdict of the replay with the
 * hash that was stored at the first replay.
 */
export const verifiedParts = ['INPUTS', 'DECIDED', 'ROW', 'LOG', 'REPLAY', 'MATRIX'] as const
export type VerifiedPart = (typeof verifiedParts)[number]

export interface VerificationCheck {
  readonly part: VerifiedPart
  readonly outcome: CheckOutcome
  readonly text: string
  /** The stored hash, if this check compares hashes. */
  readonly kept: string | null
  readonly found: string | null
  /** The first difference, if this check compares documents and they differ. */
  readonly difference: FirstDifference | null
}

/** A decision compared with its receipt, with the log, and with its replay. */
export interface DecisionVerification {
  readonly decision: DecisionView
  /**
   * DIFFERENT if any check is DIFFERENT. UNKNOWN if the decision has no log entry and not all of its hashes are stored. Otherwise the
   * result of the replay.
   */
  readonly outcome: CheckOutcome
  readonly fidelity: Fidelity
  /** The revision on which the decision was replayed; null if it could not be replayed. */
  readonly revision: number | null
  readonly checks: readonly VerificationCheck[]
}

/** Throws InputFault for a decision that does not exist. */
export type VerifyDecision = (id: string) => Promise<DecisionVerification>

/**
 * At most this many verdicts (hosts times instances) are hashed, except that the first eight instances are always hashed. The count of
 * hashed instances depends only on the decision. Therefore every replica computes the same hash.
 */
const MATRIX_VERDICTS = 1_000_000

/** Older releases hashed the verdicts of at most this many instances. */
const OLDER_INSTANCES = 8

export function createVerifyDecision(
  replica: Replica,
  history: History,
  decisions: Decisions,
  store: Pick<DecisionStore, 'keepMatrix'>,
  maxVerdicts = MATRIX_VERDICTS,
): VerifyDecision {
  /** The store time (the database's clock) of a revision. */
  const timeAt = (revision: number): number | Promise<number> =>
    replica.fleet.place.revision === revision ? replica.fleet.now : history.read(revision, ({ now }) => now)

  /** Replays the decision. Returns the decision in its log entry, the replayed result, and a function that hashes all verdicts. */
  const again = async ({ record, place }: StoredDecision): Promise<Again> => {
    const entry = place.entryId === null ? undefined : await history.find(place.entryId, place.basis)
    if (place.entryId !== null && entry === undefined) throw new RangeError(`entry ${place.entryId} is not in the log`)
    const before = entry === undefined ? [] : proposalsBefore(entry, place.position ?? 0)
    const present = replica.fleet.place.revision === place.basis ? history.copy(replica.fleet) : undefined
    const state = createOwnFleet(() => present ?? history.at(place.basis), history.giveBack)
    const made = await state.work((fleet) => replayInSteps(fleet, before, record))
    const { instances } = made.record
    const at = entry === undefined ? 0 : await timeAt(entry.revision)
    return {
      logged: entry === undefined ? undefined : loggedIn(entry, record.id, at),
      record: made.record,
      answer: made.answer,
      matrix: (hasRounds) => state.work((fleet) => hashMatrix(fleet, before, record, instances.length, { maxVerdicts, hasRounds })),
    }
  }

  const matrixCheck = async ({ id, receipt }: StoredDecision, matrix: Again['matrix']): Promise<VerificationCheck> => {
    const made = await matrix(true)
    const known = receipt?.matrix ?? null
    const kept = known ?? (await store.keepMatrix(id, made.hash))?.matrix ?? null
    if (kept === made.older) return partly(hashCheck('MATRIX', kept, made.older), { ...made, covered: OLDER_INSTANCES })
    const check = hashCheck('MATRIX', kept, made.hash)
    if (check.outcome === 'DIFFERENT' && made.instances > 1) {
      const before = await matrix(false)
      if (kept === before.older) return withoutRounds(hashCheck('MATRIX', kept, before.older), { ...before, covered: OLDER_INSTANCES })
      if (kept === before.hash) return withoutRounds(hashCheck('MATRIX', kept, before.hash), before)
    }
    const isFirst = known === null && check.outcome === 'SAME'
    return partly(isFirst ? { ...check, text: 'This is the first replay: the hash of every verdict is stored from now on.' } : check, made)
  }

  return async (id) => {
    let stored: StoredDecision | undefined
    try {
      stored = await decisions.stored(id)
    } catch (error) {
      if (!(error instanceof UnreadableDecisionError)) throw error
      return { decision: decisions.view(id), outcome: 'DIFFERENT', fidelity: 'APPROXIMATE', revision: null, checks: [unreadable(error)] }
    }
    if (stored === undefined) throw InputFault.at(['id'], id, 'the id of a decision')
    const { record, answer, place, receipt } = stored
    const now = receiptOf(stored)
    const checks = [
      hashCheck('INPUTS', receipt?.inputs ?? null, now.inputs),
      hashCheck('DECIDED', receipt?.decided ?? null, now.decided),
      hashCheck('ROW', receipt?.row ?? null, now.row),
    ]
    const other = otherCode(record, pluginsOf(replica.fleet))
    const isOurs = other === undefined
    const end = (revision: number | null, more: readonly VerificationCheck[]): DecisionVerification => {
      const all = [...checks, ...more]
      const replayed = all.find(({ part }) => part === 'REPLAY')?.outcome ?? 'UNKNOWN'
      // a log entry or the stored hashes show what was decided; if both are missing, the original decision is unknown
      const isConfirmed = place.entryId !== null || checks.every((check) => check.outcome !== 'UNKNOWN')
      const outcome = all.some((check) => check.outcome === 'DIFFERENT') ? 'DIFFERENT' : isConfirmed ? replayed : 'UNKNOWN'
      return {
        decision: decisions.of(stored),
        outcome,
        fidelity: isOurs && revision !== null ? 'REPLAYED' : 'APPROXIMATE',
        revision,
        checks: all,
      }
    }
    let made: Again
    try {
      made = await again(stored)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return end(null, [unknown('REPLAY', `It cannot be replayed: ${error.message}.`)])
    }
    const more: VerificationCheck[] = []
    if (place.entryId !== null) more.push(documentCheck('LOG', made.logged && rowIn(made.logged), rowIn(stored)))
    const replayed = documentCheck('REPLAY', { record, answer }, { record: made.record, answer: made.answer })
    more.push(
      isOurs || replayed.outcome === 'SAME' ? replayed : unknown('REPLAY', `The decision was made ${other}, so the replay may differ.`),
    )
    // verdicts by a different release or on a different state cannot be compared with the verdicts of the decision
    if (isOurs && replayed.outcome === 'SAME')
      more.push(
        await matrixCheck(stored, made.matrix).catch((error: unknown) => {
          // the old log entries were deleted during the verification
          if (!(error instanceof RangeError)) throw error
          return unknown('MATRIX', `Its verdicts cannot be replayed: ${error.message}.`)
        }),
      )
    return end(place.basis, more)
  }
}

interface Again extends KeptDecision {
  /** The decision in the log; undefined if the log has none. */
  readonly logged: StoredDecision | undefined
  /** `hasRounds` is false for the verdicts as releases computed them that did not explain Nova's rounds. */
  matrix(hasRounds: boolean): Promise<MatrixHash>
}

/** The hash of all verdicts, and how many instances it covers. */
interface MatrixHash {
  readonly hash: string
  readonly covered: number
  readonly instances: number
  /** The hash of the first eight instances, as older releases computed it. Undefined if there are at most eight instances. */
  readonly older: string | undefined
}

/** If a check does not cover all instances, adds the count of covered instances to its text. */
const partly = (check: VerificationCheck, { covered, instances }: Pick<MatrixHash, 'covered' | 'instances'>): VerificationCheck =>
  covered === instances ? check : { ...check, text: `${check.text} The check covers the first ${covered} of ${instances} instances.` }

/** Says that an older release stored the hash, whose verdicts for later instances did not consider Nova's rounds. */
const withoutRounds = (check: VerificationCheck, made: MatrixHash): VerificationCheck =>
  partly(
    { ...check, text: `${check.text} An older release made that replay, and its verdicts for later instances left out Nova's rounds.` },
    made,
  )

/** The decision in a log entry; undefined if the entry does not contain it. */
function loggedIn({ id, basis, changes }: LogEntry, decision: string, at: number): StoredDecision | undefined {
  const position = changes.findIndex((one) => isProposal(one) && one.decision.id === decision)
  const change = changes[position]
  if (change === undefined || !isProposal(change)) return undefined
  return placedDecision(change, id, basis.revision, position, at, () => '')
}

/** The table row that is derived from a log entry, without the stored hashes. */
function rowIn(decision: StoredDecision) {
  const { record, answer, place, outcome, at, account, claimIds, searched } = decision
  return { record, answer, place, outcome, at, account, claimIds, ...(searched ?? searchedOf(decision)) }
}

function* hashMatrix(
  fleet: Fleet,
  before: readonly Proposal[],
  record: StoredDecision['record'],
  instances: number,
  { maxVerdicts, hasRounds }: { readonly maxVerdicts: number; readonly hasRounds: boolean },
): Steps<MatrixHash> {
  const covered = Math.min(instances, Math.max(OLDER_INSTANCES, Math.floor(maxVerdicts / Math.max(1, fleet.hosts.count))))
  const hashing = createHashing()
  let older: string | undefined
  yield* examineEach(fleet, before, record, covered, hasRounds, function* (examination, instance) {
    if (instance === OLDER_INSTANCES) older = hashing.soFar()
    const texts = matrixTexts(record.id, instance, {
      names: fleet.hosts.records,
      matrix: yield* verdictMatrixInSteps(examination, examination),
      totals: examination.ranked.map((position) => examination.weighed.totals[position] as number),
    })
    for (const text of texts) {
      hashing.add(text)
      yield
    }
  })
  return { hash: hashing.soFar(), covered, instances, older }
}

const WHAT: Readonly<Record<VerifiedPart, { readonly same: string; readonly different: string }>> = {
  INPUTS: {
    same: 'Log position, request, profile, seed and all other inputs match the receipt.',
    different: 'The stored inputs do not match the receipt.',
  },
  DECIDED: {
    same: 'Hosts, scores, alternates, counts and the best ten match the receipt.',
    different: 'The stored result does not match the receipt.',
  },
  ROW: {
    same: 'Outcome, time, account, claims, reasons and search fields match the receipt.',
    different: 'The stored outcome, time, account, claims, reasons or search fields do not match the receipt.',
  },
  LOG: {
    same: 'The log entry contains the same decision.',
    different: 'The log entry contains another decision, or another position, outcome, time, account or claims of it.',
  },
  REPLAY: {
    same: 'The replay gives the same result, bit for bit.',
    different: 'The replay differs.',
  },
  MATRIX: {
    same: 'Every verdict on every host equals that of the first replay.',
    different: 'The verdicts on the hosts differ from those of the first replay.',
  },
}

function hashCheck(part: VerifiedPart, kept: string | null, found: string): VerificationCheck {
  if (kept === null) return { ...unknown(part, 'No hash was kept: an older release made the decision.'), found }
  const isSame = kept === found
  return {
    part,
    outcome: isSame ? 'SAME' : 'DIFFERENT',
    text: isSame ? WHAT[part].same : WHAT[part].different,
    kept,
    found,
    difference: null,
  }
}

function documentCheck(part: VerifiedPart, was: unknown, is: unknown): VerificationCheck {
  const isSame = was !== undefined && canonicalJson(was) === canonicalJson(is)
  const difference = isSame ? undefined : firstDifference(was, is)
  return {
    part,
    outcome: isSame ? 'SAME' : 'DIFFERENT',
    text: isSame ? WHAT[part].same : WHAT[part].different,
    kept: null,
    found: null,
    difference: difference ?? null,
  }
}

const unknown = (part: VerifiedPart, text: string): VerificationCheck => ({
  part,
  outcome: 'UNKNOWN',
  text,
  kept: null,
  found: null,
  difference: null,
})

const unreadable = ({ reason }: UnreadableDecisionError): VerificationCheck => ({
  ...unknown('DECIDED', `The stored record cannot be read: ${reason}.`),
  outcome: 'DIFFERENT',
})
