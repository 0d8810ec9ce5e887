import type { Profile } from '../../../records/profile.ts'
import type { RequestSpec } from '../../../request/request-spec.ts'
import type { HostName } from '../../../values/host-name.ts'
import type { Steps } from '../../../values/steps.ts'
import type { ChangedNumber, NumberRange, ProposedChange } from '../remedies/remedy.ts'
import { type Applied, applyTo, type createFleets, isAskable, type Trial, tryOn } from '../trial.ts'
import { between, rangesOf } from './numbers.ts'

/**
 * A set of changes to try. `hosts` are the hosts for whose refusals the changes were proposed. If the request is not placed with the
 * changes, further changes are sought for the refusals of these hosts.
 */
export interface Candidate {
  readonly changes: readonly ProposedChange[]
  readonly hosts: readonly HostName[]
  readonly effort: number
  /** How many times a change in the set was replaced by a larger change of the same subject. */
  readonly refined: number
}

/** A set of changes with which a trial placed the request. */
export interface Kept {
  readonly candidate: Candidate
  readonly trial: Trial
  readonly applied: Applied
}

/** The request to place, and the limits of the search. */
export interface SearchOptions {
  readonly request: RequestSpec
  readonly profile: Profile
  readonly seed: string
  readonly minHosts: number
  isOver(): boolean
}

const EFFORT_PER_FURTHER_CHANGE = 1

/** The total effort of several changes. */
export const effortOf = (changes: readonly ProposedChange[]): number =>
  changes.reduce((sum, one) => sum + one.effort, 0) + EFFORT_PER_FURTHER_CHANGE * (changes.length - 1)

/** The subject of a change that reduces the count of instances. */
export const INSTANCES = 'instances'

/** `sharedRoom` tries only sets that lower at most this many numbers. */
const MAX_LOWERED = 2
/**
 * If a set of changes lowers two amounts and the unit rules of the hosts differ, each amount has several possible minimums. At most this many
 * pairs of minimums are tried.
 */
const MAX_SETS = 8

/**
 * The result of `sharedRoom`: the set of changes that suffices, if one was found, and the count of decisions that were tried. `isPartial`
 * is true if some combinations were not tried.
 */
interface SharedRoom {
  readonly kept: Kept | undefined
  readonly runs: number
  readonly isPartial: boolean
}

const NOTHING_LOWERED: SharedRoom = { kept: undefined, runs: 0, isPartial: false }

/**
 * Tries a set of changes that lowers numbers, with the smallest numbers that the unit rules of hosts and the rules for requests allow. The
 * numbers in the set are those with which one instance fits on one host. These numbers can be too large for all instances, because several
 * instances share a host, or because another host has less. If the smallest numbers suffice, the caller searches for the sufficient numbers
 * that are nearest to the present ones. Of several sets that differ only in these numbers, only the first is tried. At most `maxRuns`
 * decisions are made.
 */
export function* sharedRoom(
  fleets: ReturnType<typeof createFleets>,
  { request, profile, seed, minHosts, isOver }: SearchOptions,
  { changes, hosts, refined }: Candidate,
  eased: Set<string>,
  { failed, maxRuns }: { readonly failed: number; readonly maxRuns: number },
): Steps<SharedRoom> {
  const lowered = changes.filter(isLowered)
  const key = changes
    .map((change) => `${change.kind} ${change.subject} ${isLowered(change) ? 'less' : change.to}`)
    .sort()
    .join('\n')
  if (lowered.length === 0 || lowered.length > MAX_LOWERED || eased.has(key)) return NOTHING_LOWERED
  eased.add(key)
  const { sets, isPartial } = yield* minimalSets(request, profile, changes)
  let runs = 0
  for (const set of sets) {
    yield
    if (runs >= maxRuns || isOver()) return { kept: undefined, runs, isPartial: true }
    const applied = applyTo(request, profile, set)
    // a lowered number can belong to the fleet instead of the request, such as the reserved amount of a host
    const fleet = yield* fleets.with(applied.edits)
    if (fleet === undefined) continue
    runs++
    const trial = yield* tryOn(fleet, seed, applied, [], failed)
    if (trial.placed && trial.unlocks >= minHosts)
      return { kept: { candidate: { changes: set, hosts, refined, effort: effortOf(set) }, trial, applied }, runs, isPartial: false }
  }
  return { kept: undefined, runs, isPartial }
}

/** True if a change lowers a number, but not the count of instances. */
export const isLowered = ({ subject, number }: ProposedChange): boolean =>
  number !== undefined && number.to < number.from && subject !== INSTANCES

type Changes = readonly ProposedChange[]

/**
 * Sets of changes in which each lowered number has the smallest value that a unit rule of hosts allows. For one number, there is a set for
 * each unit rule. For two numbers, there are sets for at most `MAX_SETS` combinations. The original set is left out.
 */
function* minimalSets(
  request: RequestSpec,
  profile: Profile,
  changes: Changes,
): Steps<{ readonly sets: readonly Changes[]; readonly isPartial: boolean }> {
  const lowered = changes.filter(isLowered)
  let sets: readonly Changes[] = [changes]
  let isPartial = false
  for (const change of lowered) {
    const lowerSets: Changes[] = []
    for (const set of sets) lowerSets.push(...(yield* withLeast(request, profile, set, change)))
    isPartial ||= lowered.length > 1 && lowerSets.length > MAX_SETS
    sets = isPartial ? lowerSets.slice(0, MAX_SETS) : lowerSets
  }
  const keyOf = (set: Changes): string => set.map(({ to }) => to).join('\n')
  return { sets: sets.filter((set) => keyOf(set) !== keyOf(changes)), isPartial }
}

/**
 * For each unit rule of hosts, the set with the smallest number that the rule allows for one change. Returns the original set if no rule
 * allows a smaller number than at present.
 */
function* withLeast(request: RequestSpec, profile: Profile, set: Changes, { subject, number }: ProposedChange): Steps<readonly Changes[]> {
  if (number === undefined) return [set]
  const withNumber = (one: number, step: number) => set.map((other) => (other.subject === subject ? number.at(one, step) : other))
  const least = new Map<number, Changes>()
  for (const range of rangesOf(number)) {
    // yields for each range, because a range takes tens of requests, each of which is parsed
    yield
    const isAsked = (one: number): boolean => isAskable(applyTo(request, profile, withNumber(one, range.step)))
    const one = minRequested(range, number, isAsked)
    if (one !== undefined && !least.has(one)) least.set(one, withNumber(one, range.step))
  }
  return least.size === 0 ? [set] : [...least.values()]
}

/**
 * The smallest number of a range that a caller may request and that is below the present number. Callers may not request the smallest
 * number of the range if, for example, the image needs more.
 */
function minRequested(range: NumberRange, { from }: ChangedNumber, isAsked: (one: number) => boolean): number | undefined {
  const { first, count } = between(range, range.least - 1, from)
  if (count === 0 || !isAsked(first + range.step * (count - 1))) return undefined
  let [tooLittle, enough] = [-1, count - 1]
  for (let next = 0; enough - tooLittle > 1; next = Math.floor((tooLittle + enough) / 2)) {
    if (isAsked(first + range.step * next)) enough = next
    else tooLittle = next
  }
  return first + range.step * enough
}
