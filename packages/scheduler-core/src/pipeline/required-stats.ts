import { type Plugins, pluginsOf } from '../contracts/plugins.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { COMPUTE, type HostRecord } from '../hosts/hosts.ts'
import { allKinds } from '../kinds/index.ts'
import { collectors, collectorsOf } from '../namespace/facts/collectors.ts'
import { DEFAULT_PROFILE, type Profiles } from '../profiles/profiles.ts'
import { isLive } from '../records/claim.ts'
import type { KindName } from '../records/grants.ts'
import { ownNamespaces } from '../records/namespace-names.ts'
import { type Profile, profileRef } from '../records/profile.ts'
import { type Read, readsOf, type StatsField, statsFields } from '../report/stats-fields.ts'
import { type OmittableField, omittableFields } from '../report/versions/v1-2.ts'
import { memoByObject } from '../values/memo.ts'
import { compileProfile, isAbsent } from './compile.ts'

/**
 * The name that stands for any field of a namespace. It is listed if a profile version has a filter or weigher of a plug-in that this
 * service did not load, because it is not known which fields that filter or weigher reads.
 */
export const ANY_FIELD = '*'

/** The fields of one namespace that reporters must send. */
export interface RequiredNamespace {
  readonly namespace: string
  /** The required fields in the order of the report form, including fields that are always required. */
  readonly fields: readonly RequiredField[]
  /** The fields that a report can leave out if it names them in `omitted`. */
  readonly omittable: readonly OmittableField[]
}

export interface RequiredField {
  readonly field: string
  /** Empty if every report must have the field. */
  readonly neededBy: readonly Need[]
}

/**
 * Why a field is needed: a filter or weigher of a profile version reads the field, or claims on the host use resources of a kind that needs
 * the field.
 */
export interface Need {
  /** The profile version as `name@number`. Null if the field is needed for claims that already exist on the host. */
  readonly profile: string | null
  /** The filter, the weigher, or the kind of resource. */
  readonly part: string
}

/**
 * The profile versions for which reporters must send fields. For the default profile and every profile in the log, these are the active
 * version and the version in a rollout. A request can also name other profiles of the release. Under such a profile, hosts that do not
 * report the fields that its filters read are refused.
 */
export function servedProfiles(profiles: Profiles): readonly Profile[] {
  return profiles.names().flatMap((name) => {
    const isWritten = (profiles.versionsOf(name).at(-1)?.number ?? 0) > 0
    if (name !== DEFAULT_PROFILE && !isWritten) return []
    const numbers = [profiles.activeNumber(name), profiles.courseOf(name)?.rollout?.number]
    return [...new Set(numbers)].flatMap((number) => (number === undefined ? [] : (profiles.find(`${name}@${number}`) ?? [])))
  })
}

/**
 * The fields that reporters must send so that these profiles can decide. While hosts share a resource, such as a disk pool, the fields that
 * describe it are included, because claims on these hosts need it under every profile. With `host`, the fields that the host's claims need
 * are included.
 * If a profile version has filters or weighers of plug-ins that this service did not load, nothing can be left out: every field is included,
 * and every namespace that this service knows of, which are also those that `host` has documents or collectors of. Otherwise a reporter
 * would stop sending what other services need. The same holds for plug-ins in `unlike`, of which another service has loaded another
 * version, whose filters and weighers can read other fields.
 */
export function requiredStats(
  fleet: Fleet,
  profiles: readonly Profile[],
  host?: HostRecord,
  unlike: ReadonlySet<string> = new Set(),
): readonly RequiredNamespace[] {
  const plugins = pluginsOf(fleet)
  const needs = new Map<Read, Need[]>(statsFields.map((field) => [field, []]))
  const add = (field: Read, need: Need): void => {
    const known = needs.get(field)
    if (known === undefined) needs.set(field, [need])
    else known.push(need)
  }
  const unknown = profiles.flatMap((profile) => {
    const { unknown: absent, ofPlugins } = needsOf(plugins)(profile)
    return [...absent, ...ofPlugins.flatMap(({ plugin, need }) => (unlike.has(plugin) ? [need] : []))]
  })
  for (const field of statsFields) for (const need of unknown) add(field, need)
  const shared = allKinds.filter(({ isShared, isThere }) => isShared === true && isThere?.(fleet.hosts) !== false)
  for (const profile of profiles) {
    for (const [field, need] of needsOf(plugins)(profile).known) add(field, need)
    for (const { filter } of shared) for (const field of filter.reads) add(field, { profile: profileRef(profile), part: filter.name })
  }
  for (const kind of host === undefined ? [] : heldKinds(host))
    for (const field of kind.filter.reads) add(field, { profile: null, part: kind.name })
  const isOmittable = (field: StatsField): field is OmittableField => omittable.has(field)
  return [
    {
      namespace: COMPUTE,
      fields: statsFields.flatMap((field) => {
        // `nova` is not a field of this service's report form. It is the whole document of a report in Nova's form.
        if (field === 'nova') return []
        const neededBy = needs.get(field) ?? []
        return isOmittable(field) && neededBy.length === 0 ? [] : [{ field, neededBy }]
      }),
      omittable: omittableFields.filter((field) => needs.get(field)?.length === 0),
    },
    ...namespacesKnown(plugins, unknown.length === 0 ? undefined : host).flatMap((namespace) => {
      const prefix = `${namespace}.`
      const known = [...needs].flatMap(([field, neededBy]) =>
        field.startsWith(prefix) ? [{ field: field.slice(prefix.length), neededBy }] : [],
      )
      // collectors do not produce the namespace with their own states
      const isAny = unknown.length > 0 && namespace !== collectors.name
      const fields = isAny ? [...known, { field: ANY_FIELD, neededBy: unknown }] : known
      return fields.length === 0 ? [] : [{ namespace, fields, omittable: [] }]
    }),
  ]
}

/** The names of the namespaces of the release and of loaded plug-ins, and those of which a host has documents or collectors. */
function namespacesKnown(plugins: Plugins, host: HostRecord | undefined): readonly string[] {
  const held = host === undefined ? [] : [...host.namespaces.keys()]
  const collected = host === undefined ? [] : (collectorsOf({ now: 0 }, host)?.collectors ?? []).map(({ namespace }) => namespace)
  return [...new Set([...ownNamespaces, ...plugins.namespaces.map(({ name }) => name), ...held, ...collected])]
}

const omittable: ReadonlySet<string> = new Set(omittableFields)

/** The filters of resources that hosts share. Whether their fields are needed depends on the fleet, and not only on the profile. */
const sharedFilters: ReadonlySet<string> = new Set(allKinds.flatMap(({ filter, isShared }) => (isShared === true ? [filter.name] : [])))

/** What a profile version reads in every fleet. */
interface ProfileNeeds {
  /** The fields, each with the filter or weigher that reads it. */
  readonly known: readonly (readonly [Read, Need])[]
  /** The filters and weighers of which this service does not know what they read, because it did not load their plug-in. */
  readonly unknown: readonly Need[]
  /** The filters and weighers of plug-ins that this service has loaded. */
  readonly ofPlugins: readonly { readonly plugin: string; readonly need: Need }[]
}

/** Computed once for each profile version, because versions never change. */
const needsOf = memoByObject((plugins: Plugins) => memoByObject((profile: Profile) => readsByPart(profile, plugins)))

function readsByPart(profile: Profile, plugins: Plugins): ProfileNeeds {
  const { filters, shadows, weighers } = compileProfile(profile, plugins)
  const asked = new Set<KindName>(profile.collects ?? allKinds.map(({ name }) => name))
  const nets = allKinds.filter(({ name, isShared }) => isShared !== true && asked.has(name)).map(({ filter }) => filter)
  const parts = [
    ...[...filters, ...shadows]
      .filter(({ filter, isNet }) => !isNet && !sharedFilters.has(filter.name))
      .map(({ filter, options }) => [filter, options] as const),
    ...weighers.map(({ weigher, options }) => [weigher, options] as const),
    ...nets.map((net) => [net, {}] as const),
  ]
  const ref = profileRef(profile)
  const known = new Map<string, readonly [Read, Need]>()
  const unknown = new Map<string, Need>()
  const ofPlugins = new Map<string, { readonly plugin: string; readonly need: Need }>()
  // a part that is listed twice with different options can read other fields each time
  for (const [part, options] of parts) {
    const need = { profile: ref, part: part.name }
    const owner = plugins.ownerOf(part.name)
    if (owner !== undefined) ofPlugins.set(part.name, { plugin: owner.name, need })
    if (isAbsent(part)) unknown.set(part.name, need)
    else for (const field of readsOf(part.reads, options)) known.set(`${part.name} ${field}`, [field, need])
  }
  return { known: [...known.values()], unknown: [...unknown.values()], ofPlugins: [...ofPlugins.values()] }
}

const heldKinds = ({ claims }: HostRecord) =>
  allKinds.filter(({ name }) => [...claims].some((claim) => isLive(claim) && claim.grants[name] !== undefined))
