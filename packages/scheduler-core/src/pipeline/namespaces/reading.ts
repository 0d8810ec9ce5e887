import type { Plugins } from '../../contracts/plugins.ts'
import { isOwnNamespace } from '../../records/namespace-names.ts'
import type { Profile } from '../../records/profile.ts'
import { type Read, readsOf } from '../../report/stats-fields.ts'
import { memoByObject } from '../../values/memo.ts'
import { compileProfile } from '../compile.ts'

/** A namespace that a filter or weigher reads. */
interface Reading {
  readonly namespace: string
  /** The maximum age that an option of the filter or weigher sets. Undefined if the maximum age of the namespace applies. */
  readonly maxAgeSeconds: number | undefined
}

/** The namespaces that the filters and weighers of a profile version read. Versions never change, so this is computed once. */
export const readingsOf = (profile: Profile, plugins: Plugins): readonly Reading[] => known(plugins)(profile)

const known = memoByObject((plugins: Plugins) =>
  memoByObject((profile: Profile): readonly Reading[] => {
    const { filters, shadows, weighers } = compileProfile(profile, plugins)
    return [
      ...[...filters, ...shadows].map(({ filter, options }) => ({ part: filter, options })),
      ...weighers.map(({ weigher, options }) => ({ part: weigher, options })),
    ].flatMap(({ part, options }) => namespacesIn(readsOf(part.reads, options)).map((namespace) => ({ namespace, ...maxAgeIn(options) })))
  }),
)

/** The namespaces among the fields that a filter or weigher reads, each with its fields. */
export const fieldsIn = memoByObject((reads: readonly Read[]): ReadonlyMap<string, readonly string[]> => {
  const fields = new Map<string, string[]>()
  for (const read of reads) {
    const dot = read.indexOf('.')
    if (dot < 0) continue
    const namespace = read.slice(0, dot)
    fields.set(namespace, [...(fields.get(namespace) ?? []), read.slice(dot + 1)])
  }
  return fields
})

const namespacesIn = (reads: readonly Read[]): readonly string[] => [...fieldsIn(reads).keys()]

/** Reads the maximum age of documents from the options of a filter or weigher. */
export const maxAgeIn = ({ maxAgeSeconds }: Readonly<Record<string, unknown>>): Pick<Reading, 'maxAgeSeconds'> => ({
  maxAgeSeconds: typeof maxAgeSeconds === 'number' && maxAgeSeconds > 0 ? maxAgeSeconds : undefined,
})

/**
 * Returns true if the filters or weighers of a profile version read documents in namespaces of plug-ins. Every decision by this version
 * then depends on the time, because documents become too old.
 */
export const readsByAge = (profile: Profile, plugins: Plugins): boolean =>
  plugins.namespaces.length > 0 && readingsOf(profile, plugins).some(({ namespace }) => !isOwnNamespace(namespace))
