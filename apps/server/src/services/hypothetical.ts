import {
  append,
  applyEdits,
  copyFleet,
  DEFAULT_PROFILE,
  type Fleet,
  type FleetEdits,
  type Profile,
  parseFleetEditsInSteps,
  parseProfile,
  pluginsOf,
  type RequestSpec,
} from '@gantt/scheduler-core'
import type { Outside } from '../plugin/outside/outside.ts'
import { requestNow } from '../replica/moves.ts'
import { answerInPieces } from '../replica/question.ts'
import type { Replica } from '../replica/replica.ts'
import type { PlacedRequest } from './asked-request.ts'
import { checkAsked } from './call-checks.ts'
import type { Decisions } from './decisions.ts'
import { type Drain, drainHosts } from './drain.ts'
import type { Moment, Moments } from './moments.ts'
import { InputFault, type Issue, under } from './outcome.ts'
import { unknownProfile, usableProfile } from './profiles.ts'
import { checkRange } from './text.ts'

/** How the fleet and the profile of a question differ from those that there are. */
export interface Hypothesis {
  /** When to ask; null: now. */
  readonly at: Moment | null
  /** name or name@number; null: the default one. */
  readonly profile: string | null
  /** Parts of the profile that are other than in `profile`; null: none. */
  readonly profileChanges: unknown
  /** Edits of the fleet, in core's form, with what was wrong with their form already; null: none. */
  readonly overlay: { readonly document: unknown; readonly issues: readonly Issue[] } | null
  readonly deadlineMs: number | null
}

/** A fleet of the question's own, and what decides on it. */
export interface Hypothetical {
  readonly fleet: Fleet
  readonly profile: Profile
  /** What is to be decided, with the names that hosts have on that fleet and the rule of a group that only a hint names; in the order in which it was given. */
  readonly requests: readonly RequestSpec[]
  /** Revision of the fleet before the edits. */
  readonly asOf: number
  /** What is other than in the fleet of that revision. */
  readonly edits: FleetEdits
  /** What came of the instances on hosts that are drained; null: none is. */
  readonly drain: Drain | null
  /** Whether the question's time is over. */
  isOver(): boolean
  /** What is left of it, milliseconds. */
  left(): number
}

/**
 * Makes fleets that are not. Throws InputFault for a hypothesis that cannot be, with everything that is wrong with it and with
 * `others`: what is wrong with the rest of the question.
 */
export type OpenHypothetical = (
  hypothesis: Hypothesis,
  others?: readonly Issue[],
  /** What is to be decided, as a call is that creates it: parts of the profile outside of the process are asked about it, on the question's own fleet. */
  requests?: readonly PlacedRequest[],
) => Promise<Hypothetical>

const DEFAULT_DEADLINE_MS = 10_000
const MAX_DEADLINE_MS = 60_000

interface HypotheticalsOptions {
  readonly outside: Outside
  /** What the claims on hosts that are drained were asked for with. */
  readonly decisions: Pick<Decisions, 'stored'>
}

export function createHypotheticals(replica: Replica, moments: Moments, { outside, decisions }: HypotheticalsOptions): OpenHypothetical {
  const fleetAt = async (moment: Moment | null): Promise<Fleet> => {
    if (moment !== null) return moments.forCall()(moment, ['input', 'at'])
    await replica.freshest()
    return copyFleet(replica.fleet)
  }

  return async ({ at, profile: ref, profileChanges, overlay, deadlineMs }, others = [], given = []) => {
    const issues = [
      ...others,
      ...(overlay?.issues ?? []),
      ...(deadlineMs === null ? [] : checkRange(['input', 'deadline'], deadlineMs, 1, MAX_DEADLINE_MS, ' ms')),
    ]
    /** Keeps the reasons until all of them are known. */
    const keptFault = (error: unknown): undefined => {
      if (!(error instanceof InputFault)) throw error
      issues.push(...error.issues)
    }
    /** Undefined where it cannot be. */
    const kept = <Value>(read: () => Value): Value | undefined => {
      try {
        return read()
      } catch (error) {
        return keptFault(error)
      }
    }
    const over = performance.now() + (deadlineMs ?? DEFAULT_DEADLINE_MS)
    const fleet = await fleetAt(at).catch((error: unknown) => {
      throw error instanceof InputFault ? new InputFault([...issues, ...error.issues]) : error
    })
    const asOf = fleet.place.revision
    const profile = kept(() => profileOf(replica, fleet, ref, profileChanges))
    const edits = await editsOf(fleet, overlay).catch(keptFault)
    if (profile === undefined || edits === undefined || issues.length > 0) throw new InputFault(issues)
    const problems = await answerInPieces(applyEdits(fleet, edits))
    if (problems.length > 0) throw new InputFault(under(['input', 'overlay'], problems))
    const isOver = (): boolean => performance.now() >= over
    const drain = await drainHosts(fleet, edits.drainHosts, { profile, outside, decisions, isOver })
    const refused = given.flatMap((each) => checkAsked({ fleet, profile, ...each, profilePath: ['input', 'profile'] }))
    if (refused.length > 0) throw new InputFault(refused)
    const requests = given.map(({ request }) => requestNow(fleet, { request, intent: 'CREATE' }, undefined))
    const answered = await outside.gather(fleet, profile, requests, { waitMs: Math.max(1, over - performance.now()) })
    return {
      fleet,
      profile: answered ?? profile,
      requests,
      asOf,
      edits,
      drain,
      isOver,
      left: () => over - performance.now(),
    }
  }
}

function profileOf(replica: Replica, fleet: Fleet, ref: string | null, changes: unknown): Profile {
  const named = fleet.profiles.find(ref || DEFAULT_PROFILE)
  if (named === undefined) throw new InputFault([unknownProfile(replica, ref ?? DEFAULT_PROFILE, ['input', 'profile'])])
  return changes === null || changes === undefined ? usableProfile(fleet, named, ['input', 'profile']) : draftOf(fleet, named, changes)
}

async function editsOf(fleet: Fleet, overlay: Hypothesis['overlay']): Promise<FleetEdits> {
  const edits = await answerInPieces(parseFleetEditsInSteps(fleet, overlay?.document ?? {}))
  if (!edits.ok) throw new InputFault(under(['input', 'overlay'], edits.problems))
  return edits.value
}

/** The profile with other parts, as the next version of its name in the question's own fleet. */
function draftOf(fleet: Fleet, base: Profile, changes: unknown): Profile {
  const path = ['input', 'profileChanges']
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes))
    throw InputFault.at(path, changes, 'an object with parts of a profile')
  const number = (fleet.profiles.versionsOf(base.name).at(-1)?.number ?? 0) + 1
  const parsed = parseProfile({ ...base, ...changes, name: base.name, number }, pluginsOf(fleet))
  if (!parsed.ok) throw new InputFault(under(path, parsed.problems))
  append(fleet, [{ type: 'profile', profile: parsed.value }])
  return parsed.value
}
