import type { Fleet } from '../fleet/fleet.ts'
import type { HostName } from '../fleet/host-name.ts'
import type { Steps } from '../fleet/steps.ts'
import type { Profile } from '../profiles/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { ProposedChange } from './remedies/remedy.ts'
import { type Applied, applyTo, type Trial, tryOn } from './trial.ts'

/** A set of changes to try, and the hosts for whose sake: each is asked what else is in its way. */
export interface Candidate {
  readonly changes: readonly ProposedChange[]
  readonly hosts: readonly HostName[]
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

/** What a change of how many are asked for changes. */
export const INSTANCES = 'instances'

/**
 * Several instances share the room of hosts: not all of them need fit with the number that one host has for one of them. The least number
 * says whether any will do; which one is the greatest is looked for afterwards. Once beside the same other changes.
 */
export function* sharedRoom(
  fleet: Fleet,
  { request, profile, seed, minHosts }: SearchOptions,
  { changes, hosts, refined }: Candidate,
  eased: Set<string>,
  failed: number,
): Steps<{ readonly kept: Kept | undefined; readonly runs: number }> {
  const lowered = changes.filter(({ subject, number }) => number !== undefined && number.to < number.from && subject !== INSTANCES)
  const [{ number } = {}, ...more] = lowered
  const step = number?.step ?? 1
  const key = changes.map(({ kind, subject, to }) => `${kind} ${subject} ${subject === lowered[0]?.subject ? 'less' : to}`).join('\n')
  if (number === undefined || more.length > 0 || number.to < 2 * step || eased.has(key)) return { kept: undefined, runs: 0 }
  eased.add(key)
  yield
  const least = [...changes.filter((one) => !lowered.includes(one)), number.at(step)]
  const applied = applyTo(request, profile, least)
  const trial = yield* tryOn(fleet, seed, applied, [], failed)
  if (!trial.placed || trial.unlocks < minHosts) return { kept: undefined, runs: 1 }
  return { kept: { candidate: { changes: least, hosts, refined, effort: effortOf(least) }, trial, applied }, runs: 1 }
}
