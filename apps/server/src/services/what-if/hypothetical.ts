import {
  append,
  applyEdits,
  copyFleetAt,
  DEFAULT_PROFILE,
  type Fleet,
  type FleetEdits,
  isNoEdit,
  NO_EDITS,
  type Profile,
  parseFleetEditsInSteps,
  parseProfile,
  pluginsOf,
  type RequestSpec,
  type Steps,
} from '@gantt/scheduler-core'
import { mapYielding } from '../../event-loop/lists.ts'
import { answerYielding, holdingFleets } from '../../event-loop/query.ts'
import type { Outside } from '../../plugin/outside/outside.ts'
import { requestNow } from '../../replica/propose/moves.ts'
import type { Replica } from '../../replica/replica.ts'
import { UnavailableError } from '../../unavailable.ts'
import { documentSize, sizeRule } from '../calls/json-size.ts'
import { InputFault, type Issue, issue, under } from '../calls/outcome.ts'
import { checkRange } from '../calls/text.ts'
import type { Decisions } from '../decision/decisions.ts'
import type { Moment, Moments } from '../moments/moments.ts'
import { type Drain, drainHosts } from '../move/drain.ts'
import type { PlacedRequest } from '../placement/asked-request.ts'
import { checkAsked } from '../placement/call-checks.ts'
import { unknownProfile, usableProfile } from '../profile/profiles.ts'

/** The fleet and the profile of a query, written as changes to a present or past fleet and to an existing profile. */
export interface Hypothesis {
  /** The point in the fleet's history that the query is about; null for the present. */
  readonly at: Moment | null
  /** The profile as name or name@number; null for the default profile. */
  readonly profile: string | null
  /** Parts that replace those of `profile`; null for none. */
  readonly profileChanges: unknown
  /** Edits of the fleet in the core's form, with the problems of their form. Null for none. */
  readonly overlay: { readonly document: unknown; readonly issues: readonly Issue[] } | null
  /** The time until the deadline of the query; null: 10 s. */
  readonly deadlineMs: number | null
}

/** The private fleet of a query, and the profile that decides on it. */
export interface Hypothetical {
  readonly fleet: Fleet
  readonly profile: Profile
  /**
   * The requests to decide, in the caller's order. Host names in the requests are replaced by the names of the hosts in this fleet. If only
   * a hint names a server group, the group's policy is added to the request.
   */
  readonly requests: readonly RequestSpec[]
  /** The revision of the fleet to which the edits were applied. */
  readonly asOf: number
  /** The edits that were applied to the fleet. */
  readonly edits: FleetEdits
  /** The moves of the instances on drained hosts; null if the query drains no host. */
  readonly drain: Drain | null
  /** True if the deadline of the query has passed. */
  isOver(): boolean
  /** The time until the deadline, in milliseconds. */
  left(): number
}

/**
 * Creates the hypothetical fleet of a query. Throws InputFault if the hypothesis is impossible. The InputFault lists all errors, including
 * `others`: errors in other arguments of the query.
 */
export type OpenHypothetical = (
  hypothesis: Hypothesis,
  others?: readonly Issue[],
  /** The requests to decide. They are checked as in a call that creates instances, and sent to the external plug-ins of the profile. */
  requests?: readonly PlacedRequest[],
  /** The time from which the deadline counts, by `performance.now`. Absent: now. */
  since?: number,
) => Promise<Hypothetical>

/**
 * Runs the work of a query that needs a hypothetical fleet. The query waits until the call may hold such a fleet, at most until its
 * deadline. `work` is called with the time at which the query arrived, which it passes to OpenHypothetical as `since`.
 */
export function inHypothesis<Answer>(
  { deadlineMs }: Pick<Hypothesis, 'deadlineMs'>,
  work: (since: number) => Promise<Answer>,
): Promise<Answer> {
  const since = performance.now()
  const waitMs = Math.min(Math.max(1, deadlineMs ?? DEFAULT_DEADLINE_MS), MAX_DEADLINE_MS)
  return holdingFleets(waitMs, () => work(since))
}

const DEFAULT_DEADLINE_MS = 10_000
const MAX_DEADLINE_MS = 60_000

interface HypotheticalsOptions {
  readonly outside: Outside
  /** Reads the original requests of claims on drained hosts. */
  readonly decisions: Pick<Decisions, 'stored'>
}

export function createHypotheticals(replica: Replica, moments: Moments, { outside, decisions }: HypotheticalsOptions): OpenHypothetical {
  const fleetAt = async (moment: Moment | null): Promise<Fleet> => {
    if (moment !== null) return moments.forCall()(moment, ['input', 'at'])
    await replica.freshest()
    return copyFleetAt(replica.fleet, replica.storeTime)
  }

  return async ({ at, profile: ref, profileChanges, overlay, deadlineMs }, others = [], given = [], since = performance.now()) => {
    const issues = [
      ...others,
      ...(overlay?.issues ?? []),
      ...(deadlineMs === null ? [] : checkRange(['input', 'deadline'], deadlineMs, 1, MAX_DEADLINE_MS, ' ms')),
    ]
    /** Collects the issues of an InputFault; all collected issues are thrown together later. Throws every other error. */
    const keptFault = (error: unknown): undefined => {
      if (!(error instanceof InputFault)) throw error
      issues.push(...error.issues)
    }
    /** Returns undefined and collects the issues if `read` throws an InputFault. */
    const kept = <Value>(read: () => Value): Value | undefined => {
      try {
        return read()
      } catch (error) {
        return keptFault(error)
      }
    }
    const over = since + (deadlineMs ?? DEFAULT_DEADLINE_MS)
    const isOver = (): boolean => performance.now() >= over
    const fleet = await fleetAt(at).catch((error: unknown) => {
      throw error instanceof InputFault ? new InputFault([...issues, ...error.issues]) : error
    })
    const asOf = fleet.place.revision
    const profile = kept(() => profileOf(replica, fleet, ref, profileChanges))
    const edits = await editsOf(fleet, overlay, isOver).catch(keptFault)
    if (profile === undefined || edits === undefined || issues.length > 0) throw new InputFault(issues)
    const problems = isNoEdit(edits) ? [] : await answerYielding(untilOver(applyEdits(fleet, edits), isOver))
    if (problems.length > 0) throw new InputFault(under(['input', 'overlay'], problems))
    const drain = await drainHosts(fleet, edits.drainHosts, { profile, outside, decisions, isOver })
    const refused = await mapYielding(given, (each) => checkAsked({ fleet, profile, ...each, profilePath: ['input', 'profile'] }))
    if (refused.some(({ length }) => length > 0)) throw new InputFault(refused.flat())
    const requests = await mapYielding(given, ({ request }) => requestNow(fleet, { request, intent: 'CREATE' }, undefined))
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

async function editsOf(fleet: Fleet, overlay: Hypothesis['overlay'], isOver: () => boolean): Promise<FleetEdits> {
  if (overlay === null) return NO_EDITS
  const edits = await answerYielding(untilOver(parseFleetEditsInSteps(fleet, overlay.document ?? {}), isOver))
  if (!edits.ok) throw new InputFault(under(['input', 'overlay'], edits.problems))
  return edits.value
}

/** Edits in steps that end at the deadline, because an answer about some of the edits would be wrong. */
function* untilOver<Result>(steps: Steps<Result>, isOver: () => boolean): Steps<Result> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (isOver())
      throw new UnavailableError(
        'deadline',
        'the deadline passed before the edits of the overlay were made: name fewer hosts and aggregates, or set a later deadline',
      )
    yield
  }
}

/** A profile with changed parts, as the profile's next version. Only the query's private fleet contains this version. */
function draftOf(fleet: Fleet, base: Profile, changes: unknown): Profile {
  const path = ['input', 'profileChanges']
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes))
    throw InputFault.at(path, changes, 'an object with parts of a profile')
  const tooLarge = sizeRule(changes, documentSize)
  if (tooLarge !== undefined) throw new InputFault([issue(path, changes, tooLarge, 'call.too_large')])
  const number = (fleet.profiles.versionsOf(base.name).at(-1)?.number ?? 0) + 1
  const parsed = parseProfile({ ...base, ...changes, name: base.name, number }, pluginsOf(fleet))
  if (!parsed.ok) throw new InputFault(under(path, parsed.problems))
  append(fleet, [{ type: 'profile', profile: parsed.value }])
  return parsed.value
}
