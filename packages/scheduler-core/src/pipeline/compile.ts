import { builtIn, type PlacingRules } from '../contracts/built-in.ts'
import { candidatesFilter } from '../contracts/candidates.ts'
import type { CompiledFilter, CompiledProfile, OutsideAsk, PluginScheduler } from '../contracts/compiled-profile.ts'
import type { Filter, FilterOptions } from '../contracts/filter.ts'
import { noPlugins, type Plugins } from '../contracts/plugins.ts'
import type { Weigher } from '../contracts/weigher.ts'
import { computeFilter } from '../filters/compute.ts'
import { fitFilters, nameableFilters } from '../filters/index.ts'
import { kinds } from '../kinds/index.ts'
import { knownAnswer } from '../outside/answered.ts'
import { answeredFilter, answeredWeigher, weighedFilter } from '../outside/answered-parts.ts'
import type { OutsideAnswer } from '../records/answer.ts'
import type { KindName } from '../records/grants.ts'
import type { PluginRef } from '../records/plugin-ref.ts'
import { isOwnScheduler, ownSchedulers, type Profile, profileSchema } from '../records/profile.ts'
import { checkOptions, parseWith } from '../request/parse.ts'
import { type Parsed, type Problem, quote } from '../text/problem.ts'
import { byCodeUnit, canonicalJson } from '../values/canonical-json.ts'
import { memoByObject } from '../values/memo.ts'
import { nameableWeighers } from '../weighers/index.ts'
import { failedScheduler } from './failed-scheduler.ts'
import { claimFilterName } from './filtering/claim-filter-name.ts'

/** Parses a profile. Returns all problems at once if a filter, weigher or scheduler does not exist or refuses its options. */
export function parseProfile(input: unknown, plugins: Plugins = noPlugins): Parsed<Profile> {
  const parsed = parseWith(profileSchema, input, 'profile')
  if (!parsed.ok) return parsed
  const problems: Problem[] = []
  compileWith(parsed.value, plugins, (path, found, error) =>
    problems.push({
      code: 'profile.invalid',
      path,
      message: `${path.join('.')}: ${error.message}`,
      expected: error.message.split('; it must ').at(-1) ?? error.message,
      actual: quote(found),
    }),
  )
  return problems.length === 0 ? parsed : { ok: false, problems }
}

/**
 * Compiles a profile from the log. If a plug-in is not loaded here or has another version, this service can lack filters, weighers or the
 * scheduler of the profile. `lacks` has an error message for each of them. Throws RangeError for profiles that `parseProfile` never
 * accepts.
 */
export function compileProfile(profile: Profile, plugins: Plugins = noPlugins): CompiledProfile {
  const lacks: string[] = []
  const compiled = compileWith(profile, plugins, ([list], _found, error) => {
    if (list !== 'filters' && list !== 'weighers' && list !== 'scheduler') throw error
    lacks.push(error.message)
  })
  return { ...compiled, lacks }
}

/** The filters and weighers that a profile can name. Filters and weighers of plug-ins are last. */
export function nameableParts(compat: Profile['compat'], plugins: Plugins): Pick<Plugins, 'filters' | 'weighers'> {
  const { filters, weighers } = rulesOf(compat)
  const isTaken = ({ outside }: Filter | Weigher): boolean => compat !== 'nova' || outside === undefined
  return { filters: [...filters, ...plugins.filters.filter(isTaken)], weighers: [...weighers, ...plugins.weighers.filter(isTaken)] }
}

/**
 * The error messages for filters, weighers and the scheduler of a profile version that this service does not have. Computed once for each
 * version.
 */
export const lacksOf = (profile: Profile, plugins: Plugins): readonly string[] => knownLacks(plugins)(profile)

const knownLacks = memoByObject((plugins: Plugins) => memoByObject((profile: Profile) => compileProfile(profile, plugins).lacks))

type OnError = (path: readonly string[], found: unknown, error: RangeError) => void

function compileWith(profile: Profile, plugins: Plugins, onError: OnError): Omit<CompiledProfile, 'lacks'> {
  const attempt = <T>(path: string[], found: unknown, make: () => T): T | undefined => {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      onError(path, found, error)
      return undefined
    }
  }
  const parts = rulesOf(profile.compat)
  const named = profile.filters.map(({ name, options: given, shadow = false }, i) => {
    const known = attempt(['filters', String(i), 'name'], name, () => find([...parts.filters, ...plugins.filters], name, 'filter'))
    const raw = parts.filterOptions(profile, name, given)
    const options = known && attempt(['filters', String(i), 'options'], raw, () => optionsOf(known, raw))
    const filter = known === undefined || options === undefined ? absentFilter(name) : known
    const ask = outsideAsk(profile, 'filter', filter, given, options ?? {}, 1)
    if (ask !== undefined && profile.compat === 'nova')
      attempt(['filters', String(i), 'name'], name, () => refuseOutside(name, 'be left out with compat: nova'))
    if (shadow)
      attempt(['filters', String(i), 'shadow'], shadow, () => {
        if (ask !== undefined) refuseOutside(name, 'not be in shadow mode')
        if (fitFilters.includes(filter))
          throw new RangeError(`${name} checks a rule that every claim must satisfy; it must not be in shadow mode`)
      })
    return { filter, options: options ?? {}, isNet: false, isOutside: false, verifiedAt: verifiedAt(filter, profile), shadow, ask }
  })
  const listed = named.filter(({ shadow, ask }) => !shadow && ask === undefined)
  const shadows = named.filter(({ shadow }) => shadow)
  const asked = named.flatMap(({ shadow, ask }) => (shadow || ask === undefined ? [] : [ask]))
  const missing = fitFilters
    .filter((filter) => !listed.some((entry) => entry.filter === filter))
    .map((filter) => ({ filter: asNet(filter, profile), options: {}, isNet: true, isOutside: false, verifiedAt: 'NONE' as const }))
  const weighers = profile.weighers.map(({ name, multiplier, options: given }, i) => {
    const known = attempt(['weighers', String(i), 'name'], name, () => find([...parts.weighers, ...plugins.weighers], name, 'weigher'))
    const raw = known !== undefined && plugins.ownerOf(name) !== undefined ? given : { ...parts.weigherOptions, ...given }
    const options = known && attempt(['weighers', String(i), 'options'], given, () => optionsOf(known, raw))
    const weigher = known === undefined || options === undefined ? absentWeigher(name) : known
    const ask = outsideAsk(profile, 'weigher', weigher, given, options ?? {}, multiplier)
    if (ask !== undefined && profile.compat === 'nova')
      attempt(['weighers', String(i), 'name'], name, () => refuseOutside(name, 'be left out with compat: nova'))
    // the scheduler `chance` does not use weighers, so its profiles do not call weighers outside of this process
    if (ask !== undefined && profile.scheduler !== 'chance') asked.push(ask)
    if (ask !== undefined)
      return {
        weigher: answeredWeigher(profile, { unit: 'none', ...ask.part }, ask.optionsKey),
        options: ask.options,
        multiplier,
        cacheName: '',
      }
    return { weigher, options: options ?? {}, multiplier, cacheName: `${name}\u0000${JSON.stringify(options)}` }
  })
  const assign = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => {
      const { rule, options = {} } = profile.assignment[name as KindName] ?? {}
      return [name, attempt(['assignment', name], rule, () => kind.createAssign(rule === undefined ? undefined : { rule, options }))]
    }),
  )
  // `assign` has an entry for every resource kind. If an entry is undefined, `onError` was called with the problem.
  return {
    profile,
    candidates: parts.candidates,
    weighsFrom: parts.weighsFrom,
    filters: [
      ...parts.filtersBefore(profile),
      ...listed,
      ...missing,
      ...asked.map((ask) => toFilter(profile, ask)),
      ...failedScheduler(profile),
    ],
    shadows,
    weighers,
    scheduler: attempt(['scheduler'], profile.scheduler, () => findScheduler(profile.scheduler, plugins)),
    assign: assign as unknown as CompiledProfile['assign'],
    plugins: ownersOf(profile, plugins),
    asks: asked,
  }
}

/**
 * Describes the call to a filter or weigher that runs outside of this process. Undefined for a filter or weigher that runs in this process.
 * If the filter or weigher is not loaded, a recorded answer in the profile shows that it ran outside when an earlier decision was made.
 */
function outsideAsk(
  profile: Profile,
  kind: OutsideAnswer['kind'],
  part: Filter | Weigher,
  given: FilterOptions,
  options: FilterOptions,
  multiplier: number,
): OutsideAsk | undefined {
  const optionsKey = Object.keys(given).length === 0 ? undefined : canonicalJson(given)
  if (part.outside !== undefined) return { part, kind, by: part.outside.by, options, optionsKey, multiplier }
  const known = isAbsent(part) ? knownAnswer(profile, part.name, optionsKey) : undefined
  if (known?.kind !== kind) return undefined
  const { by, unit } = known
  return { part: unit === undefined ? part : { ...part, unit }, kind, by, options, optionsKey, multiplier }
}

function refuseOutside(name: string, rule: string): never {
  throw new RangeError(`${name} runs outside of this process; it must ${rule}`)
}

const toFilter = (profile: Profile, { part, kind, options, optionsKey }: OutsideAsk): CompiledFilter => ({
  filter: (kind === 'filter' ? answeredFilter : weighedFilter)(profile, part, optionsKey),
  options,
  isNet: false,
  isOutside: true,
  verifiedAt: 'ALL',
})

/**
 * The plug-ins whose filters, weighers or scheduler the profile uses. Filters and weighers outside of this process are left out, because
 * their recorded answers name the plug-in.
 */
function ownersOf({ filters, weighers, scheduler }: Profile, plugins: Plugins): readonly PluginRef[] {
  const outside = new Set([...plugins.filters, ...plugins.weighers].filter((part) => part.outside !== undefined).map(({ name }) => name))
  const names = [...[...filters, ...weighers].map(({ name }) => name).filter((name) => !outside.has(name)), scheduler]
  const owners = new Map(names.flatMap((name) => plugins.ownerOf(name) ?? []).map((owner) => [owner.name, owner]))
  return [...owners.values()].sort((a, b) => byCodeUnit(a.name, b.name))
}

/** Parses the options of a filter or weigher. Throws RangeError for invalid options. */
function optionsOf(part: Filter | Weigher, given: FilterOptions): FilterOptions {
  const options = part.parameters === undefined ? given : checkOptions(part.parameters, given)
  if (part.checkOptions !== undefined) part.checkOptions(options)
  else if (part.parameters === undefined) takesNoOptions(part.name, options)
  return options
}

const ABSENT = 'Not loaded by this service.'

/** True for the stand-in of a filter or weigher that this service does not have. Which fields it reads is not known. */
export const isAbsent = ({ description }: Pick<Filter, 'description'>): boolean => description === ABSENT

/** Stands in for a filter that this service does not have. It refuses every host with the verdict ERROR. */
const absentFilter = (name: string): Filter => ({
  name,
  description: ABSENT,
  reads: [],
  readsHostOnly: true,
  prepare() {
    throw new Error('no loaded plug-in has this filter, or it refuses the options')
  },
})

const absentWeigher = (name: string): Weigher => ({
  name,
  description: ABSENT,
  unit: 'none',
  reads: [],
  readsHostOnly: true,
  prepare: () => () => Number.NaN,
})

/**
 * The lowest level of `forceVerify` at which a filter runs on forced hosts. Filters that check a rule of every claim always run.
 * ComputeFilter runs with HARD and ALL. All other filters run only with ALL. With `compat: nova`, `forceVerify` has no effect on the filters
 * of the profile: as in Nova, they run on forced hosts only for a rebuild.
 */
function verifiedAt(filter: Filter, { compat }: Profile): CompiledFilter['verifiedAt'] {
  if (fitFilters.includes(filter) || compat === 'nova') return 'NONE'
  return filter === computeFilter ? 'HARD' : 'ALL'
}

/** The placement rules for profiles without `compat: nova`. */
const ownRules = (): PlacingRules => ({
  candidates: candidatesFilter,
  filters: nameableFilters(),
  weighers: nameableWeighers(),
  weigherOptions: {},
  weighsFrom: 1,
  reads: {},
  filterOptions: (_profile, _name, given) => given,
  filtersBefore: () => [],
})

/** The placement rules of a profile: Nova's with `compat: nova`, otherwise the release's own. */
export const rulesOf = (compat: Profile['compat']): PlacingRules => (compat === 'nova' ? builtIn().rules : ownRules())

/**
 * Some of Nova's filters have the same names as the filters that check claims. In profiles with `compat: nova`, the filters that check
 * claims get a suffix.
 */
const asNet = (filter: Filter, { compat }: Profile): Filter => (compat === 'nova' ? netOfNova(filter) : filter)

/** Each filter is renamed once, so that all profiles share the cached verdicts of the renamed filter. */
const netOfNova = memoByObject((filter: Filter): Filter => ({ ...filter, name: claimFilterName(filter.name) }))

function takesNoOptions(name: string, options: Readonly<Record<string, unknown>>): void {
  const [first] = Object.keys(options)
  if (first !== undefined) throw new RangeError(`${name} takes no options; ${quote(first)} must be left out`)
}

function findScheduler(name: string, { schedulers }: Plugins): PluginScheduler | undefined {
  if (isOwnScheduler(name)) return undefined
  return find([...ownSchedulers.map((own) => ({ name: own })), ...schedulers] as readonly PluginScheduler[], name, 'scheduler')
}

function find<Part extends { readonly name: string }>(parts: readonly Part[], name: string, noun: string): Part {
  const part = parts.find((candidate) => candidate.name === name)
  if (part === undefined)
    throw new RangeError(`there is no ${noun} ${quote(name)}; it must be one of ${parts.map((known) => known.name).join(', ')}`)
  return part
}
