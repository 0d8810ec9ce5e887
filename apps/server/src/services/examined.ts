import {
  type Check,
  type ClaimsProposed,
  type DecisionRecord,
  type Examination,
  type ExaminedStep,
  examineAgain,
  type Fleet,
  type HostIndex,
  type HostName,
  PASSES_ALL,
  type Profile,
  type SelectedDestination,
  type VerdictMatrix,
  verdictMatrix,
} from '@gantt/scheduler-core'

/** REPLAYED: made again from its record, bit for bit; APPROXIMATE: by other code, or on another state, than it was made. */
export type Fidelity = 'REPLAYED' | 'APPROXIMATE'

/** A question about one request: the state that it met or would meet, and what is decided there. */
export interface Question {
  readonly record: DecisionRecord
  /** Proposals that were decided before it on the same state. */
  readonly before: readonly ClaimsProposed[]
  readonly answer: readonly SelectedDestination[]
  readonly fidelity: Fidelity
  readonly profile: Profile
  /** Revision of the state. */
  readonly basis: number
  /** Reads the state, synchronously. */
  read<T>(use: (fleet: Fleet) => T): Promise<T>
}

export type HostOutcome = 'SELECTED' | 'ALTERNATE' | 'LOST_ON_WEIGHT' | 'FILTERED' | 'UNKNOWN'

/** What one weigher said of one host; weighted = multiplier x normalised. */
export interface WeigherScore {
  readonly weigher: string
  readonly unit: string
  readonly raw: number
  readonly normalized: number
  readonly multiplier: number
  readonly weighted: number
}

/** What became of one host. */
export interface HostVerdict extends HostName {
  readonly outcome: HostOutcome
  /** 1 = best; null where a filter refused it. */
  readonly rank: number | null
  readonly weights: readonly WeigherScore[]
  readonly total: number | null
  /** Every filter's word on the host; short-circuited, those after the first refusal are not run. */
  checks(shortCircuit: boolean): Promise<readonly Check[]>
}

/** Everything about one instance of a request, kept after the state has moved on. */
export interface Examined {
  readonly question: Question
  readonly instance: number
  readonly hostCount: number
  readonly steps: readonly ExaminedStep[]
  readonly weighed: Examination['weighed']
  /** Hosts that pass, best first, as positions in `weighed.hosts`. */
  readonly ranked: readonly number[]
  /** By position in the order of first sight. */
  readonly names: readonly HostName[]
  /** Position of the first step that refuses each host; PASSES_ALL where none does. */
  readonly firstRefusing: Uint8Array
  verdict(index: number): HostVerdict
  /** Every filter's word on every host; made when it is asked for, and kept. */
  matrix(): Promise<VerdictMatrix>
}

/** Examines one instance: the earlier ones hold their share already, as when it was decided. */
export async function examineInstance(question: Question, instance: number): Promise<Examined> {
  const { record, before } = question
  const found = await question.read((fleet) =>
    examineAgain(fleet, before, record, instance, ({ hostCount, steps, weighed, ranked, firstRefusing }) => ({
      hostCount,
      steps,
      weighed,
      ranked,
      firstRefusing,
      names: fleet.hosts.records.map(({ host, node }) => ({ host, node })),
    })),
  )
  const positions = new Map(found.ranked.map((position, rank) => [found.weighed.hosts[position] as number, { rank: rank + 1, position }]))
  const chosen = outcomesOf(question.answer[instance])
  let matrix: Promise<VerdictMatrix> | undefined
  return {
    question,
    instance,
    ...found,
    matrix() {
      matrix ??= question.read((fleet) => examineAgain(fleet, before, record, instance, verdictMatrix))
      return matrix
    },
    verdict(index) {
      const name = found.names[index] as HostName
      const place = positions.get(index)
      return {
        ...name,
        outcome: found.firstRefusing[index] === PASSES_ALL ? (chosen.get(keyOf(name)) ?? 'LOST_ON_WEIGHT') : 'FILTERED',
        rank: place?.rank ?? null,
        weights: place === undefined ? [] : weightsAt(found.weighed, place.position),
        total: place === undefined ? null : (found.weighed.totals[place.position] as number),
        checks: (shortCircuit) =>
          question.read((fleet) =>
            examineAgain(fleet, before, record, instance, (examination) => examination.checksOf(index as HostIndex, shortCircuit)),
          ),
      }
    },
  }
}

function weightsAt({ weighers }: Examination['weighed'], position: number): WeigherScore[] {
  return weighers.map(({ name, unit, multiplier, raw, normalised }) => {
    const normalized = normalised[position] as number
    return { weigher: name, unit, raw: raw[position] as number, normalized, multiplier, weighted: multiplier * normalized }
  })
}

const keyOf = ({ host, node }: HostName): string => `${host}\u0000${node}`

function outcomesOf(answer: SelectedDestination | undefined): Map<string, HostOutcome> {
  if (answer === undefined) return new Map()
  return new Map([
    ...answer.alternates.map((alternate) => [keyOf(alternate), 'ALTERNATE'] as const),
    [keyOf(answer.selected), 'SELECTED'] as const,
  ])
}
