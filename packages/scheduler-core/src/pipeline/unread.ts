import type { Filter } from '../filters/filter.ts'
import type { Read } from '../fleet/stats-fields.ts'
import { memoByObject } from '../memo.ts'
import { isRegistered } from '../namespace/names.ts'
import { fieldsIn } from '../namespace/reading.ts'
import type { Plugins } from '../plugin/plugins.ts'
import type { Profile } from '../profiles/profile.ts'
import { optionalFields, type RequestReads, TRAITS_IN_OBJECTS } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Weigher } from '../weighers/weigher.ts'
import { compileProfile } from './compile.ts'

type OpenMap = Exclude<keyof RequestReads, 'fields'>

/** Amounts are claimed, whatever the profile is; which of Nova's calls it is, Nova's own rules ask. */
const always = ({ compat }: Profile): RequestReads => ({
  extraSpecs: (key) => key.startsWith('resources:'),
  schedulerHints: (key) => compat === 'nova' && key === '_nova_check_type',
})

/**
 * What Nova has read of a flavor, an image and the hints by the time that it asks for hosts: it stands in other fields of the request then,
 * as the cells of the guest, its devices, and its server group.
 */
const readBefore: Required<Omit<RequestReads, 'fields'>> = {
  extraSpecs: (key) => /^(?:hw|pci_passthrough|accel):/.test(key),
  schedulerHints: (key) => key === 'group',
  imageProperties: (key) => key.startsWith('hw_'),
}

/** Where the open maps are, as callers wrote them. */
const places: Readonly<Record<'typed' | 'RequestSpec' | 'legacy', Readonly<Record<OpenMap, string>>>> = {
  typed: { extraSpecs: 'flavor.extraSpecs', schedulerHints: 'schedulerHints', imageProperties: 'image.properties' },
  RequestSpec: {
    extraSpecs: 'spec.flavor.extra_specs',
    schedulerHints: 'spec.scheduler_hints',
    imageProperties: 'spec.image.properties',
  },
  legacy: {
    extraSpecs: 'request_spec.instance_type.extra_specs',
    schedulerHints: 'filter_properties.scheduler_hints',
    imageProperties: 'request_spec.image.properties',
  },
}

/**
 * Paths of extra specs, hints, image properties and optional fields of a request that no part of a profile looks at: they have no effect.
 * `isTold`: whether any host has a document of a namespace, without which some parts look at nothing.
 */
export function unreadKeys(
  request: RequestSpec,
  profile: Profile,
  plugins: Plugins,
  isTold: (namespace: string) => boolean = () => true,
): readonly string[] {
  const { flavor, gang, image, schedulerHints, nova } = request
  const known = readsOf(plugins)(profile)
  if (known === undefined) return []
  const things = [...Object.keys(schedulerHints), ...optionalFields.filter((field) => request[field].length > 0)]
  const parts = known.flatMap(({ reads, needs }) => (things.length === 0 || needs.every(isTold) ? reads : []))
  const readers: readonly RequestReads[] = nova === null ? parts : [readBefore, ...parts]
  const isOfObjects = (map: OpenMap, key: string) => map === 'imageProperties' && key === TRAITS_IN_OBJECTS && nova?.form !== 'RequestSpec'
  const place = places[nova === null ? 'typed' : nova.form === 'RequestSpec' ? 'RequestSpec' : 'legacy']
  const unread = (map: OpenMap, at: string, given: Readonly<Record<string, unknown>>): string[] =>
    Object.entries(given)
      .filter(([key, value]) => isOfObjects(map, key) || !readers.some((reads) => reads[map]?.(key, value)))
      .map(([key]) => `${at}.${key}`)
  return [
    ...unread('extraSpecs', place.extraSpecs, flavor.extraSpecs),
    ...gang.flatMap((member, i) => unread('extraSpecs', `gang.${i}.${places.typed.extraSpecs}`, member.flavor.extraSpecs)),
    ...unread('imageProperties', place.imageProperties, image?.properties ?? {}),
    ...unread('schedulerHints', place.schedulerHints, schedulerHints),
    ...optionalFields.filter(
      (field) => request.nearVolumesAndPorts && request[field].length > 0 && !readers.some((reads) => reads.fields?.includes(field)),
    ),
  ]
}

/** What a part looks at, as soon as the namespaces that it needs are told of. */
interface PartReads {
  readonly reads: RequestReads
  readonly needs: readonly string[]
}

/** What the parts of a version look at; undefined: a part of a plug-in sees the request whole, and does not say what it reads. */
const readsOf = memoByObject((plugins: Plugins) =>
  memoByObject((profile: Profile): readonly PartReads[] | undefined => {
    const compiled = compileProfile(profile, plugins)
    const weighs = profile.scheduler === 'chance' ? [] : compiled.weighers
    const parts = [
      ...compiled.filters.map(({ filter, options }) => ({
        part: filter,
        needs: options.onlyWhereTold === true ? namespacesOf(filter) : [],
      })),
      // without a document every host has the same number
      ...weighs.filter(({ multiplier }) => multiplier !== 0).map(({ weigher }) => ({ part: weigher, needs: namespacesOf(weigher) })),
    ]
    const isForeign = ({ part: { name, outside } }: (typeof parts)[number]): boolean =>
      outside !== undefined || plugins.ownerOf(name) !== undefined
    if (parts.some(isForeign) || compiled.asks.length > 0 || compiled.scheduler !== undefined) return undefined
    return [
      { reads: always(profile), needs: [] },
      ...parts.flatMap(({ part: { readsRequest }, needs }) => (readsRequest === undefined ? [] : [{ reads: readsRequest, needs }])),
    ]
  }),
)

/** The namespaces of the release that a part reads. */
const namespacesOf = ({ reads }: Pick<Filter | Weigher, 'reads'>): readonly string[] =>
  Array.isArray(reads) ? [...fieldsIn(reads as readonly Read[]).keys()].filter(isRegistered) : []
