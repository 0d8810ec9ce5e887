import {
  type Cause,
  type Check,
  checkAgainInSteps,
  contributionAt,
  currentSpec,
  type DecisionRecord,
  examineAgainInSteps,
  examineShadows,
  type Findings,
  type HostIndex,
  type HostName,
  multiplierAt,
  PASSES_ALL,
  type Profile,
  type Proposal,
  type SelectedDestination,
  type ShadowStep,
  type VerdictMatrix,
  verdictMatrixInSteps,
  wayOutAgain,
} from '@gantt/scheduler-core'
import type { OwnFleet } from './own-fleet.ts'

/** REPLAYED: made again from its record, bit for bit; APPROXIMATE: by other code, or on another state, than it was made. */
export type Fidelity = 'REPLAYED' | 'APPROXIMATE'

/** A question about one request: the state that it met or would meet, and what is decided there. */
export interface Question {
  readonly record: DecisionRecord
  /** Proposals that were decided before it on the same state. */
  readonly before: readonly Proposal[]
  readonly answer: readonly SelectedDestination[]
  readonly fidelity: Fidelity
  readonly profile: Profile
  /** Revision of the state. */
  readonly basis: number
  /** The revision that was asked about, where the log does not reach it any more and the present state stands in for it. */
  readonly lost?: number
  /** Store time of the decision; absent: it is asked as of the state. */
  readonly decidedAt?: number
  /** The state, as nobody else uses it. */
  readonly state: OwnFleet
}

export type HostOutcome = 'SELECTED' | 'ALTERNATE' | 'LOST_ON_WEIGHT' | 'FILTERED' | 'UNKNOWN'

/** What one weigher said of one host; weighted = the host's multiplier x normalised. */
export interface WeigherScore {
  readonly weigher: string
  readonly unit: string
  readonly raw: number
  readonly normalized: number
  readonly multiplier: number
  /** Who gave the host a multiplier of its own; null where it has the usual one. */
  readonly multiplierSource: string | null
  readonly weighted: number
}

/** What became of one host. */
export interface HostVerdict extends HostName {
  readonly outcome: HostOutcome
  /** 1 = best; null where a filter refused it. */
  readonly rank: number | null
  readonly weights: readonly WeigherScore[]
  readonly total: number | null
  /** From its last report in the log to the decision, milliseconds; null where no host of that name had reported. */
  readonly reportAgeMs: number | null
  /** Every filter's word on the host; short-circuited, those after the first refusal are not run. If not said, as the examination was. */
  checks(shortCircuit?: boolean): Promise<readonly Check[]>
}

/** Everything about one instance of a request, kept after the state has moved on. */
export interface Examined extends Findings {
  readonly question: Question
  readonly instance: number
  /** Why no host passes; null where one does. */
  readonly cause: Cause | null
  /** How it can be done otherwise, in words; undefined: no way was found. */
  readonly way: string | undefined
  /** What the profile's filters in shadow mode would have refused; none of it is in the steps. */
  readonly shadows: readonly ShadowStep[]
  /** By position in the order of first sight. */
  readonly names: readonly HostName[]
  /** Store time of the last report of each, in the same order; 0: none. */
  readonly reportedAt: readonly number[]
  /** Store time of the decision, or of the state. */
  readonly time: number
  outcomeOf(index: number): HostOutcome
  verdict(index: number): HostVerdict
  /** Every filter's word on every host; made when it is asked for, and kept. */
  matrix(): Promise<VerdictMatrix>
}

/** Examines one instance: the earlier ones hold their share already, as when it was decided. Short-circuited, hosts are asked up to their first refusal. */
export async function examineInstance(question: Question, instance: number, isShortCircuited = false): Promise<Examined> {
  const { record, before } = question
  const { state } = question
  const found = await state.work(function* (fleet) {
    // what asks the state does not outlive it
    const examined = yield* examineAgainInSteps(
      fleet,
      before,
      record,
      instance,
      function* ({ checksOf, reasonOf, cause, ...findings }) {
        const shadows = yield* examineShadows(fleet, currentSpec(record.request), question.profile, findings)
        const { records } = fleet.hosts
        return {
          ...findings,
          shadows,
          cause: findings.ranked.length > 0 ? null : yield* cause(),
          names: records.map(({ host, node }) => ({ host, node })),
          ...{ reportedAt: records.map(({ reportedAt }) => reportedAt), time: question.decidedAt ?? fleet.now },
        }
      },
      undefined,
      isShortCircuited,
    )
    return { ...examined, way: examined.cause === null ? undefined : yield* wayOutAgain(fleet, before, record, examined.cause) }
  })
  const positions = new Map(found.ranked.map((position, rank) => [found.weighed.hosts[position] as number, { rank: rank + 1, position }]))
  const chosen = outcomesOf(question.answer[instance])
  const readChecks = (shortCircuit: boolean) =>
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
  const allChecks = readChecks(false)
  const firstChecks = readChecks(true)
  let matrix: Promise<VerdictMatrix> | undefined
  const outcomeOf = (index: number): HostOutcome =>
    found.firstRefusing[index] === PASSES_ALL ? (chosen.get(keyOf(found.names[index] as HostName)) ?? 'LOST_ON_WEIGHT') : 'FILTERED'
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
      const name = found.names[index] as HostName
      const place = positions.get(index)
      return {
        ...name,
        outcome: outcomeOf(index),
        rank: place?.rank ?? null,
        weights: place === undefined ? [] : weightsAt(found, place.position),
        total: place === undefined ? null : (found.weighed.totals[place.position] as number),
        reportAgeMs: ageOf(found.reportedAt[index] ?? 0, found.time),
        checks: (shortCircuit = isShortCircuited) => (shortCircuit ? firstChecks(index) : allChecks(index)),
      }
    },
  }
}

/** Answers what is asked in one go by one read, and reads nothing twice. */
function batched<Answer>(read: (indexes: readonly number[]) => Promise<readonly Answer[]>): (index: number) => Promise<Answer> {
  const known = new Map<number, Promise<Answer>>()
  let batch: { readonly indexes: number[]; readonly answers: Promise<readonly Answer[]> } | undefined
  const open = () => {
    const indexes: number[] = []
    // everything that is asked before this code lets go is in it
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
    const place = batch.indexes.push(index) - 1
    const answer = batch.answers.then((answers) => answers[place] as Answer)
    known.set(index, answer)
    return answer
  }
}

const ageOf = (reportedAt: number, time: number): number | null => (reportedAt === 0 ? null : Math.max(0, time - reportedAt))

function weightsAt({ weighed: { hosts, weighers }, multiplierSources }: Findings, position: number): WeigherScore[] {
  return weighers.map((scores, i) => ({
    weigher: scores.name,
    unit: scores.unit,
    raw: scores.raw[position] as number,
    normalized: scores.normalised[position] as number,
    multiplier: multiplierAt(scores, position),
    multiplierSource: multiplierSources[i]?.get(hosts[position] as HostIndex) ?? null,
    weighted: contributionAt(scores, position),
  }))
}

const keyOf = ({ host, node }: HostName): string => `${host}\u0000${node}`

function outcomesOf(answer: SelectedDestination | undefined): Map<string, HostOutcome> {
  if (answer === undefined) return new Map()
  return new Map([
    ...answer.alternates.map((alternate) => [keyOf(alternate), 'ALTERNATE'] as const),
    [keyOf(answer.selected), 'SELECTED'] as const,
  ])
}
