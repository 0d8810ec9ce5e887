import type { ProfileActivated, ProfileRolledOut } from '../records/change.ts'
import { isInShare, PAST_KEPT, type ProfileCourse, WHOLE_SHARE } from '../records/course.ts'
import { type Profile, profileRef } from '../records/profile.ts'
import type { Code } from '../text/codes.ts'
import { builtInProfilesAt } from './built-in.ts'

/** The name of the profile that decides requests which name no profile. */
export const DEFAULT_PROFILE = 'default'

/** All versions of all profiles, including version 0 from the release, and the active version of each profile. */
export class Profiles {
  readonly #versions = new Map<string, Profile>()
  /** The versions of each profile name, oldest first. */
  readonly #versionsOf = new Map<string, Profile[]>()
  readonly #active = new Map<string, number>()

  readonly #courses = new Map<string, ProfileCourse>()
  #level = 1

  constructor() {
    for (const profile of builtInProfilesAt(this.#level)) {
      this.#add(profile)
      this.#active.set(profile.name, profile.number)
    }
  }

  /** Replaces the release's profiles by their definitions for a feature level. Called when the log reaches this level. */
  reach(level: number): void {
    if (level === this.#level) return
    this.#level = level
    for (const profile of builtInProfilesAt(level)) {
      this.#versions.set(profileRef(profile), profile)
      const written = this.versionsOf(profile.name).filter(({ number }) => number > 0)
      this.#versionsOf.set(profile.name, [profile, ...written])
      // If operators have already written a profile with this name, their version stays active.
      if (!this.#active.has(profile.name)) this.#active.set(profile.name, profile.number)
    }
  }

  /** Finds the version `name@number` of a profile, or its active version by `name`. Undefined if it does not exist. */
  find(ref: string): Profile | undefined {
    const number = this.#active.get(ref)
    return this.#versions.get(number === undefined ? ref : `${ref}@${number}`)
  }

  /**
   * The version that decides a call. If the call names no version number, and the profile has a canary rollout, the candidate version
   * decides the rollout's share of the calls.
   */
  pick(ref: string, account: string, key: string): Profile | undefined {
    const rollout = this.#courses.get(ref)?.rollout
    const isCandidate = rollout?.mode === 'CANARY' && isInShare(account, key, rollout.share)
    return isCandidate ? this.#versions.get(`${ref}@${rollout.number}`) : this.find(ref)
  }

  /** The former, rolled back and candidate versions of a profile name. Undefined until the first rollout of the name. */
  courseOf(name: string): ProfileCourse | undefined {
    return this.#courses.get(name)
  }

  /** For each profile name that has had a rollout: its former, rolled back and candidate versions. */
  courses(): ReadonlyMap<string, ProfileCourse> {
    return this.#courses
  }

  activeNumber(name: string): number | undefined {
    return this.#active.get(name)
  }

  names(): string[] {
    return [...this.#active.keys()]
  }

  /** All versions of a profile name, oldest first. */
  versionsOf(name: string): readonly Profile[] {
    return this.#versionsOf.get(name) ?? []
  }

  /** The versions that operators wrote to the log, without the versions of the release. Checkpoints contain only the written versions. */
  written(): Profile[] {
    return [...this.#versions.values()].filter(({ number }) => number > 0)
  }

  /** Adds the next version of a profile. The first version of a new name becomes active. */
  take(profile: Profile): Code | undefined {
    const latest = this.versionsOf(profile.name).at(-1)?.number ?? 0
    if (profile.number !== latest + 1) return 'profile.version'
    this.#add(profile)
    if (!this.#active.has(profile.name)) this.#active.set(profile.name, profile.number)
    return undefined
  }

  /** Copies the profiles of another fleet. The two fleets share the versions, because a version never changes. */
  takeCopy(from: Profiles): void {
    this.reach(from.#level)
    for (const [ref, profile] of from.#versions) if (!this.#versions.has(ref)) this.#add(profile)
    for (const [name, number] of from.#active) this.#active.set(name, number)
    for (const [name, course] of from.#courses) this.#courses.set(name, course)
  }

  /** Activates a version of a profile, and ends the rollout of this profile if there is one. */
  activate({ name, number }: Omit<ProfileActivated, 'type'>): Code | undefined {
    if (!this.#versions.has(profileRef({ name, number }))) return 'profile.unknown'
    const before = this.#active.get(name)
    this.#active.set(name, number)
    const course = this.#courses.get(name)
    if (course === undefined || before === undefined) return undefined
    const past = before === number ? course.past : [...course.past, before].slice(-PAST_KEPT)
    this.#courses.set(name, { ...course, version: course.version + 1, past, rollout: null })
    return undefined
  }

  /** Applies a step of a rollout to a profile. `now` is the time of the log entry. */
  rollOut({ name, expected, active, past, rolledBack, rollout }: Omit<ProfileRolledOut, 'type'>, now: number): Code | undefined {
    const course = this.#courses.get(name)
    if ((course?.version ?? 0) !== expected.version || this.#active.get(name) !== expected.active) return 'profile.rollout'
    const isKnown = (number: number): boolean => this.#versions.has(profileRef({ name, number }))
    if (!isKnown(active) || (rollout !== null && !isKnown(rollout.number))) return 'profile.unknown'
    if (rollout !== null && (rollout.number === active || rollout.share < 0 || rollout.share > WHOLE_SHARE)) return 'profile.rollout'
    const isSame = rollout !== null && course?.rollout?.number === rollout.number && course.rollout.mode === rollout.mode
    this.#active.set(name, active)
    this.#courses.set(name, {
      version: expected.version + 1,
      past: past.slice(-PAST_KEPT),
      rolledBack: rolledBack.slice(-PAST_KEPT),
      rollout: rollout === null ? null : { ...rollout, since: isSame ? (course?.rollout?.since ?? now) : now },
    })
    return undefined
  }

  /** Restores the former, rolled back and candidate versions of a profile name from a checkpoint. */
  restoreCourse(name: string, course: ProfileCourse): void {
    this.#courses.set(name, course)
  }

  #add(profile: Profile): void {
    this.#versions.set(profileRef(profile), profile)
    const versions = this.#versionsOf.get(profile.name)
    if (versions === undefined) this.#versionsOf.set(profile.name, [profile])
    else versions.push(profile)
  }
}
