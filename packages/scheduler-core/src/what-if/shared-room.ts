import type { HostName } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Steps } from '../fleet/steps.ts'
import type { Profile } from '../profiles/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { ProposedChange } from './remedies/remedy.ts'
import { type Applied, applyTo, type Trial, tryOn } from './trial.ts'

/** A set of changes to try, and the host for whose sake. */
export interface Candidate {
  readonly changes: readonly ProposedChange[]
  readonly host: HostName
  readonly effort: number
  /** How often a change took the place of another one of the same subject. */
  readonly refined: number
}

/** A set of changes with which the request is placed. */
export interface Kept {
  readonly candidate: Candidate
  readonly trial: Trial
  readonly applied: Applied
}

/** What is asked, and how long it may be looked for. */
export interface SearchOptions {
  readonly request: RequestSpec
  readonly profile: Profile
  readonly seed: string
  readonly minHosts: number
  isOver(): boolean
}

const BESIDE = 1

/** The efforts of changes together. */
export const effortOf = (changes: readonly ProposedChange[]): number =>
  changes.reduce((sum, one) => sum + one.effort, 0) + BESIDE * (changes.length - 1)

/**
 * Several instances share the room of hosts: the number that one host has for one of them is not the greatest with which all
 * of them fit. It lies between that and what is asked, and is looked for once for the same subjects.
 */
export function* gentlest(
  fleet: Fleet,
  options: SearchOptions,
  kept: Kept,
  eased: Set<string>,
  failed: number,
  mostRuns: number,
): Steps<Kept & { readonly runs: number }> {
  const lowered = loweredOf(kept.candidate, eased)
  if (lowered === undefined) return { ...kept, runs: 0 }
  eased.add(lowered.key)
  return yield* between(fleet, options, kept, lowered, { fits: lowered.to, tooMuch: lowered.asked }, failed, mostRuns)
}

/**
 * Nor need all of them fit with the number that one host has for one of them: then it lies below, if any number will do. The
 * least tells whether one does.
 */
export function* sharedRoom(
  fleet: Fleet,
  options: SearchOptions,
  candidate: Candidate,
  eased: Set<string>,
  failed: number,
  mostRuns: number,
): Steps<{ readonly kept: Kept | undefined; readonly runs: number }> {
  const lowered = loweredOf(candidate, eased)
  if (lowered === undefined || lowered.to < 2 || mostRuns < 1) return { kept: undefined, runs: 0 }
  eased.add(lowered.key)
  yield
  const least = yield* tryAt(fleet, options, candidate, lowered, 1, failed)
  if (least === undefined) return { kept: undefined, runs: 1 }
  const { runs, ...kept } = yield* between(fleet, options, least, lowered, { fits: 1, tooMuch: lowered.to }, failed, mostRuns - 1)
  return { kept, runs: runs + 1 }
}

/** The one number of a candidate that is asked less of, where it was not looked for yet. */
interface Lowered extends NonNullable<ProposedChange['lowered']> {
  readonly key: string
  readonly others: readonly ProposedChange[]
}

function loweredOf({ changes }: Candidate, eased: ReadonlySet<string>): Lowered | undefined {
  const [change, ...more] = changes.filter(({ lowered }) => lowered !== undefined)
  const key = changes.map(({ kind, subject }) => `${kind} ${subject}`).join('\n')
  if (change?.lowered === undefined || more.length > 0 || eased.has(key)) return undefined
  return { ...change.lowered, key, others: changes.filter((one) => one !== change) }
}

/** Halves the way between a number with which all fit and one with which not all do. */
function* between(
  fleet: Fleet,
  options: SearchOptions,
  kept: Kept,
  lowered: Lowered,
  ends: { readonly fits: number; readonly tooMuch: number },
  failed: number,
  mostRuns: number,
): Steps<Kept & { readonly runs: number }> {
  let best = kept
  let runs = 0
  let { fits, tooMuch } = ends
  while (tooMuch - fits > 1 && runs < mostRuns && !options.isOver()) {
    yield
    const middle = Math.floor((fits + tooMuch) / 2)
    const found = yield* tryAt(fleet, options, kept.candidate, lowered, middle, failed)
    runs++
    if (found === undefined) tooMuch = middle
    else {
      best = found
      fits = middle
    }
  }
  return { ...best, runs }
}

/** The candidate with another number; undefined where not all are placed with it. */
function* tryAt(
  fleet: Fleet,
  options: SearchOptions,
  { host, refined }: Candidate,
  { others, at }: Lowered,
  amount: number,
  failed: number,
): Steps<Kept | undefined> {
  const changes = [...others, at(amount)]
  const candidate = { changes, host, refined, effort: effortOf(changes) }
  const applied = applyTo(options.request, options.profile, changes)
  const trial = yield* tryOn(fleet, options.seed, applied, host, failed)
  return trial.placed && trial.unlocks >= options.minHosts ? { candidate, trial, applied } : undefined
}
