import { examineAgainInSteps } from '../decision/replay.ts'
import type { Examination } from '../examine/examine.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { hostAddress } from '../hosts/host-address.ts'
import { NOT_PRESENT, PASSES_ALL } from '../pipeline/findings.ts'
import type { FilterCount, RankedHost, SelectedDestination } from '../records/decision.ts'
import { reasonText } from '../text/reason-text.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { HostName } from '../values/host-name.ts'
import type { Steps } from '../values/steps.ts'
import type { Side } from './cause.ts'

/**
 * The outcome of one decision for a host. LOST_ON_WEIGHT: the host passed all filters, but hosts with better totals were chosen. UNKNOWN:
 * the host was not in the fleet, or the state of the fleet is no longer stored and the record does not name the host.
 */
export type ComparedOutcome = 'SELECTED' | 'ALTERNATE' | 'LOST_ON_WEIGHT' | 'FILTERED' | 'UNKNOWN'

/**
 * How many hosts a filter checked and passed in each of the two decisions. Null if the profile of the decision does not have the filter, or
 * if the request demands nothing that the filter checks.
 */
export interface StepDelta {
  readonly filter: string
  readonly first: StepCount | null
  readonly second: StepCount | null
}

export interface StepCount {
  readonly entered: number
  readonly passed: number
}

/** A host for which the two decisions have different outcomes. */
export interface HostFlip extends HostName {
  readonly first: ComparedOutcome
  readonly second: ComparedOutcome
  /** The change as a sentence with its numbers. */
  readonly because: string
}

export interface Flips {
  readonly steps: readonly StepDelta[]
  readonly count: number
  /**
   * Hosts that one of the decisions chose are first, then hosts that one of the decisions refused or does not know, then all others. Within
   * these groups, hosts are in the order of their first reports. If a state of the fleet is no longer stored, they are in the order of the
   * recorded best hosts instead.
   */
  readonly hosts: readonly HostFlip[]
}

/** The compared data of one of the two decisions, for the compared instance. */
interface Met {
  readonly side: Side
  /** The recorded best hosts of the instance. Empty if the decision ended before the instance. */
  readonly best: readonly RankedHost[]
  readonly filters: readonly FilterCount[]
  readonly examination: Examination
  readonly outcomeOf: (host: number) => ComparedOutcome
}

/** The generator yields after this many hosts. */
const SLICE = 128

/** Finds the hosts for which the two decisions had different outcomes, for one instance of each decision. */
export function* flipsOf(
  first: Side,
  second: Side,
  answers: readonly [readonly SelectedDestination[], readonly SelectedDestination[]],
  instances: readonly [number, number],
  most: number,
): Steps<Flips> {
  const examined = <T>(side: Side, instance: number, answer: readonly SelectedDestination[], read: (met: Met) => Steps<T>): Steps<T> =>
    examineAgainInSteps(
      side.fleet,
      side.before,
      side.record,
      instance,
      (examination) => {
        const { best, filters } = side.record.instances[instance] ?? { best: [], filters: [] }
        return read({ side, best, filters, examination, outcomeOf: outcomes(side, best, examination, answer[instance]) })
      },
      side.profile,
    )
  return yield* examined(first, instances[0], answers[0], (one) =>
    examined(second, instances[1], answers[1], function* (other) {
      return { steps: pairSteps(one, other), ...(yield* listFlips(one, other, most)) }
    }),
  )
}

function outcomes(
  { fleet, lost }: Side,
  best: readonly RankedHost[],
  { firstRefusing }: Examination,
  answer: SelectedDestination | undefined,
): Met['outcomeOf'] {
  const indexOf = (name: HostName) => fleet.hosts.find(name)?.index
  const selected = answer === undefined ? undefined : indexOf(answer.selected)
  const alternates = new Set(answer?.alternates.map(indexOf))
  // If the fleet's state on which the decision was made is no longer stored, only the recorded hosts are known to have passed its filters.
  const recorded = new Set(lost === undefined ? [] : [selected, ...alternates, ...best.map(indexOf)])
  return (host) => {
    const refusing = firstRefusing[host]
    if (refusing === undefined || refusing === NOT_PRESENT) return 'UNKNOWN'
    if (refusing !== PASSES_ALL && !recorded.has(host as HostIndex)) return 'FILTERED'
    if (host === selected) return 'SELECTED'
    if (alternates.has(host as HostIndex)) return 'ALTERNATE'
    return lost === undefined || recorded.has(host as HostIndex) ? 'LOST_ON_WEIGHT' : 'UNKNOWN'
  }
}

function pairSteps(first: Met, second: Met): StepDelta[] {
  const countOf = ({ side, filters, examination: { steps } }: Met, filter: string): StepCount | null => {
    const asked = side.lost === undefined ? steps.filter((known) => known.asked) : filters
    const step = asked.find((known) => known.filter === filter)
    return step === undefined ? null : { entered: step.entered, passed: step.passed }
  }
  return merged(first.examination.steps, second.examination.steps).flatMap((filter) => {
    const delta = { filter, first: countOf(first, filter), second: countOf(second, filter) }
    return delta.first === null && delta.second === null ? [] : [delta]
  })
}

/**
 * The filters of both decisions in the order of the first decision. A filter that only the second decision has is inserted before the
 * filter that follows it in the second decision and that both decisions have.
 */
function merged(first: Examination['steps'], second: Examination['steps']): string[] {
  const names = first.map(({ filter }) => filter)
  let end = names.length
  for (const { filter } of [...second].reverse()) {
    const index = names.indexOf(filter)
    if (index < 0) names.splice(end, 0, filter)
    else end = index
  }
  return names
}

function* listFlips(one: Met, other: Met, most: number): Steps<Pick<Flips, 'count' | 'hosts'>> {
  const byWeight: number[][] = [[], [], []]
  for (const host of knownHosts(one, other)) {
    if (host % SLICE === SLICE - 1) yield
    const [before, after] = [one.outcomeOf(host), other.outcomeOf(host)]
    if (before === after) continue
    const isTaken = before === 'SELECTED' || after === 'SELECTED'
    const isOut = [before, after].some((outcome) => outcome === 'FILTERED' || outcome === 'UNKNOWN')
    byWeight[isTaken ? 0 : isOut ? 1 : 2]?.push(host)
  }
  const flipped = byWeight.flat()
  const records = (one.side.fleet.hosts.count > other.side.fleet.hosts.count ? one : other).side.fleet.hosts
  const hosts: HostFlip[] = []
  for (const host of flipped.slice(0, most)) {
    const { host: name, node } = records.get(host as HostIndex)
    hosts.push({ host: name, node, first: one.outcomeOf(host), second: other.outcomeOf(host), because: because(host, one, other) })
    yield
  }
  return { count: flipped.length, hosts }
}

/**
 * The hosts whose outcomes are known: all hosts, or only the recorded hosts if the fleet's state at one of the decisions is no longer
 * stored.
 */
function knownHosts(one: Met, other: Met): Iterable<number> {
  const sides = [one, other]
  if (sides.every(({ side }) => side.lost === undefined))
    return Array(Math.max(one.examination.firstRefusing.length, other.examination.firstRefusing.length)).keys()
  const named = sides.flatMap(({ side, best }) => best.flatMap((name) => side.fleet.hosts.find(name)?.index ?? []))
  return new Set(named)
}

function because(host: number, one: Met, other: Met): string {
  const [before, after] = [one.outcomeOf(host), other.outcomeOf(host)]
  if (before === 'UNKNOWN') return notThere(one, host, 'first')
  if (after === 'UNKNOWN') return notThere(other, host, 'second')
  if (after === 'FILTERED') return refusal(other, host, 'second')
  if (before === 'FILTERED') return refusal(one, host, 'first')
  return `${rankText(one, host, 'first')}; ${rankText(other, host, 'second')}.`
}

const notThere = ({ side, examination: { firstRefusing } }: Met, host: number, which: string): string =>
  firstRefusing[host] === NOT_PRESENT
    ? `The host had left the fleet before the ${which} decision.`
    : side.lost === undefined || host >= firstRefusing.length
      ? `The host was not known yet at the ${which} decision.`
      : `The record of the ${which} decision does not name the host, and the fleet state of that decision is no longer stored.`

function refusal({ side, examination: { steps, firstRefusing, reasonOf } }: Met, host: number, which: string): string {
  const step = firstRefusing[host] as number
  const where =
    side.lost === undefined ? `In the ${which} decision` : `Not in the ${which} decision, but at revision ${side.fleet.place.revision}`
  return `${where}, ${steps[step]?.filter} refused it. ${reasonText(reasonOf(host as HostIndex, step))}`
}

function rankText({ side: { fleet, lost }, best: recorded, examination: { ranked, weighed } }: Met, host: number, which: string): string {
  const totalAt = (position: number) => Number((weighed.totals[position] as number).toFixed(6))
  if (lost !== undefined) return recordedRankText(recorded, fleet, host as HostIndex, which)
  const rank = ranked.findIndex((position) => weighed.hosts[position] === host)
  const [best] = ranked
  const own = `rank ${rank + 1} of ${ranked.length} in the ${which}`
  if (rank < 0 || best === undefined) return own
  if (rank === 0) return `${own} with ${totalAt(best)}`
  const winner = hostAddress(fleet.hosts, fleet.hosts.get(weighed.hosts[best] as HostIndex))
  return `${own}, ${totalAt(ranked[rank] as number)} against ${totalAt(best)} of ${winner}`
}

function recordedRankText(best: readonly RankedHost[], { hosts }: Fleet, index: HostIndex, which: string): string {
  const name = hosts.get(index)
  const rank = best.findIndex(({ host, node }) => host === name.host && node === name.node)
  if (rank < 0) return `taken in the ${which}`
  const [total, most] = [best[rank]?.total, best[0]?.total].map((number) => Number(number?.toFixed(6)))
  const own = `rank ${rank + 1} in the ${which}`
  return rank === 0 ? `${own} with ${total}` : `${own}, ${total} against ${most} of ${hostAddress(hosts, best[0] as RankedHost)}`
}
