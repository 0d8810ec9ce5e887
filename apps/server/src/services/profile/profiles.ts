import {
  type Change,
  type FieldChange,
  type Fleet,
  lacksOf,
  type Profile,
  type ProfileCourse,
  type ProfileRolledOut,
  type ProfileState,
  parseProfile,
  pluginsOf,
  problemAt,
  profileChanges,
  profileRef,
  profileState,
  quote,
  type Rollout,
  type RolloutMode,
  WHOLE_SHARE,
} from '@gantt/scheduler-core'
import type { Replica } from '../../replica/replica.ts'
import type { Shadow, ShadowReport } from '../../replica/rollout/shadow.ts'
import { FeatureLevelError } from '../../replica/watch/feature-level.ts'
import { documentSize, sizeRule } from '../calls/json-size.ts'
import { InputFault, type Invalid, type Issue, invalid, issue, type NotFound, notFound, sentenceOf, type under } from '../calls/outcome.ts'
import { listOf, type Page, type PageArgs, pageOf } from '../calls/paging.ts'
import { checkNames, checkText } from '../calls/text.ts'
import { type Dated, datedIn } from '../moments/dated.ts'
import { type ProfilePart, profilePartsOf } from './profile-parts.ts'

/** A new version or a new course is written at most this many times, if each time a write by a different operator comes first. */
const ATTEMPTS = 5

/** A profile with its versions, and the version that decides. */
export interface ProfileView {
  readonly name: string
  readonly active: Dated<Profile>
  /** Oldest first. Version 0 belongs to the release. */
  readonly versions: readonly Dated<Profile>[]
  readonly rollout: RolloutView | null
  /** Identifies the state of the profile's rollout. Every step of the rollout changes this value. */
  readonly standing: string
}

/** A rollout, with the candidate version and the active version. */
export interface RolloutView extends Rollout {
  readonly active: Dated<Profile>
  readonly candidate: Dated<Profile>
  /**
   * The results of the rollout on this replica. Undefined if this replica has not begun the rollout yet, or if the rollout is read from a
   * past fleet.
   */
  readonly report: ShadowReport | undefined
}

/** The mode of a rollout, and the percentage of calls that the rollout includes. */
export interface RolloutInput {
  readonly mode: RolloutMode
  readonly percent: number | null
}

/** The options of a rollout step. */
export interface StepOptions {
  readonly dryRun: boolean
  /**
   * The state of the profile for which the step was planned, as `Profile.standing` returned it. If the state has changed since, nothing is
   * done. Null: the step is made in any state.
   */
  readonly ifStanding: string | null
}

/** The options of writing a version. */
export interface WriteOptions {
  readonly dryRun: boolean
  /**
   * The number of the latest version at the time of the draft, 0 if there was no version. If a newer version exists now, nothing is
   * written. Null: the version is written in any case.
   */
  readonly ifLatest: number | null
  /** Converts the path of a problem in the parts to the path in the caller's input. Absent: the paths are equal. */
  readonly pathOf?: (path: readonly string[]) => readonly string[]
}

export interface ProfileDone {
  readonly type: 'done'
  readonly profile: ProfileView
  readonly version: Profile
  readonly dryRun: boolean
}

export type ProfileOutcome = ProfileDone | NotFound | Invalid

export interface Profiles {
  /** Finds the profile in `fleet`, or in the present fleet if `fleet` is absent. */
  find(name: string, fleet?: Fleet): ProfileView | undefined
  /** Finds a version by `name@number`. */
  version(ref: string): Profile | undefined
  list(fleet?: Fleet): ProfileView[]
  /** Sorted oldest first. */
  versionsOf(profile: ProfileView, args: PageArgs): Page<Dated<Profile>>
  /**
   * Writes the next version of a profile. The version decides no calls before it is activated. Only the first version of a new profile is
   * active at once.
   */
  create(name: string, parts: Readonly<Record<string, unknown>>, options?: WriteOptions): Promise<ProfileOutcome>
  /** The parts that a profile may name in this service. */
  parts(compat: Profile['compat']): readonly ProfilePart[]
  /**
   * Activates a version and ends any rollout. With `rollout`, begins a rollout of the version instead, and the active version stays active.
   */
  activate(ref: string, rollout: RolloutInput | null, options: StepOptions): Promise<ProfileOutcome>
  /** Ends the rollout of a profile. If there is no rollout, activates the version that was active before the present one. */
  rollBack(name: string, reason: string, options: StepOptions): Promise<ProfileOutcome>
  stateOf(version: Dated<Profile>): ProfileState
  /**
   * The differences between a version and the version `against`, or the active version if `against` is null. Throws InputFault if `against`
   * does not exist.
   */
  diff(version: Dated<Profile>, against: string | null): FieldChange[]
}

/**
 * Computes the next course of a profile: its active version, earlier versions and rollout. Returns an issue if the requested step is
 * impossible.
 */
type Plan = (active: number, course: ProfileCourse) => Pick<ProfileRolledOut, 'active' | 'past' | 'rolledBack' | 'rollout'> | Issue

const NO_COURSE: ProfileCourse = { version: 0, past: [], rolledBack: [], rollout: null }

export function createProfiles(replica: Replica, shadow: Pick<Shadow, 'reportOf'>): Profiles {
  const standingOf = (name: string, { profiles }: Fleet = replica.fleet): string => {
    return `${profiles.activeNumber(name) ?? 0}.${(profiles.courseOf(name) ?? NO_COURSE).version}`
  }
  const find = (name: string, fleet = replica.fleet): ProfileView | undefined => {
    const { profiles } = fleet
    const dated = (version: Profile): Dated<Profile> => datedIn(version, fleet, replica.fleet)
    const active = profiles.activeNumber(name) === undefined ? undefined : profiles.find(name)
    if (active === undefined) return undefined
    const rollout = profiles.courseOf(name)?.rollout ?? null
    const candidate = rollout === null ? undefined : profiles.find(`${name}@${rollout.number}`)
    return {
      name,
      active: dated(active),
      versions: profiles.versionsOf(name).map(dated),
      standing: standingOf(name, fleet),
      rollout:
        rollout === null || candidate === undefined
          ? null
          : {
              ...rollout,
              active: dated(active),
              candidate: dated(candidate),
              report: fleet === replica.fleet ? shadow.reportOf(name) : undefined,
            },
    }
  }
  const latestOf = (name: string): number => replica.fleet.profiles.versionsOf(name).at(-1)?.number ?? 0
  /** The view of a profile that has only one version. */
  const firstOf = (profile: Profile): ProfileView => {
    const { name } = profile
    return { name, active: profile, versions: [profile], rollout: null, standing: standingOf(name) }
  }
  const version = (ref: string): Profile | undefined => (ref.includes('@') ? replica.fleet.profiles.find(ref) : undefined)

  /**
   * Plans and writes the next course of a profile. If a different operator's write comes first, the course is planned again. Returns an
   * issue if the plan is impossible.
   */
  const steer = async (name: string, plan: Plan, { dryRun, ifStanding }: StepOptions): Promise<Issue | undefined> => {
    // the operator might have read a newer state on a different replica
    if (ifStanding !== null && ifStanding !== standingOf(name)) await replica.fresh()
    for (let attempt = 1; ; attempt++) {
      const { profiles } = replica.fleet
      const active = profiles.activeNumber(name) ?? 0
      const course = profiles.courseOf(name) ?? NO_COURSE
      if (ifStanding !== null && ifStanding !== standingOf(name)) return elsewhere(ifStanding, standingOf(name))
      const next = plan(active, course)
      if ('path' in next) return next
      if (dryRun) return undefined
      const verdict = await proposeCourse({ type: 'rollout', name, expected: { active, version: course.version }, ...next }, active)
      if (verdict === undefined) return undefined
      if (attempt >= ATTEMPTS) return issue(['profile'], name, `be requested again: ${sentenceOf(verdict)}`, verdict)
      await replica.fresh()
    }
  }
  /**
   * Proposes the next course. If not every replica supports rollouts, an activation without a rollout is written in the older form that all
   * replicas support.
   */
  const proposeCourse = async (change: ProfileRolledOut, active: number) => {
    const propose = async (one: Change) => (await replica.propose([one]))[0]?.void
    try {
      return await propose(change)
    } catch (error) {
      const isPlain = change.rollout === null && change.expected.version === 0 && change.rolledBack.length === 0
      if (!(error instanceof FeatureLevelError) || !isPlain || change.active === active) throw error
      return propose({ type: 'activate', name: change.name, number: change.active })
    }
  }

  return {
    find,
    version,
    list: (fleet = replica.fleet) =>
      fleet.profiles
        .names()
        .sort()
        .flatMap((name) => find(name, fleet) ?? []),
    versionsOf: ({ name, versions }, args) =>
      pageOf(listOf('versions', name), args, versions, {
        types: ['number'],
        keyFor: ({ number }) => [number] as const,
        isAfter: ({ number }, [last]) => number > last,
      }),
    async create(name, parts, { dryRun, ifLatest, pathOf } = { dryRun: false, ifLatest: null }) {
      const tooLarge = sizeRule(parts, documentSize)
      if (tooLarge !== undefined) return invalid([issue(['input'], parts, tooLarge, 'call.too_large')])
      const unplain = checkNames((inner) => ['input', ...(pathOf?.(inner) ?? inner)], parts, isNote)
      if (unplain.length > 0) return invalid(unplain)
      // the operator might have read the latest version on a different replica that is ahead of this replica
      if (ifLatest !== null && ifLatest !== latestOf(name)) await replica.fresh()
      for (let attempt = 1; ; attempt++) {
        const latest = latestOf(name)
        if (ifLatest !== null && ifLatest !== latest) return invalid([writtenSince(name, ifLatest, latest)], 'CONFLICT')
        const parsed = parseProfile({ ...parts, name, number: latest + 1 }, pluginsOf(replica.fleet))
        if (!parsed.ok) return invalid(pointed(parsed.problems, pathOf))
        if (dryRun) return doneOf(find(name) ?? firstOf(parsed.value), parsed.value, true)
        const [verdict] = await replica.propose([{ type: 'profile', profile: parsed.value }])
        if (verdict?.void === undefined) return doneOf(find(name), parsed.value, false)
        if (attempt >= ATTEMPTS)
          return invalid([issue(['profile'], name, `be written again: ${sentenceOf(verdict.void)}`, verdict.void)], 'CONFLICT')
      }
    },
    parts: (compat) => profilePartsOf(replica.fleet, compat),
    async activate(ref, rollout, options) {
      if (version(ref) === undefined) await replica.fresh()
      const found = version(ref)
      if (found === undefined) return notFound('profile version', ref, ['version'])
      const share = rollout === null ? undefined : shareOf(rollout)
      if (typeof share === 'object') return invalid([share])
      const plan = rollout === null || share === undefined ? activation(found) : trial(found, rollout.mode, share)
      const wrong = await steer(found.name, plan, options)
      return wrong === undefined ? doneOf(find(found.name), found, options.dryRun) : invalid([wrong], 'CONFLICT')
    },
    async rollBack(name, reason, options) {
      const issues = checkText(['reason'], reason)
      if (issues.length > 0) return invalid(issues)
      await replica.fresh()
      if (find(name) === undefined) return notFound('profile', name, ['profile'])
      let concerned = 0
      let takenBack: number | undefined
      const wrong = await steer(
        name,
        (active, course) => {
          const { past, rolledBack, rollout } = course
          // the first attempt fixes which version is rolled back; if a different operator has rolled back that version meanwhile, this call
          // changes nothing
          takenBack ??= rollout?.number ?? active
          if (takenBack !== (rollout?.number ?? active)) return otherBack(name, takenBack)
          const rest = rolledBack.filter((number) => number !== (rollout?.number ?? active))
          if (rollout !== null) {
            concerned = rollout.number
            return { active, past, rolledBack: [...rest, rollout.number], rollout: null }
          }
          const before = past.at(-1)
          if (before === undefined) return noneBefore(name)
          concerned = before
          return {
            active: before,
            past: past.slice(0, -1),
            rolledBack: [...rest, active].filter((number) => number !== before),
            rollout: null,
          }
        },
        options,
      )
      if (wrong !== undefined) return invalid([wrong], wrong.code === 'profile.rollout' ? 'CONFLICT' : 'PRECONDITION')
      const one = version(`${name}@${concerned}`)
      if (one === undefined) throw new Error(`profile ${name}@${concerned} was rolled back, but this replica does not have it`)
      return doneOf(find(name), one, options.dryRun)
    },
    stateOf: ({ of: fleet = replica.fleet, ...one }) =>
      profileState(one, fleet.profiles.activeNumber(one.name) ?? 0, fleet.profiles.courseOf(one.name)),
    diff({ of: fleet = replica.fleet, ...one }, against) {
      const other = fleet.profiles.find(against ?? one.name)
      if (other === undefined) throw InputFault.at(['against'], against, 'the global id of a profile version, or name@number')
      return profileChanges(other, one)
    },
  }
}

/** The plan that activates a version and ends any rollout. */
const activation =
  ({ number }: Profile): Plan =>
  (active, { past, rolledBack }) => ({
    active: number,
    past: active === number ? past : [...past, active],
    rolledBack: rolledBack.filter((one) => one !== number),
    rollout: null,
  })

const trial =
  (candidate: Profile, mode: RolloutMode, share: number): Plan =>
  (active, { past, rolledBack }) =>
    candidate.number === active
      ? issue(['version'], profileRef(candidate), 'be another version than the active one', 'profile.rollout')
      : {
          active,
          past,
          rolledBack: rolledBack.filter((one) => one !== candidate.number),
          rollout: { mode, number: candidate.number, share },
        }

const elsewhere = (given: string, now: string): Issue =>
  issue(['ifStanding'], given, `be ${now}, the present state of the profile: another operator changed it meanwhile`, 'profile.rollout')

const writtenSince = (name: string, given: number, latest: number): Issue =>
  issue(['ifLatest'], given, `be ${latest}, the present latest version of ${name}: another operator wrote one meanwhile`, 'profile.version')

const otherBack = (name: string, number: number): Issue =>
  issue(['profile'], name, `be requested again: ${name}@${number} is no longer the version that would be rolled back`, 'profile.rollout')

const noneBefore = (name: string): Issue =>
  issue(['profile'], name, 'have a version in a rollout, or a recorded earlier active version; activate one by its number')

/** The percentage of a rollout, converted to hundredths of a percent. A shadow rollout without a percentage includes all calls. */
function shareOf({ mode, percent }: RolloutInput): number | Issue {
  if (percent === null)
    return mode === 'SHADOW' ? WHOLE_SHARE : issue(['rollout', 'percent'], percent, 'be more than 0 and at most 100 for a canary')
  const share = Math.round(percent * 100)
  if (share >= 1 && share <= WHOLE_SHARE && Math.abs(share - percent * 100) < 1e-6) return share
  return issue(['rollout', 'percent'], percent, 'be 0.01 to 100, with two decimals at most')
}

function doneOf(profile: ProfileView | undefined, version: Profile, dryRun: boolean): ProfileDone {
  if (profile === undefined) throw new Error(`profile ${profileRef(version)} was written, but this replica does not have it`)
  return { type: 'done', profile, version, dryRun }
}

/** True for the path of the operator's note about a version, which may contain any text. */
const isNote = ([first]: readonly string[], what: 'key' | 'text'): boolean => first === 'note' && what === 'text'

/**
 * Converts problems that the core found in a profile to issues of the call. The name of the profile is an argument of the call, and all
 * other values are in the argument `input`.
 */
const pointed = (problems: Parameters<typeof under>[1], pathOf: WriteOptions['pathOf'] = (path) => path): Issue[] =>
  problems.map((problem) => problemAt(problem, problem.path[0] === 'name' ? ['profile'] : ['input', ...pathOf(problem.path)]))

/** A list of the existing profiles for messages, with at most 20 names. */
export const knownProfiles = (replica: Replica): string => {
  const names = replica.fleet.profiles.names().sort()
  return names.length > 20 ? `${names.slice(0, 20).join(', ')}, ...` : names.join(', ')
}

export const unknownProfile = (replica: Replica, ref: string, path: readonly string[]): Issue => ({
  code: 'profile.unknown',
  path,
  message: `There is no profile ${quote(ref)}; there are ${knownProfiles(replica)}.`,
  expected: `one of ${knownProfiles(replica)}, alone or with @number`,
  actual: quote(ref),
})

/** Returns the profile if this service can decide by it. Otherwise throws InputFault. */
export function usableProfile(fleet: Fleet, profile: Profile, path: readonly string[]): Profile {
  const found = lackingParts(fleet, profile, path)
  if (found !== undefined) throw new InputFault([found])
  return profile
}

/** Why this service cannot decide by a profile version. Undefined if the service can decide by the version. */
export function lackingParts(fleet: Fleet, profile: Profile, path: readonly string[]): Issue | undefined {
  const lacks = lacksOf(profile, pluginsOf(fleet))
  if (lacks.length === 0) return undefined
  const ref = profileRef(profile)
  return {
    code: 'profile.lacks_part',
    path,
    message: `This replica cannot decide by profile ${ref}: ${lacks.join('; ')}.`,
    expected: 'a profile whose parts this replica has',
    actual: quote(ref),
  }
}
