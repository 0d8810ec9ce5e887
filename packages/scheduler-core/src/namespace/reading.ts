import { type Read, readsOf } from '../fleet/stats-fields.ts'
import { memoByObject } from '../memo.ts'
import { compileProfile } from '../pipeline/compile.ts'
import type { Plugins } from '../plugin/plugins.ts'
import type { Profile } from '../profiles/profile.ts'
import { isRegistered } from './names.ts'

/** That a part reads a namespace. */
interface Reading {
  readonly namespace: string
  /** Its option; undefined: as the namespace has it. */
  readonly maxAgeSeconds: number | undefined
}

/** The namespaces that the parts of a version read. Versions never change. */
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

/** The namespaces of what is read, each once, with the fields of each. */
export function fieldsIn(reads: readonly Read[]): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>()
  for (const read of reads) {
    const dot = read.indexOf('.')
    if (dot < 0) continue
    const namespace = read.slice(0, dot)
    fields.set(namespace, [...(fields.get(namespace) ?? []), read.slice(dot + 1)])
  }
  return fields
}

const namespacesIn = (reads: readonly Read[]): readonly string[] => [...fieldsIn(reads).keys()]

/** How old a document may be for a part with these options. */
export const maxAgeIn = ({ maxAgeSeconds }: Readonly<Record<string, unknown>>): Pick<Reading, 'maxAgeSeconds'> => ({
  maxAgeSeconds: typeof maxAgeSeconds === 'number' && maxAgeSeconds > 0 ? maxAgeSeconds : undefined,
})

/** Whether what a version decides depends on what time it is, whatever is requested: parts of it read what plug-ins let others report. */
export const readsByAge = (profile: Profile, plugins: Plugins): boolean =>
  plugins.namespaces.length > 0 && readingsOf(profile, plugins).some(({ namespace }) => !isRegistered(namespace))
