import { byCodeUnit, canonicalJson } from '../canonical-json.ts'
import { computeFilter } from '../filters/compute.ts'
import type { Filter, FilterOptions } from '../filters/filter.ts'
import { fitFilters, filters as registeredFilters } from '../filters/index.ts'
import { PLACEMENT_RULES } from '../fleet/levels.ts'
import type { KindName } from '../kinds/grants.ts'
import { kinds } from '../kinds/index.ts'
import { memoByObject } from '../memo.ts'
import { compatFilters, compatWeighers, filterOptions } from '../nova/compat.ts'
import { novaCandidatesFilter } from '../nova/compat-candidates.ts'
import { placementFilters, placementOptions } from '../nova/placement-filters.ts'
import type { OutsideAnswer } from '../outside/answer.ts'
import { knownAnswer } from '../outside/answered.ts'
import { answeredFilter, answeredWeigher, weighedFilter } from '../outside/answered-parts.ts'
import type { PluginRef } from '../plugin/plugin-ref.ts'
import { noPlugins, type Plugins } from '../plugin/plugins.ts'
import { type Parsed, type Problem, quote } from '../problem.ts'
import { isOwnScheduler, ownSchedulers, type Profile, profileSchema } from '../profiles/profile.ts'
import { checkOptions, parseWith } from '../request/parse.ts'
import { weighers as registeredWeighers } from '../weighers/index.ts'
import type { Weigher } from '../weighers/weigher.ts'
import { candidatesFilter } from './candidates.ts'
import type { CompiledFilter, CompiledProfile, OutsideAsk, PluginScheduler } from './compiled-profile.ts'
import { failedScheduler } from './failed-scheduler.ts'
import { netName } from './net-name.ts'

/** Unknown input to a profile whose every part exists and takes its options, or every problem at once. */
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
 * A profile as the log has it. It may name filters and weighers that this service does not have, or that refuse their options: those of a
 * plug-in that is not loaded here, or of another version of it. They are told in `lacks`. Throws RangeError for what parsing never lets through.
 */
export function compileProfile(profile: Profile, plugins: Plugins = noPlugins): CompiledProfile {
  const lacks: string[] = []
  const compiled = compileWith(profile, plugins, ([list], _found, error) => {
    if (list !== 'filters' && list !== 'weighers' && list !== 'scheduler') throw error
    lacks.push(error.message)
  })
  return { ...compiled, lacks }
}

/** The filters and weighers that a profile may name, those of plug-ins last. */
export function nameableParts(compat: Profile['compat'], plugins: Plugins): Pick<Plugins, 'filters' | 'weighers'> {
  const { filters, weighers } = compat === 'nova' ? novaParts : ownParts
  const isTaken = ({ outside }: Filter | Weigher): boolean => compat !== 'nova' || outside === undefined
  return { filters: [...filters, ...plugins.filters.filter(isTaken)], weighers: [...weighers, ...plugins.weighers.filter(isTaken)] }
}

/** What a service lacks to decide by a version of a profile; worked out once. */
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
  const parts = profile.compat === 'nova' ? novaParts : ownParts
  const named = profile.filters.map(({ name, options: given, shadow = false }, i) => {
    const known = attempt(['filters', String(i), 'name'], name, () => find([...parts.filters, ...plugins.filters], name, 'filter'))
    const raw = profile.compat === 'nova' ? filterOptions(profile, name, given) : given
    const options = known && attempt(['filters', String(i), 'options'], raw, () => optionsOf(known, raw))
    const filter = known === undefined || options === undefined ? absentFilter(name) : known
    const ask = outsideAsk(profile, 'filter', filter, given, options ?? {}, 1)
    if (ask !== undefined && profile.compat === 'nova')
      attempt(['filters', String(i), 'name'], name, () => refuseOutside(name, 'be left out with compat: nova'))
    if (shadow)
      attempt(['filters', String(i), 'shadow'], shadow, () => {
        if (ask !== undefined) refuseOutside(name, 'not be in shadow mode')
        if (fitFilters.includes(filter)) throw new RangeError(`${name} is what every claim has to keep; it must not be in shadow mode`)
      })
    return { filter, options: options ?? {}, isNet: false, isOutside: false, verifiedAt: verifiedAt(filter), shadow, ask }
  })
  const listed = named.filter(({ shadow, ask }) => !shadow && ask === undefined)
  const shadows = named.filter(({ shadow }) => shadow)
  const asked = named.flatMap(({ shadow, ask }) => (shadow || ask === undefined ? [] : [ask]))
  const missing = fitFilters
    .filter((filter) => !listed.some((entry) => entry.filter === filter))
    .map((filter) => ({ filter: parts.asNet(filter), options: {}, isNet: true, isOutside: false, verifiedAt: 'NONE' as const }))
  const weighers = profile.weighers.map(({ name, multiplier, options: given }, i) => {
    const known = attempt(['weighers', String(i), 'name'], name, () => find([...parts.weighers, ...plugins.weighers], name, 'weigher'))
    const raw = known !== undefined && plugins.ownerOf(name) !== undefined ? given : { ...parts.weigherOptions, ...given }
    const options = known && attempt(['weighers', String(i), 'options'], given, () => optionsOf(known, raw))
    const weigher = known === undefined || options === undefined ? absentWeigher(name) : known
    const ask = outsideAsk(profile, 'weigher', weigher, given, options ?? {}, multiplier)
    if (ask !== undefined && profile.compat === 'nova')
      attempt(['weighers', String(i), 'name'], name, () => refuseOutside(name, 'be left out with compat: nova'))
    // chance weighs nothing, so nobody need answer
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
  // every kind has its entry: the keys are those of `kinds`, and a missing one was reported by onError
  return {
    profile,
    candidates: parts.candidates,
    weighsFrom: parts.weighsFrom,
    filters: [...beforehand(profile), ...listed, ...missing, ...asked.map((ask) => toFilter(profile, ask)), ...failedScheduler(profile)],
    shadows,
    weighers,
    scheduler: attempt(['scheduler'], profile.scheduler, () => findScheduler(profile.scheduler, plugins)),
    assign: assign as unknown as CompiledProfile['assign'],
    plugins: ownersOf(profile, plugins),
    asks: asked,
  }
}

/** What Placement decides with `compat: nova`; as far as forced hosts are verified at all, it is asked about them too. */
const beforehand = (profile: Profile): readonly CompiledFilter[] =>
  profile.compat !== 'nova'
    ? []
    : placementFilters.map((filter) => ({
        filter,
        options: placementOptions(profile),
        isNet: false,
        isOutside: false,
        verifiedAt: 'HARD',
        sinceLevel: PLACEMENT_RULES,
      }))

/** What is asked outside of a part; undefined: nothing. One that is not loaded any more may have answered about an earlier decision. */
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
  throw new RangeError(`${name} is asked outside of this process; it must ${rule}`)
}

const toFilter = (profile: Profile, { part, kind, options, optionsKey }: OutsideAsk): CompiledFilter => ({
  filter: (kind === 'filter' ? answeredFilter : weighedFilter)(profile, part, optionsKey),
  options,
  isNet: false,
  isOutside: true,
  verifiedAt: 'ALL',
})

/** What is asked outside says itself who answered. */
function ownersOf({ filters, weighers, scheduler }: Profile, plugins: Plugins): readonly PluginRef[] {
  const outside = new Set([...plugins.filters, ...plugins.weighers].filter((part) => part.outside !== undefined).map(({ name }) => name))
  const names = [...[...filters, ...weighers].map(({ name }) => name).filter((name) => !outside.has(name)), scheduler]
  const owners = new Map(names.flatMap((name) => plugins.ownerOf(name) ?? []).map((owner) => [owner.name, owner]))
  return [...owners.values()].sort((a, b) => byCodeUnit(a.name, b.name))
}

/** The options as a part takes them. Throws RangeError for those that it does not take. */
function optionsOf(part: Filter | Weigher, given: FilterOptions): FilterOptions {
  const options = part.parameters === undefined ? given : checkOptions(part.parameters, given)
  if (part.checkOptions !== undefined) part.checkOptions(options)
  else if (part.parameters === undefined) takesNoOptions(part.name, options)
  return options
}

const ABSENT = 'Not loaded by this service.'

const isAbsent = ({ description }: Filter | Weigher): boolean => description === ABSENT

/** Refuses every host with the verdict ERROR: nobody is let through by a filter that was not asked. */
const absentFilter = (name: string): Filter => ({
  name,
  description: ABSENT,
  reads: [],
  readsHostOnly: true,
  prepare() {
    throw new Error('no loaded plug-in has it, or it refuses its options')
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

/** What cannot be otherwise is verified with HARD too, what the judge demands always. */
function verifiedAt(filter: Filter): CompiledFilter['verifiedAt'] {
  if (fitFilters.includes(filter)) return 'NONE'
  return filter === computeFilter ? 'HARD' : 'ALL'
}

const ownParts = {
  candidates: candidatesFilter,
  filters: registeredFilters,
  weighers: registeredWeighers,
  weigherOptions: {},
  weighsFrom: 1,
  asNet: (filter: Filter): Filter => filter,
}

/** Filters of Nova's stand beside nets of the same name: those say that they are the claim's. */
const novaParts: typeof ownParts = {
  candidates: novaCandidatesFilter,
  filters: compatFilters,
  weighers: compatWeighers,
  weigherOptions: { aggregateMultiplier: true },
  weighsFrom: 2,
  asNet: (filter) => ({ ...filter, name: netName(filter.name) }),
}

function takesNoOptions(name: string, options: Readonly<Record<string, unknown>>): void {
  const [first] = Object.keys(options)
  if (first !== undefined) throw new RangeError(`${name} takes no options; ${quote(first)} is none of its own`)
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
