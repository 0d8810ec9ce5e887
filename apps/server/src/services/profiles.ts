import { type Profile, parseProfile, profileRef, quote } from '@gantt/scheduler-core'
import type { Replica } from '../replica/replica.ts'
import { type Invalid, type Issue, invalid, issue, type NotFound, notFound, sentenceOf, under } from './outcome.ts'
import { listOf, type Page, type PageArgs, pageOf } from './paging.ts'

/** How often a version is numbered anew when another operator took the number. */
const ATTEMPTS = 5

/** A profile by its name: its versions, and which one decides. */
export interface ProfileView {
  readonly name: string
  readonly active: Profile
  /** Oldest first; number 0 is of the release. */
  readonly versions: readonly Profile[]
}

export interface ProfileDone {
  readonly type: 'done'
  readonly profile: ProfileView
  readonly version: Profile
  readonly dryRun: boolean
}

export type ProfileOutcome = ProfileDone | NotFound | Invalid

export interface Profiles {
  find(name: string): ProfileView | undefined
  /** `name@number`. */
  version(ref: string): Profile | undefined
  list(): ProfileView[]
  /** Oldest first. */
  versionsOf(profile: ProfileView, args: PageArgs): Page<Profile>
  /** Writes the next version of a name. It decides once it is activated; the first of a new name does at once. */
  create(name: string, parts: Readonly<Record<string, unknown>>): Promise<ProfileOutcome>
  activate(ref: string, dryRun: boolean): Promise<ProfileOutcome>
}

export function createProfiles(replica: Replica): Profiles {
  const find = (name: string): ProfileView | undefined => {
    const { profiles } = replica.fleet
    const active = profiles.activeNumber(name) === undefined ? undefined : profiles.find(name)
    return active === undefined ? undefined : { name, active, versions: profiles.versionsOf(name) }
  }
  const version = (ref: string): Profile | undefined => (ref.includes('@') ? replica.fleet.profiles.find(ref) : undefined)

  return {
    find,
    version,
    list: () =>
      replica.fleet.profiles
        .names()
        .sort()
        .flatMap((name) => find(name) ?? []),
    versionsOf: ({ name, versions }, args) =>
      pageOf(listOf('versions', name), args, versions, {
        types: ['number'],
        keyFor: ({ number }) => [number] as const,
        isAfter: ({ number }, [last]) => number > last,
      }),
    async create(name, parts) {
      for (let attempt = 1; ; attempt++) {
        const number = (replica.fleet.profiles.versionsOf(name).at(-1)?.number ?? 0) + 1
        const parsed = parseProfile({ ...parts, name, number })
        if (!parsed.ok) return invalid(pointed(parsed.problems))
        const [verdict] = await replica.propose([{ type: 'profile', profile: parsed.value }])
        if (verdict?.void === undefined) return doneOf(find(name), parsed.value, false)
        if (attempt >= ATTEMPTS)
          return invalid([issue(['profile'], name, `be written again: ${sentenceOf(verdict.void)}`, verdict.void)], 'CONFLICT')
      }
    },
    async activate(ref, dryRun) {
      if (version(ref) === undefined) await replica.fresh()
      const found = version(ref)
      if (found === undefined) return notFound('profile version', ref, ['version'])
      if (!dryRun) await replica.propose([{ type: 'activate', name: found.name, number: found.number }])
      return doneOf(find(found.name), found, dryRun)
    },
  }
}

function doneOf(profile: ProfileView | undefined, version: Profile, dryRun: boolean): ProfileDone {
  if (profile === undefined) throw new Error(`profile ${profileRef(version)} was written and is not there`)
  return { type: 'done', profile, version, dryRun }
}

/** Core names the parts as the call does, except for the name, which is an argument of its own. */
const pointed = (problems: Parameters<typeof under>[1]): Issue[] =>
  problems.map((problem) => (problem.path[0] === 'name' ? { ...problem, path: ['profile'] } : (under(['input'], [problem])[0] as Issue)))

/** What a call may name as its profile, for messages. */
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
