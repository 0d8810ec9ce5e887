import { noPlugins, type Plugins } from '../contracts/plugins.ts'
import { COMPUTE, type HostRecord } from '../hosts/hosts.ts'
import { allKinds } from '../kinds/index.ts'
import { DEFAULT_PROFILE, type Profiles } from '../profiles/profiles.ts'
import { isLive } from '../records/claim.ts'
import type { KindName } from '../records/grants.ts'
import { registeredNamespaces } from '../records/namespace-names.ts'
import { type Profile, profileRef } from '../records/profile.ts'
import { type Read, readsOf, type StatsField, statsFields } from '../report/stats-fields.ts'
import { type OmittableField, omittableFields } from '../report/versions/v1-2.ts'
import { memoByObject } from '../values/memo.ts'
import { compileProfile } from './compile.ts'

/** The fields of one namespace that reporters must send. */
export interface RequiredNamespace {
  readonly namespace: string
  /** In the order of the report's form. Fields that are always required are included. */
  readonly fields: readonly RequiredField[]
  /** Fields that a report may leave out if it names them in `omitted`. */
  readonly omittable: readonly OmittableField[]
}

export interface RequiredField {
  readonly field: string
  /** Empty if the field is needed to count any claim. */
  readonly neededBy: readonly Need[]
}

/**
 * Why a field is needed: a filter or weigher of a profile version reads it, or claims on the host hold resources of a kind that reads it.
 */
export interface Need {
  /** `name@number` of the profile version; null if the field is needed for claims that the host already holds. */
  readonly profile: string | null
  /** The filter, the weigher, or the kind of resource. */
  readonly part: string
}

/**
 * The profile versions for which reporters must send fields: the versions of the default profile and of every profile in the log that are
 * active or in a rollout. Other profiles of the release also decide if a request names them, but only on hosts that report the fields that
 * they read.
 */
export function servedProfiles(profiles: Profiles): readonly Profile[] {
  return profiles.names().flatMap((name) => {
    const isWritten = (profiles.versionsOf(name).at(-1)?.number ?? 0) > 0
    if (name !== DEFAULT_PROFILE && !isWritten) return []
    const numbers = [profiles.activeNumber(name), profiles.courseOf(name)?.rollout?.number]
    return [...new Set(numbers)].flatMap((number) => (number === undefined ? [] : (profiles.find(`${name}@${number}`) ?? [])))
  })
}

/** The fields that reporters must send so that these profiles can decide. For a single host, also the fields that its claims need. */
export function requiredStats(profiles: readonly Profile[], host?: HostRecord, plugins = noPlugins): readonly RequiredNamespace[] {
  const needs = new Map<Read, Need[]>(statsFields.map((field) => [field, []]))
  const add = (field: Read, need: Need): void => {
    const known = needs.get(field)
    if (known === undefined) needs.set(field, [need])
    else known.push(need)
  }
  for (const profile of profiles) for (const [field, need] of needsOf(plugins)(profile)) add(field, need)
  for (const kind of host === undefined ? [] : heldKinds(host))
    for (const field of kind.filter.reads) add(field, { profile: null, part: kind.name })
  const isOmittable = (field: StatsField): field is OmittableField => omittable.has(field)
  return [
    {
      namespace: COMPUTE,
      fields: statsFields.flatMap((field) => {
        // `nova` is not a field of this service's own report form. Documents in Nova's form always contain it as a whole.
        if (field === 'nova') return []
        const neededBy = needs.get(field) ?? []
        return isOmittable(field) && neededBy.length === 0 ? [] : [{ field, neededBy }]
      }),
      omittable: omittableFields.filter((field) => needs.get(field)?.length === 0),
    },
    ...[...registeredNamespaces, ...plugins.namespaces.map(({ name }) => name)].flatMap((namespace) => {
      const prefix = `${namespace}.`
      const fields = [...needs].flatMap(([field, neededBy]) =>
        field.startsWith(prefix) ? [{ field: field.slice(prefix.length), neededBy }] : [],
      )
      return fields.length === 0 ? [] : [{ namespace, fields, omittable: [] }]
    }),
  ]
}

const omittable: ReadonlySet<string> = new Set(omittableFields)

/** The fields that the parts of a profile version read, each with its readers. Computed once, because versions never change. */
const needsOf = memoByObject((plugins: Plugins) => memoByObject((profile: Profile) => readsByPart(profile, plugins)))

function readsByPart(profile: Profile, plugins: Plugins): readonly (readonly [Read, Need])[] {
  const { filters, shadows, weighers } = compileProfile(profile, plugins)
  const asked = new Set<KindName>(profile.collects ?? allKinds.map(({ name }) => name))
  const nets = allKinds.filter(({ name }) => asked.has(name)).map(({ filter }) => filter)
  const parts = [
    ...[...filters, ...shadows].filter(({ isNet }) => !isNet).map(({ filter, options }) => [filter, options] as const),
    ...weighers.map(({ weigher, options }) => [weigher, options] as const),
    ...nets.map((net) => [net, {}] as const),
  ]
  const ref = profileRef(profile)
  const seen = new Set<string>()
  return parts.flatMap(([{ name, reads }, options]) => {
    if (seen.has(name)) return []
    seen.add(name)
    return readsOf(reads, options).map((field) => [field, { profile: ref, part: name }] as const)
  })
}

const heldKinds = ({ claims }: HostRecord) =>
  allKinds.filter(({ name }) => [...claims].some((claim) => isLive(claim) && claim.grants[name] !== undefined))
