import { isLive } from '../claims/claim.ts'
import { COMPUTE, type HostRecord } from '../fleet/hosts.ts'
import { type Read, readsOf, type StatsField, statsFields } from '../fleet/stats-fields.ts'
import { type OmittableField, omittableFields } from '../fleet/stats-versions/v1-2.ts'
import type { KindName } from '../kinds/grants.ts'
import { allKinds } from '../kinds/index.ts'
import { memoByObject } from '../memo.ts'
import { registeredNamespaces } from '../namespace/names.ts'
import { compileProfile } from '../pipeline/compile.ts'
import { noPlugins, type Plugins } from '../plugin/plugins.ts'
import { type Profile, profileRef } from './profile.ts'
import { DEFAULT_PROFILE, type Profiles } from './profiles.ts'

/** What reporters are to tell of one namespace. */
export interface RequiredNamespace {
  readonly namespace: string
  /** In the order of the form; what a report may never leave out is always among them. */
  readonly fields: readonly RequiredField[]
  /** What a report may leave out, if it names it in `omitted`. */
  readonly omittable: readonly OmittableField[]
}

export interface RequiredField {
  readonly field: string
  /** Empty: needed to keep count of any claim. */
  readonly neededBy: readonly Need[]
}

/** Who reads a field: a filter or weigher of a profile version, or a kind of resource that claims on the host hold. */
export interface Need {
  /** `name@number`; null: what the host holds already. */
  readonly profile: string | null
  /** The filter, the weigher, or the kind of resource. */
  readonly part: string
}

/**
 * The versions that reporters serve: those that decide calls or are tried, of the default profile and of every name that somebody wrote a
 * version of. Other profiles of the release decide too where a request names them, on hosts that report what they read.
 */
export function servedProfiles(profiles: Profiles): readonly Profile[] {
  return profiles.names().flatMap((name) => {
    const isWritten = (profiles.versionsOf(name).at(-1)?.number ?? 0) > 0
    if (name !== DEFAULT_PROFILE && !isWritten) return []
    const numbers = [profiles.activeNumber(name), profiles.courseOf(name)?.rollout?.number]
    return [...new Set(numbers)].flatMap((number) => (number === undefined ? [] : (profiles.find(`${name}@${number}`) ?? [])))
  })
}

/** What reporters are to tell so that these profiles can decide; of one host, beside it, what its claims hold. */
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
        // not a part of a report in our words: Nova's own documents bring it whole
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

/** What the parts of a version read, each field with each part. Versions never change. */
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
