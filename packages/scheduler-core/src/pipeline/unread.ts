import { memoByObject } from '../memo.ts'
import type { Plugins } from '../plugin/plugins.ts'
import type { Profile } from '../profiles/profile.ts'
import { type RequestReads, TRAITS_IN_OBJECTS } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { compileProfile } from './compile.ts'

type OpenMap = keyof RequestReads

/** Amounts are claimed, whatever the profile is; which of Nova's calls it is, Nova's own rules ask. */
const always = ({ compat }: Profile): RequestReads => ({
  extraSpecs: (key) => key.startsWith('resources:'),
  schedulerHints: (key) => compat === 'nova' && key === '_nova_check_type',
})

/**
 * What Nova has read of a flavor, an image and the hints by the time that it asks for hosts: it stands in other fields of the request then,
 * as the cells of the guest, its devices, and its server group.
 */
const readBefore: Required<RequestReads> = {
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

/** Paths of extra specs, hints and image properties of a request that no part of a profile looks at: they have no effect. */
export function unreadKeys(request: RequestSpec, profile: Profile, plugins: Plugins): readonly string[] {
  const { flavor, gang, image, schedulerHints, nova } = request
  const parts = readsOf(plugins)(profile)
  if (parts === undefined) return []
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
  ]
}

/** What the parts of a version look at; undefined: a part of a plug-in sees the request whole, and does not say what it reads. */
const readsOf = memoByObject((plugins: Plugins) =>
  memoByObject((profile: Profile): readonly RequestReads[] | undefined => {
    const compiled = compileProfile(profile, plugins)
    const weighs = profile.scheduler === 'chance' ? [] : compiled.weighers
    const parts = [
      ...compiled.filters.map(({ filter }) => filter),
      ...weighs.filter(({ multiplier }) => multiplier !== 0).map(({ weigher }) => weigher),
    ]
    const isForeign = ({ name, outside }: (typeof parts)[number]): boolean => outside !== undefined || plugins.ownerOf(name) !== undefined
    if (parts.some(isForeign) || compiled.asks.length > 0 || compiled.scheduler !== undefined) return undefined
    return [always(profile), ...parts.flatMap(({ readsRequest }) => readsRequest ?? [])]
  }),
)
