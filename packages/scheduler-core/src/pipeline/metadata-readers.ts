import type { Plugins } from '../contracts/plugins.ts'
import { findSimilarIn, fleetKeys, isExact, type MetadataRead, metadataReadsOf, metadataReadsWith } from '../hosts/metadata-reads.ts'
import { type Profile, profileRef } from '../records/profile.ts'
import { memoByObject } from '../values/memo.ts'
import { compileProfile, nameableParts } from './compile.ts'
import { createTopologySpreadFilter } from './filtering/topology-spread.ts'

/** A filter or weigher that declares to read metadata of aggregates, and the profile versions that contain it. */
export interface MetadataReader extends MetadataRead {
  readonly kind: 'FILTER' | 'WEIGHER'
  readonly part: string
  /** The profile versions as `name@number`, in the order of the given profiles. */
  readonly profiles: readonly string[]
}

/**
 * The filters and weighers of these profiles that read metadata of aggregates. Filters and weighers that read fixed keys are listed before
 * those that read keys from requests.
 */
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

/** The metadata that each filter and weigher of a profile version reads. Computed once, because versions never change. */
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

/** The filters and weighers that read this metadata key, including those that no profile contains. */
export const partsNaming = (key: string, plugins: Plugins): readonly string[] => partsByKey(plugins).get(key) ?? []

/** The known keys that are similar to a metadata key that no filter or weigher reads. The key is perhaps a misspelling of one of them. */
export const nearMisses = (key: string, plugins: Plugins): readonly string[] => findNearMisses(plugins)(key)

const findNearMisses = memoByObject((plugins: Plugins) => findSimilarIn([...fleetKeys, ...partsByKey(plugins).keys()]))

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
