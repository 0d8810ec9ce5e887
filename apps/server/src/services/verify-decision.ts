import {
  canonicalJson,
  copyFleet,
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
import { type DecisionStore, UnreadableDecisionError } from '../db/decisions.ts'
import { createHashing, receiptOf, searchedOf } from '../db/receipts.ts'
import type { StoredDecision } from '../db/rows.ts'
import type { History } from '../replica/history.ts'
import type { Replica } from '../replica/replica.ts'
import { placedDecision } from '../replica/rows-of.ts'
import type { Decisions, DecisionView } from './decisions.ts'
import type { Fidelity } from './examined.ts'
import { InputFault } from './outcome.ts'
import { createOwnFleet } from './own-fleet.ts'

/** SAME: to the last bit; UNKNOWN: there is nothing to compare with, or it cannot be made again. */
export type CheckOutcome = 'SAME' | 'DIFFERENT' | 'UNKNOWN'

/**
 * What is compared. INPUTS, DECIDED and ROW: the stored record and its columns with the hashes that were kept with it; LOG:
 * with the entry that carried it; REPLAY: with what the same inputs decide now; MATRIX: every verdict with the hash of the first replay.
 */
export const verifiedParts = ['INPUTS', 'DECIDED', 'ROW', 'LOG', 'REPLAY', 'MATRIX'] as const
export type VerifiedPart = (typeof verifiedParts)[number]

export interface VerificationCheck {
  readonly part: VerifiedPart
  readonly outcome: CheckOutcome
  readonly text: string
  /** Hashes, where the part is compared by them. */
  readonly kept: string | null
  readonly found: string | null
  /** Where documents are compared and differ. */
  readonly difference: FirstDifference | null
}

/** A decision against its receipt, the log, and itself made again. */
export interface DecisionVerification {
  readonly decision: DecisionView
  /** DIFFERENT where any check is; UNKNOWN where neither a hash nor the log says what was kept; else as the replay is. */
  readonly outcome: CheckOutcome
  readonly fidelity: Fidelity
  /** Revision of the state that it was made again on; null where it could not be. */
  readonly revision: number | null
  readonly checks: readonly VerificationCheck[]
}

/** Throws InputFault for a decision that is not there. */
export type VerifyDecision = (id: string) => Promise<DecisionVerification>

/**
 * Verdicts that are hashed at most, hosts times instances, but always the first eight instances: how many instances a hash
 * covers follows from the decision, so that it is the same on every replica however busy.
 */
const MATRIX_VERDICTS = 1_000_000

/** Instances that older releases hashed at most. */
const OLDER_INSTANCES = 8

export function createVerifyDecision(
  replica: Replica,
  history: History,
  decisions: Decisions,
  store: Pick<DecisionStore, 'keepMatrix'>,
  mostVerdicts = MATRIX_VERDICTS,
): VerifyDecision {
  /** Store time of a revision. */
  const timeAt = (revision: number): number | Promise<number> =>
    replica.fleet.place.revision === revision ? replica.fleet.now : history.read(revision, ({ now }) => now)

  /** Makes it again: what the log has of it, what comes out, and the hash of every verdict. */
  const again = async ({ record, place }: StoredDecision): Promise<Again> => {
    const entry = place.entryId === null ? undefined : await history.find(place.entryId, place.basis)
    if (place.entryId !== null && entry === undefined) throw new RangeError(`entry ${place.entryId} is not in the log`)
    const before = entry === undefined ? [] : proposalsBefore(entry, place.position ?? 0)
    const present = replica.fleet.place.revision === place.basis ? copyFleet(replica.fleet) : undefined
    const state = createOwnFleet(() => present ?? history.at(place.basis))
    const made = await state.work((fleet) => replayInSteps(fleet, before, record))
    const { instances } = made.record
    const at = entry === undefined ? 0 : await timeAt(entry.revision)
    return {
      logged: entry === undefined ? undefined : loggedIn(entry, record.id, at),
      record: made.record,
      answer: made.answer,
      matrix: () => state.work((fleet) => hashMatrix(fleet, before, record, instances.length, mostVerdicts)),
    }
  }

  const matrixCheck = async ({ id, receipt }: StoredDecision, made: MatrixHash): Promise<VerificationCheck> => {
    const known = receipt?.matrix ?? null
    const kept = known ?? (await store.keepMatrix(id, made.hash))?.matrix ?? null
    if (kept === made.older) return partly(hashCheck('MATRIX', kept, made.older), { ...made, covered: OLDER_INSTANCES })
    const check = hashCheck('MATRIX', kept, made.hash)
    const isFirst = known === null && check.outcome === 'SAME'
    return partly(isFirst ? { ...check, text: 'This is the first replay: the hash of every verdict is kept from now on.' } : check, made)
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
      // without a hash the entry says what was kept; without both, nothing does
      const isVouched = place.entryId !== null || checks.every((check) => check.outcome !== 'UNKNOWN')
      const outcome = all.some((check) => check.outcome === 'DIFFERENT') ? 'DIFFERENT' : isVouched ? replayed : 'UNKNOWN'
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
      return end(null, [unknown('REPLAY', `It cannot be made again: ${error.message}.`)])
    }
    const more: VerificationCheck[] = []
    if (place.entryId !== null) more.push(documentCheck('LOG', made.logged && rowIn(made.logged), rowIn(stored)))
    const replayed = documentCheck('REPLAY', { record, answer }, { record: made.record, answer: made.answer })
    more.push(isOurs || replayed.outcome === 'SAME' ? replayed : unknown('REPLAY', `It was decided ${other}, and may decide otherwise.`))
    // verdicts of another release, or of another state, would say nothing about those of the decision
    if (isOurs && replayed.outcome === 'SAME')
      more.push(
        await made.matrix().then(
          (matrix) => matrixCheck(stored, matrix),
          (error: unknown) => {
            // the log was trimmed meanwhile
            if (!(error instanceof RangeError)) throw error
            return unknown('MATRIX', `Its verdicts cannot be made again: ${error.message}.`)
          },
        ),
      )
    return end(place.basis, more)
  }
}

interface Again extends KeptDecision {
  /** What the log has; undefined for a decision that is not in it. */
  readonly logged: StoredDecision | undefined
  matrix(): Promise<MatrixHash>
}

/** The hash of every verdict, of as many instances as it covers. */
interface MatrixHash {
  readonly hash: string
  readonly covered: number
  readonly instances: number
  /** What older releases kept of it; undefined where that is the same. */
  readonly older: string | undefined
}

/** Says of how many instances the verdicts are compared, where that is not all. */
const partly = (check: VerificationCheck, { covered, instances }: Pick<MatrixHash, 'covered' | 'instances'>): VerificationCheck =>
  covered === instances ? check : { ...check, text: `${check.text} This is of the first ${covered} of ${instances} instances.` }

/** The decision as the entry has it. */
function loggedIn({ id, basis, changes }: LogEntry, decision: string, at: number): StoredDecision | undefined {
  const position = changes.findIndex((one) => isProposal(one) && one.decision.id === decision)
  const change = changes[position]
  if (change === undefined || !isProposal(change)) return undefined
  return placedDecision(change, id, basis.revision, position, at, () => '')
}

/** What an entry tells of a row, whatever hashes were kept with it. */
function rowIn(decision: StoredDecision) {
  const { record, answer, place, outcome, at, account, claimIds, searched } = decision
  return { record, answer, place, outcome, at, account, claimIds, ...(searched ?? searchedOf(decision)) }
}

function* hashMatrix(
  fleet: Fleet,
  before: readonly Proposal[],
  record: StoredDecision['record'],
  instances: number,
  mostVerdicts: number,
): Steps<MatrixHash> {
  const covered = Math.min(instances, Math.max(OLDER_INSTANCES, Math.floor(mostVerdicts / Math.max(1, fleet.hosts.count))))
  const hashing = createHashing()
  let older: string | undefined
  yield* examineEach(fleet, before, record, covered, function* (examination, instance) {
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
    same: 'Place, request, profile, seed and all else that decided are what the receipt is of.',
    different: 'What is stored of the inputs is not what the receipt is of.',
  },
  DECIDED: {
    same: 'Hosts, scores, next bests, counts and the best ten are what the receipt is of.',
    different: 'What is stored of the result is not what the receipt is of.',
  },
  ROW: {
    same: 'Outcome, time, account, claims, reasons and what it is searched by are what the receipt is of.',
    different: 'What is stored of outcome, time, account, claims, reasons or what it is searched by is not what the receipt is of.',
  },
  LOG: {
    same: 'The entry of the log holds the same decision.',
    different: 'The entry of the log holds another decision, or another place, outcome, time, account or claims of it.',
  },
  REPLAY: {
    same: 'Made again, it is the same to the last bit.',
    different: 'Made again, it comes out differently.',
  },
  MATRIX: {
    same: 'Every verdict on every host is as at the first replay.',
    different: 'The verdicts on the hosts are not those of the first replay.',
  },
}

function hashCheck(part: VerifiedPart, kept: string | null, found: string): VerificationCheck {
  if (kept === null) return { ...unknown(part, 'No hash was kept: the decision is of an older release.'), found }
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
