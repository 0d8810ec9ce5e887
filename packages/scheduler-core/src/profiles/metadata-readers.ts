import { fleetKeys, isExact, type MetadataRead, metadataReadsOf, metadataReadsWith, similarKeys } from '../fleet/metadata-reads.ts'
import { memoByObject } from '../memo.ts'
import { compileProfile, nameableParts } from '../pipeline/compile.ts'
import { createTopologySpreadFilter } from '../pipeline/topology-spread.ts'
import type { Plugins } from '../plugin/plugins.ts'
import { type Profile, profileRef } from './profile.ts'

/** A filter or weigher that looks at metadata of aggregates, as it says, and the profile versions that have it. */
export interface MetadataReader extends MetadataRead {
  readonly kind: 'FILTER' | 'WEIGHER'
  readonly part: string
  /** `name@number`, in the order of the profiles. */
  readonly profiles: readonly string[]
}

/** Who of these profiles looks at metadata of aggregates: those that name a key before those that a request names keys to. */
export function metadataReaders(profiles: readonly Profile[], plugins: Plugins): readonly MetadataReader[] {
  const found = new Map<string, MetadataReader & { profiles: string[] }>()
  for (const profile of profiles)
    for (const reader of readersIn(plugins)(profile)) {
      const name = JSON.stringify(reader)
      const known = found.get(name)
      if (known === undefined) found.set(name, { ...reader, profiles: [profileRef(profile)] })
      else known.profiles.push(profileRef(profile))
    }
  return [...found.values()].sort((a, b) => Number(isExact(b)) - Number(isExact(a)))
}

type Reader = Omit<MetadataReader, 'profiles'>

/** What the parts of a version look at, each once. Versions never change. */
const readersIn = memoByObject((plugins: Plugins) => memoByObject((profile: Profile) => readersOf(profile, plugins)))

function readersOf(profile: Profile, plugins: Plugins): readonly Reader[] {
  const { filters, shadows, weighers } = compileProfile(profile, plugins)
  const readers = [
    ...[...filters, ...shadows, { filter: createTopologySpreadFilter(() => true), options: {} }].flatMap(({ filter, options }) =>
      metadataReadsWith(filter.readsMetadata, options).map((read) => ({ ...read, kind: 'FILTER' as const, part: filter.name })),
    ),
    ...weighers.flatMap(({ weigher, options }) =>
      metadataReadsWith(weigher.readsMetadata, options).map((read) => ({ ...read, kind: 'WEIGHER' as const, part: weigher.name })),
    ),
  ]
  return [...new Map(readers.map((reader) => [JSON.stringify(reader), reader])).values()]
}

/** Filters and weighers that name the key, whether a profile has them or not. */
export const partsNaming = (key: string, plugins: Plugins): readonly string[] => partsByKey(plugins).get(key) ?? []

/** Keys that something of this service may read under, which one that nobody reads may have been meant to be. */
export const nearMisses = (key: string, plugins: Plugins): readonly string[] =>
  similarKeys(key, [...fleetKeys, ...partsByKey(plugins).keys()])

const partsByKey = memoByObject((plugins: Plugins): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>()
  for (const compat of [undefined, 'nova' as const]) {
    const { filters, weighers } = nameableParts(compat, plugins)
    for (const { name, readsMetadata } of [...filters, ...weighers])
      for (const { key } of metadataReadsOf(readsMetadata).filter(isExact))
        if (!found.get(key)?.includes(name)) found.set(key, [...(found.get(key) ?? []), name])
  }
  return found
})
