import {
  type Cause,
  type Check,
  checkAgainInSteps,
  contributionAt,
  currentSpec,
  type DecisionRecord,
  examineAgainInSteps,
  type Findings,
  type Fleet,
  type HostIndex,
  type HostName,
  type HostRecord,
  ignoredFields,
  multiplierAt,
  PASSES_ALL,
  type Profile,
  type Proposal,
  type Reason,
  reasonText,
  type SelectedDestination,
  type ShadowStep,
  unlocatedFields,
  type VerdictMatrix,
  verdictMatrixInSteps,
  wayOutAgain,
} from '@gantt/scheduler-core'
import type { HostNameInput } from '../host/hosts.ts'
import type { OwnFleet } from '../moments/own-fleet.ts'

/**
 * REPLAYED if the decision is replayed from its record bit for bit. APPROXIMATE if the replay uses a different release, or a state other
 * than that of the decision.
 */
export type Fidelity = 'REPLAYED' | 'APPROXIMATE'

/**
 * A request to explain, with its decision and the state on which it is decided: the original state, the present state, or the state at a
 * revision that the caller names.
 */
export interface Question {
  readonly record: DecisionRecord
  /** The earlier proposals in the log entry of the decision. Their resources are held in `state` before the request is decided. */
  readonly before: readonly Proposal[]
  readonly answer: readonly SelectedDestination[]
  readonly fidelity: Fidelity
  readonly profile: Profile
  /** The revision of `state`. */
  readonly basis: number
  /** The revision on which the decision was made, if the log no longer contains its state. The present state is then used. */
  readonly lost?: number
  /** Store time (the database's clock) of the decision. Absent: the time of `state`. */
  readonly decidedAt?: number
  /** The state on which the request is decided. No other question uses it at the same time. */
  readonly state: OwnFleet
}

export type HostOutcome = 'SELECTED' | 'ALTERNATE' | 'LOST_ON_WEIGHT' | 'FILTERED' | 'UNKNOWN'

/** The score of one host by one weigher; weighted = the host's multiplier x normalised. */
export interface WeigherScore {
  readonly weigher: string
  readonly unit: string
  readonly raw: number
  /** Why the host has no value of its own, as a sentence; `raw` is then a substitute. Null if the host has a value. */
  readonly missing: string | null
  readonly normalized: number
  readonly multiplier: number
  /** The aggregate that sets a multiplier for this host. Null if the multiplier of the profile applies. */
  readonly multiplierSource: string | null
  readonly weighted: number
}

/** The verdict on one host. */
export interface HostVerdict extends HostName {
  readonly outcome: HostOutcome
  /** The rank, 1 for the best; null if a filter refused the host. */
  readonly rank: number | null
  readonly weights: readonly WeigherScore[]
  readonly total: number | null
  /** The time from the host's last report in the log to the decision, in milliseconds. Null if no report of the host is known. */
  readonly reportAgeMs: number | null
  /**
   * The verdicts of all filters on the host. With `shortCircuit`, filters after the first refusal are not evaluated; absent:
   * `isShortCircuited` of `examineInstance` applies.
   */
  checks(shortCircuit?: boolean): Promise<readonly Check[]>
}

/** What an explanation says about a host, besides the verdict. */
export type ExaminedHost = Pick<HostRecord, 'host' | 'node' | 'gone' | 'reportedAt'>

/** All results for one instance of a request. They are copies and do not change when the state changes. */
export interface Examined extends Findings {
  readonly question: Question
  readonly instance: number
  /** The cause of the refusal; null if a host passes. */
  readonly cause: Cause | null
  /** If no host passes: a sentence about a change with which the request would fit. Undefined if no such change was found. */
  readonly way: string | undefined
  /** The paths of the request's fields that have no effect. */
  readonly ignored: readonly string[]
  /** Those of `ignored` that have no effect because no recent document locates what they name. Nothing in the profile reads the others. */
  readonly unlocated: readonly string[]
  /** The refusals by filters in shadow mode. `steps` does not contain them. */
  readonly shadows: readonly ShadowStep[]
  /** All hosts, by host index. */
  readonly hosts: readonly ExaminedHost[]
  /** Store time of the decision or, for a request without a decision, store time of the state. */
  readonly time: number
  outcomeOf(index: number): HostOutcome
  verdict(index: number): HostVerdict
  /** The verdict of every filter on every host. It is computed on the first call and cached. */
  matrix(): Promise<VerdictMatrix>
}

/**
 * The index of a host. If the name has no node, the first node of the host is returned. A present host is preferred to a forgotten host. A
 * host that was merged into another host is not found. -1 if no host is found.
 */
export function indexOfHost({ hosts }: Pick<Examined, 'hosts'>, { host, node }: HostNameInput): number {
  const isNamed = (known: HostName): boolean => known.host === host && (node == null || known.node === node)
  const present = hosts.findIndex((known) => known.gone === null && isNamed(known))
  return present >= 0 ? present : hosts.findIndex((known) => known.gone?.mergedInto === null && isNamed(known))
}

/** The rank of each host, by host index: 1 for the best, 0 for a host that a filter refused. */
function ranksOf({ ranked, weighed }: Findings, hosts: number): Int32Array {
  const ranks = new Int32Array(hosts)
  for (let i = 0; i < ranked.length; i++) ranks[weighed.hosts[ranked[i] as number] as number] = i + 1
  return ranks
}

/** The fields of the request that have no effect. */
function ignoredIn({ record, profile }: Question, fleet: Fleet): Pick<Examined, 'ignored' | 'unlocated'> {
  const request = currentSpec(record.request)
  return { ignored: ignoredFields(request, profile, fleet), unlocated: unlocatedFields(request, profile, fleet) }
}

/**
 * Evaluates one instance as in the decision. The earlier instances of the request hold their resources. If `isShortCircuited`, the
 * evaluation of each host stops at its first refusal.
 */
export async function examineInstance(question: Question, instance: number, isShortCircuited = false): Promise<Examined> {
  const { record, before, state } = question
  const found = await state.work(function* (fleet) {
    // only data is returned, because functions that read the state would see later changes
    const examined = yield* examineAgainInSteps(
      fleet,
      before,
      record,
      instance,
      function* ({ checksOf, reasonOf, cause, shadows, ...findings }) {
        return {
          ...findings,
          ...ignoredIn(question, fleet),
          shadows: yield* shadows(),
          cause: findings.ranked.length > 0 ? null : yield* cause(),
          // the state of a question stays at its revision, so these records do not change
          hosts: fleet.hosts.records.slice(),
          time: question.decidedAt ?? fleet.now,
        }
      },
      undefined,
      isShortCircuited,
    )
    return { ...examined, way: examined.cause === null ? undefined : yield* wayOutAgain(fleet, before, record, examined.cause) }
  })
  const ranks = ranksOf(found, found.hosts.length)
  const chosen = outcomesOf(question.answer[instance])
  const allChecks = readChecks(question, instance, false)
  const firstChecks = readChecks(question, instance, true)
  let matrix: Promise<VerdictMatrix> | undefined
  const outcomeOf = (index: number): HostOutcome =>
    found.firstRefusing[index] === PASSES_ALL ? (chosen.get(keyOf(found.hosts[index] as HostName)) ?? 'LOST_ON_WEIGHT') : 'FILTERED'
  return {
    question,
    instance,
    ...found,
    matrix() {
      matrix ??= state.work((fleet) => checkAgainInSteps(fleet, before, record, instance, (checks) => verdictMatrixInSteps(found, checks)))
      return matrix
    },
    outcomeOf,
    verdict(index) {
      const { host, node, reportedAt } = found.hosts[index] as ExaminedHost
      const rank = ranks[index] as number
      const position = rank === 0 ? undefined : found.ranked[rank - 1]
      return {
        ...{ host, node },
        outcome: outcomeOf(index),
        rank: rank === 0 ? null : rank,
        weights: position === undefined ? [] : weightsAt(found, position),
        total: position === undefined ? null : (found.weighed.totals[position] as number),
        reportAgeMs: ageOf(reportedAt, found.time),
        checks: (shortCircuit = isShortCircuited) => (shortCircuit ? firstChecks(index) : allChecks(index)),
      }
    },
  }
}

/** Returns a function that evaluates the filters on a host. With `shortCircuit`, no filter is evaluated after the first refusal. */
const readChecks = ({ record, before, state }: Question, instance: number, shortCircuit: boolean) =>
  batched((indexes) =>
    state.work((fleet) =>
      checkAgainInSteps(fleet, before, record, instance, function* ({ checksOf }) {
        const answers: (readonly Check[])[] = []
        for (const index of indexes) {
          answers.push(checksOf(index as HostIndex, shortCircuit))
          yield
        }
        return answers
      }),
    ),
  )

/** Combines simultaneous reads into one call of `read`, and caches every answer. */
function batched<Answer>(read: (indexes: readonly number[]) => Promise<readonly Answer[]>): (index: number) => Promise<Answer> {
  const known = new Map<number, Promise<Answer>>()
  let batch: { readonly indexes: number[]; readonly answers: Promise<readonly Answer[]> } | undefined
  const open = () => {
    const indexes: number[] = []
    // the microtask runs after all synchronous calls, and therefore reads for all of them at once
    const answers = Promise.resolve().then(() => {
      batch = undefined
      return read(indexes)
    })
    return { indexes, answers }
  }
  return (index) => {
    const asked = known.get(index)
    if (asked !== undefined) return asked
    batch ??= open()
    const position = batch.indexes.push(index) - 1
    const answer = batch.answers.then((answers) => answers[position] as Answer)
    known.set(index, answer)
    return answer
  }
}

const ageOf = (reportedAt: number, time: number): number | null => (reportedAt === 0 ? null : Math.max(0, time - reportedAt))

function weightsAt({ weighed: { hosts, weighers }, multiplierSources, unscored }: Findings, position: number): WeigherScore[] {
  const host = hosts[position] as HostIndex
  return weighers.map((scores, i) => ({
    weigher: scores.name,
    unit: scores.unit,
    raw: scores.raw[position] as number,
    missing: missingText(unscored[i]?.get(host)),
    normalized: scores.normalised[position] as number,
    multiplier: multiplierAt(scores, position),
    multiplierSource: multiplierSources[i]?.get(host) ?? null,
    weighted: contributionAt(scores, position),
  }))
}

const missingText = (reason: Reason | undefined): string | null => (reason === undefined ? null : reasonText(reason))

const keyOf = ({ host, node }: HostName): string => `${host}\u0000${node}`

function outcomesOf(answer: SelectedDestination | undefined): Map<string, HostOutcome> {
  if (answer === undefined) return new Map()
  return new Map([
    ...answer.alternates.map((alternate) => [keyOf(alternate), 'ALTERNATE'] as const),
    [keyOf(answer.selected), 'SELECTED'] as const,
  ])
}
