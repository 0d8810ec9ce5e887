import type { SelectedDestination } from '../decision/decision.ts'
import { reasonText } from '../decision/reason-text.ts'
import { examineAgain } from '../decision/replay.ts'
import type { HostName } from '../fleet/change.ts'
import type { HostIndex } from '../fleet/columns.ts'
import { hostKey } from '../fleet/hosts.ts'
import { type Examination, PASSES_ALL } from '../pipeline/examine.ts'
import type { Side } from './cause.ts'

/** What became of a host in one of the decisions. */
export type ComparedOutcome = 'SELECTED' | 'ALTERNATE' | 'LOST_ON_WEIGHT' | 'FILTERED' | 'UNKNOWN'

/** A filter in both decisions: hosts that came to it and that it let pass; null where the profile has it not, or the request asked nothing of it. */
export interface StepDelta {
  readonly filter: string
  readonly first: StepCount | null
  readonly second: StepCount | null
}

export interface StepCount {
  readonly entered: number
  readonly passed: number
}

/** A host that fared otherwise in the second decision. */
export interface HostFlip extends HostName {
  readonly first: ComparedOutcome
  readonly second: ComparedOutcome
  /** As a sentence with the numbers. */
  readonly because: string
}

export interface Flips {
  readonly steps: readonly StepDelta[]
  readonly count: number
  /** Hosts that were taken first, then those that passed in one only, then the others, by first sight. */
  readonly hosts: readonly HostFlip[]
}

/** One instance of each decision, with who was taken. */
interface Met {
  readonly examination: Examination
  readonly outcomeOf: (host: number) => ComparedOutcome
}

/** How each host fared with one instance of either decision. */
export function flipsOf(
  first: Side,
  second: Side,
  answers: readonly [readonly SelectedDestination[], readonly SelectedDestination[]],
  instances: readonly [number, number],
  most: number,
): Flips {
  const examined = <T>(side: Side, instance: number, answer: readonly SelectedDestination[], read: (met: Met) => T): T =>
    examineAgain(
      side.fleet,
      side.before,
      side.record,
      instance,
      (examination) => read({ examination, outcomeOf: outcomes(side, examination, answer[instance]) }),
      side.profile,
    )
  return examined(first, instances[0], answers[0], (one) =>
    examined(second, instances[1], answers[1], (other) => ({
      steps: pairSteps(one.examination, other.examination),
      ...listFlips(first, second, one, other, most),
    })),
  )
}

function outcomes({ fleet }: Side, { firstRefusing }: Examination, answer: SelectedDestination | undefined): Met['outcomeOf'] {
  const indexOf = (name: HostName) => fleet.hosts.find(name)?.index
  const selected = answer === undefined ? undefined : indexOf(answer.selected)
  const alternates = new Set(answer?.alternates.map(indexOf))
  return (host) => {
    const refusing = firstRefusing[host]
    if (refusing === undefined) return 'UNKNOWN'
    if (refusing !== PASSES_ALL) return 'FILTERED'
    if (host === selected) return 'SELECTED'
    return alternates.has(host as HostIndex) ? 'ALTERNATE' : 'LOST_ON_WEIGHT'
  }
}

function pairSteps(first: Examination, second: Examination): StepDelta[] {
  const countOf = ({ steps }: Examination, filter: string): StepCount | null => {
    const step = steps.find((known) => known.filter === filter && known.asked)
    return step === undefined ? null : { entered: step.entered, passed: step.passed }
  }
  return merged(first.steps, second.steps).flatMap((filter) => {
    const delta = { filter, first: countOf(first, filter), second: countOf(second, filter) }
    return delta.first === null && delta.second === null ? [] : [delta]
  })
}

/** The filters of both, in the order of the first; those of the second alone stand before the one that follows them there. */
function merged(first: Examination['steps'], second: Examination['steps']): string[] {
  const names = first.map(({ filter }) => filter)
  let end = names.length
  for (const { filter } of [...second].reverse()) {
    const place = names.indexOf(filter)
    if (place < 0) names.splice(end, 0, filter)
    else end = place
  }
  return names
}

function listFlips(first: Side, second: Side, one: Met, other: Met, most: number): Pick<Flips, 'count' | 'hosts'> {
  const byWeight: number[][] = [[], [], []]
  const count = Math.max(one.examination.hostCount, other.examination.hostCount)
  for (let host = 0; host < count; host++) {
    const [before, after] = [one.outcomeOf(host), other.outcomeOf(host)]
    if (before === after) continue
    const isTaken = before === 'SELECTED' || after === 'SELECTED'
    const isOut = [before, after].some((outcome) => outcome === 'FILTERED' || outcome === 'UNKNOWN')
    byWeight[isTaken ? 0 : isOut ? 1 : 2]?.push(host)
  }
  const flipped = byWeight.flat()
  const records = (first.fleet.hosts.count > second.fleet.hosts.count ? first : second).fleet.hosts
  const hosts = flipped.slice(0, most).map((host): HostFlip => {
    const { host: name, node } = records.get(host as HostIndex)
    return {
      host: name,
      node,
      first: one.outcomeOf(host),
      second: other.outcomeOf(host),
      because: because(host, first, second, one, other),
    }
  })
  return { count: flipped.length, hosts }
}

function because(host: number, first: Side, second: Side, one: Met, other: Met): string {
  const [before, after] = [one.outcomeOf(host), other.outcomeOf(host)]
  if (before === 'UNKNOWN') return 'It was not known yet when the first was decided.'
  if (after === 'UNKNOWN') return 'It was not known yet when the second was decided.'
  if (after === 'FILTERED') return `In the second, ${refusal(other.examination, host)}`
  if (before === 'FILTERED') return `In the first, ${refusal(one.examination, host)}`
  return `${place(first, one.examination, host, 'first')}; ${place(second, other.examination, host, 'second')}.`
}

function refusal({ steps, firstRefusing, reasonOf }: Examination, host: number): string {
  const step = firstRefusing[host] as number
  return `${steps[step]?.filter} refused it. ${reasonText(reasonOf(host as HostIndex, step))}`
}

function place({ fleet }: Side, { ranked, weighed }: Examination, host: number, which: string): string {
  const totalAt = (position: number) => Number((weighed.totals[position] as number).toFixed(6))
  const rank = ranked.findIndex((position) => weighed.hosts[position] === host)
  const [best] = ranked
  const own = `rank ${rank + 1} of ${ranked.length} in the ${which}`
  if (rank < 0 || best === undefined) return own
  if (rank === 0) return `${own} with ${totalAt(best)}`
  const winner = hostKey(fleet.hosts.get(weighed.hosts[best] as HostIndex))
  return `${own}, ${totalAt(ranked[rank] as number)} against ${totalAt(best)} of ${winner}`
}
