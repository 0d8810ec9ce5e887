import type { Code } from '../codes.ts'
import type { ProfileActivated } from '../fleet/change.ts'
import { builtInProfiles } from './built-in.ts'
import { type Profile, profileRef } from './profile.ts'

/** The profile that decides when the request names none and none of that name was written. */
export const DEFAULT_PROFILE = 'default'

/** All profile versions by name@number, those of the release included, and which version of each name is active. */
export class Profiles {
  readonly #versions = new Map<string, Profile>(builtInProfiles.map((profile) => [profileRef(profile), profile]))
  readonly #active = new Map<string, number>(builtInProfiles.map(({ name }) => [name, 0]))

  /** `name` for the active version, or `name@number`. Undefined when there is none. */
  find(ref: string): Profile | undefined {
    const number = this.#active.get(ref)
    return this.#versions.get(number === undefined ? ref : `${ref}@${number}`)
  }

  activeNumber(name: string): number | undefined {
    return this.#active.get(name)
  }

  names(): string[] {
    return [...this.#active.keys()]
  }

  /** Versions of a name, oldest first. */
  versionsOf(name: string): Profile[] {
    return [...this.#versions.values()].filter((profile) => profile.name === name).sort((a, b) => a.number - b.number)
  }

  /** Versions that were written to the log, for checkpoints. */
  written(): Profile[] {
    return [...this.#versions.values()].filter(({ number }) => number > 0)
  }

  /** The next version of a name; the first version of a new name is active at once. */
  take(profile: Profile): Code | undefined {
    const latest = this.versionsOf(profile.name).at(-1)?.number ?? 0
    if (profile.number !== latest + 1) return 'profile.version'
    this.#versions.set(profileRef(profile), profile)
    if (!this.#active.has(profile.name)) this.#active.set(profile.name, profile.number)
    return undefined
  }

  /** Takes another fleet's profiles over: a version never changes. */
  takeCopy(from: Profiles): void {
    for (const [ref, profile] of from.#versions) this.#versions.set(ref, profile)
    for (const [name, number] of from.#active) this.#active.set(name, number)
  }

  activate({ name, number }: Omit<ProfileActivated, 'type'>): Code | undefined {
    if (!this.#versions.has(profileRef({ name, number }))) return 'profile.unknown'
    this.#active.set(name, number)
    return undefined
  }
}
