import type { Filter, FilterOptions } from '../filters/filter.ts'
import { fitFilters, filters as registeredFilters } from '../filters/index.ts'
import { type KindName, kinds } from '../kinds/index.ts'
import type { Assign } from '../kinds/kind.ts'
import type { Parsed, Problem } from '../problem.ts'
import { quote } from '../problem.ts'
import { type Profile, profileSchema } from '../profiles/profile.ts'
import { parseWith } from '../request/parse.ts'
import { weighers as registeredWeighers } from '../weighers/index.ts'
import type { Weigher, WeigherOptions } from '../weighers/weigher.ts'

/** A profile with its parts looked up and its rules made: what the pipeline runs. */
export interface CompiledProfile {
  readonly profile: Profile
  readonly filters: readonly { readonly filter: Filter; readonly options: FilterOptions }[]
  readonly weighers: readonly CompiledWeigher[]
  readonly assign: Readonly<Record<KindName, Assign<unknown, unknown>>>
}

export interface CompiledWeigher {
  readonly weigher: Weigher
  readonly options: WeigherOptions
  readonly multiplier: number
  /** Tells this weigher with these options apart from others in a cache. */
  readonly cacheName: string
}

/** Unknown input to a profile whose every part exists and takes its options, or every problem at once. */
export function parseProfile(input: unknown): Parsed<Profile> {
  const parsed = parseWith(profileSchema, input, 'profile')
  if (!parsed.ok) return parsed
  const problems: Problem[] = []
  compileWith(parsed.value, (path, error) =>
    problems.push({
      code: 'profile.invalid',
      path,
      message: `${path.join('.')}: ${error.message}`,
      expected: error.message,
      actual: quote(path.at(-1)),
    }),
  )
  return problems.length === 0 ? parsed : { ok: false, problems }
}

/** Throws RangeError when a part is unknown or refuses its options: parsed profiles never do. */
export function compileProfile(profile: Profile): CompiledProfile {
  return compileWith(profile, (_path, error) => {
    throw error
  })
}

function compileWith(profile: Profile, onError: (path: string[], error: RangeError) => void): CompiledProfile {
  const attempt = <T>(path: string[], make: () => T): T | undefined => {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      onError(path, error)
      return undefined
    }
  }
  const listed = profile.filters.flatMap(({ name, options }, i) => {
    const filter = attempt(['filters', String(i), 'name'], () => find(registeredFilters, name, 'filter'))
    return filter === undefined ? [] : [{ filter, options }]
  })
  const missing = fitFilters.filter((filter) => !listed.some((entry) => entry.filter === filter)).map((filter) => ({ filter, options: {} }))
  const weighers = profile.weighers.flatMap(({ name, multiplier, options }, i) => {
    const weigher = attempt(['weighers', String(i), 'name'], () => find(registeredWeighers, name, 'weigher'))
    if (weigher === undefined) return []
    attempt(['weighers', String(i), 'options'], () => weigher.checkOptions?.(options))
    return [{ weigher, options, multiplier, cacheName: `${name}\u0000${JSON.stringify(options)}` }]
  })
  const assign = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => {
      const { rule, options = {} } = profile.assignment[name as KindName] ?? {}
      return [name, attempt(['assignment', name], () => kind.createAssign(rule === undefined ? undefined : { rule, options }))]
    }),
  )
  return { profile, filters: [...listed, ...missing], weighers, assign: assign as unknown as CompiledProfile['assign'] }
}

function find<Part extends { readonly name: string }>(parts: readonly Part[], name: string, noun: string): Part {
  const part = parts.find((candidate) => candidate.name === name)
  if (part === undefined)
    throw new RangeError(`there is no ${noun} ${quote(name)}; it must be one of ${parts.map((known) => known.name).join(', ')}`)
  return part
}
