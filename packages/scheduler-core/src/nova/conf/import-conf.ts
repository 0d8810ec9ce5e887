import type { z } from 'zod'
import type { FleetAllocation } from '../../records/allocation-settings.ts'
import { type PlacementRules, type profileSchema, USUAL_NOVA_ATTEMPTS, usualPlacement } from '../../records/profile.ts'
import { checkOptions } from '../../request/parse.ts'
import { quote } from '../../text/problem.ts'
import { groupAffinityFilter } from '../filters/affinity/server-group-affinity.ts'
import { groupAntiAffinityFilter } from '../filters/affinity/server-group-anti-affinity.ts'
import { PACKING } from '../filters/hardware/numa-topology.ts'
import { novaFilters } from '../filters/index.ts'
import { chooseWeigher, type NovaConfig, optionsOf } from '../parts/options.ts'
import { readSettings } from '../parts/weight-settings.ts'
import { novaWeighers } from '../weighers/index.ts'
import { allocationOf, allocationOptions, overruledRatios, partsOfUnits } from './allocation-options.ts'
import type { Finding } from './finding.ts'
import { guessRelease } from './guess-release.ts'
import { type Fault, readIni, type Setting } from './ini.ts'
import {
  AVAILABLE,
  BARE_METAL,
  DEFAULT_ZONE,
  DRIVER,
  ENABLED,
  IMAGE_TYPES,
  ISOLATION,
  knownOptions,
  MAX_ATTEMPTS_OPTION,
  SHUFFLE,
  SUBSET_SIZE,
  TENANTS,
  TENANTS_NEED,
  USE_BARE_METAL,
  WEIGHT_CLASSES,
  ZONES,
  ZONES_BY_PLACEMENT,
} from './known-options.ts'
import { type ReadOption, readOptions, subjectOf } from './read-options.ts'
import { bareMetalFilters, defaultFilters, isIn, lifespanOf, lifespanText, releaseName } from './releases.ts'

type ProfileInput = z.input<typeof profileSchema>

/** The fields of a profile that an import sets. */
export type ImportedProfile = Required<Pick<ProfileInput, 'filters' | 'weighers' | 'hostSubsetSize' | 'compat'>> & {
  readonly nova: NonNullable<ProfileInput['nova']>
}

export interface ImportedConf {
  /** The number of the Nova release whose options and defaults apply to the file. `isGuessed` is true if it was guessed from the file. */
  readonly release: number
  readonly isGuessed: boolean
  readonly profile: ImportedProfile
  /**
   * The ratios and reserved amounts in the file, which apply to all hosts that do not report their own. `release` is null if the caller did
   * not name the release.
   */
  readonly allocation: Pick<FleetAllocation, 'release' | 'classes'>
  /** The findings, sorted by line. */
  readonly findings: readonly Finding[]
  /** True if no finding is of the kind `lost`. */
  readonly isWhole: boolean
  /** Settings that have nothing to do with the choice of hosts, such as those of the database. */
  readonly elsewhere: readonly Setting[]
}

export type ImportOutcome = { readonly ok: true; readonly conf: ImportedConf } | { readonly ok: false; readonly faults: readonly Fault[] }

/** Converts the text of a nova.conf into a profile, and reports everything that it cannot map. */
export function importNovaConf(text: string, givenRelease?: number): ImportOutcome {
  const { settings, faults } = readIni(text)
  if (faults.length > 0) return { ok: false, faults }
  const release = givenRelease ?? guessRelease(settings)
  const { options, findings, elsewhere } = readOptions(settings, release)
  const importing = new Importing(release, options)
  const profile = importing.profile()
  const all = [...findings, ...importing.findings].sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
  const isWhole = all.every(({ kind }) => kind !== 'lost')
  const allocation = { release: givenRelease ?? null, classes: allocationOf(options) }
  return { ok: true, conf: { release, isGuessed: givenRelease === undefined, profile, allocation, findings: all, isWhole, elsewhere } }
}

const NOVA_FILTERS = 'nova.scheduler.filters'
const NOVA_WEIGHERS = 'nova.scheduler.weights'
const ZONE_FILTER = 'AvailabilityZoneFilter'
const FILTER_DRIVERS = ['filter_scheduler', 'nova.scheduler.filter_scheduler.FilterScheduler']
const CACHING_DRIVERS = ['caching_scheduler', 'nova.scheduler.caching_scheduler.CachingScheduler']

/** Converts the options of one file into a profile, and collects the findings. */
class Importing {
  readonly findings: Finding[] = []
  readonly #release: number
  readonly #options: ReadonlyMap<string, ReadOption>
  readonly #config: NovaConfig
  readonly #used = new Set<string>()

  constructor(release: number, options: ReadonlyMap<string, ReadOption>) {
    this.#release = release
    this.#options = options
    this.#config = { ...ratiosOf(release), ...Object.fromEntries([...options].map(([key, { value }]) => [key, value])) }
  }

  profile(): ImportedProfile {
    this.#checkDriver()
    const profile: ImportedProfile = {
      filters: this.#filters(),
      weighers: this.#weighers(),
      hostSubsetSize: Number(this.#take(SUBSET_SIZE) ?? 1),
      compat: 'nova',
      nova: {
        maxAttempts: Number(this.#take(MAX_ATTEMPTS_OPTION) ?? USUAL_NOVA_ATTEMPTS),
        packing: this.#take(PACKING) === true,
        shuffleBest: this.#take(SHUFFLE) === true,
        ...this.#placement(),
      },
    }
    this.#checkSettings()
    return profile
  }

  #checkDriver(): void {
    const driver = this.#take(DRIVER)
    if (driver === undefined || FILTER_DRIVERS.includes(String(driver))) return
    if (CACHING_DRIVERS.includes(String(driver)))
      this.#say('note', DRIVER, `is ${quote(driver)}: the filter scheduler with cached data; this service does not cache data`)
    else this.#say('lost', DRIVER, `is ${quote(driver)}; only the filter scheduler can be mapped`)
  }

  /** The filters that the file or, by default, the release enables (`names`), and the option that enables them (`key`). */
  #enabledFilters(): { readonly key: string; readonly other: string; readonly isBareMetal: boolean; readonly names: readonly string[] } {
    const isBareMetal = this.#take(USE_BARE_METAL) === true
    const [key, other] = isBareMetal ? ([BARE_METAL, ENABLED] as const) : ([ENABLED, BARE_METAL] as const)
    return { key, other, isBareMetal, names: this.#names(key) ?? (isBareMetal ? bareMetalFilters : defaultFilters(this.#release)) }
  }

  #filters(): ImportedProfile['filters'] {
    const { key, other, isBareMetal, names: enabled } = this.#enabledFilters()
    if (this.#options.has(other)) this.#say('idle', other, `is not read while use_baremetal_filters is ${isBareMetal ? 'on' : 'off'}`)
    this.#used.add(other)
    const available = this.#names(AVAILABLE) ?? [`${NOVA_FILTERS}.all_filters`]
    return unique(enabled).flatMap((name) => {
      const custom = available.find((path) => lastOf(path) === name && !path.startsWith(`${NOVA_FILTERS}.`))
      const filter = novaFilters.find((one) => one.name === name)
      if (custom !== undefined) return this.#lose(key, name, `is ${custom}, a custom class; a profile can only name Nova's classes`)
      if (filter === undefined) return this.#lose(key, name, `is no filter of Nova's${likely(name, novaFilters)}`)
      this.#checkRelease(key, name)
      if (legacyGroupFilters.has(name))
        this.#note('idle', key, name, 'checks only server groups with the policy legacy, and requests with this policy are refused here')
      if (
        !available.some(
          (path) => [`${NOVA_FILTERS}.all_filters`, `${NOVA_FILTERS}.standard_filters`].includes(path) || lastOf(path) === name,
        )
      )
        this.#note('note', key, name, 'is not among available_filters; Nova would not start')
      const options = optionsOf(filter, this.#config)
      for (const option of Object.keys(filter.options.shape)) this.#markUsed(option)
      return [{ name, options: this.#accepted(key, name, options, () => checkOptions(filter.options, options)) }]
    })
  }

  /** The settings that control the checks of Placement, without those that have Nova's defaults. */
  #placement(): { readonly placement?: Partial<PlacementRules> } {
    const isOn = (key: string): boolean => this.#take(key) === true
    const areZonesAsked = this.#take(ZONES) ?? this.#release >= ZONES_BY_PLACEMENT
    const asked: PlacementRules = {
      availabilityZone: areZonesAsked === true,
      defaultAvailabilityZone: areZonesAsked
        ? String(this.#take(DEFAULT_ZONE) || usualPlacement.defaultAvailabilityZone)
        : usualPlacement.defaultAvailabilityZone,
      limitTenants: isOn(TENANTS),
      tenantsNeedAggregate: isOn(TENANTS) && isOn(TENANTS_NEED),
      isolateAggregates: isOn(ISOLATION),
      imageType: isOn(IMAGE_TYPES),
    }
    const { key, names } = this.#enabledFilters()
    if (!asked.availabilityZone && !names.includes(ZONE_FILTER))
      this.#note(
        'note',
        key,
        ZONE_FILTER,
        'is not enabled, and Placement does not check zones: the zones of requests have no effect, as in Nova',
      )
    if (!isOn(TENANTS) && isOn(TENANTS_NEED))
      this.#say('idle', TENANTS_NEED, 'has an effect only if limit_tenants_to_placement_aggregate is on')
    const placement = Object.fromEntries(
      Object.entries(asked).filter(([name, value]) => value !== usualPlacement[name as keyof PlacementRules]),
    )
    return Object.keys(placement).length === 0 ? {} : { placement }
  }

  #weighers(): ImportedProfile['weighers'] {
    const given = this.#names(WEIGHT_CLASSES) ?? [`${NOVA_WEIGHERS}.all_weighers`]
    const all = novaWeighers.filter(({ name }) => isIn(this.#release, lifespanOf(name))).map(({ name }) => `${NOVA_WEIGHERS}.${name}`)
    const paths = unique(given.flatMap((path) => (path === `${NOVA_WEIGHERS}.all_weighers` ? all : path)).map(shortened))
    return paths.flatMap((path) => {
      const name = lastOf(path)
      if (path.includes('.')) return this.#lose(WEIGHT_CLASSES, name, `is ${path}, a custom class; a profile can only name Nova's classes`)
      const weigher = novaWeighers.find((one) => one.name === name)
      if (weigher === undefined) return this.#lose(WEIGHT_CLASSES, name, `is no weigher of Nova's${likely(name, novaWeighers)}`)
      this.#checkRelease(WEIGHT_CLASSES, name)
      const { options, multiplier } = chooseWeigher(weigher, this.#config)
      for (const option of [weigher.multiplier.option, ...Object.keys(weigher.options.shape)]) this.#markUsed(option)
      return [{ name, multiplier, options: this.#accepted(WEIGHT_CLASSES, name, options, () => checkOptions(weigher.options, options)) }]
    })
  }

  /** Returns the options if the filter or weigher accepts them. Otherwise reports them as refused, and returns no options. */
  #accepted(key: string, name: string, options: Readonly<Record<string, unknown>>, check: () => unknown) {
    try {
      check()
      // The cast is safe, because values from a file are numbers, booleans, strings or lists of strings.
      return options as NonNullable<ImportedProfile['filters'][number]['options']>
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      this.#note('refused', key, name, `${error.message}; its options are left at Nova's defaults`)
      return {}
    }
  }

  #checkRelease(key: string, name: string): void {
    const lifespan = lifespanOf(name)
    if (!isIn(this.#release, lifespan))
      this.#note('note', key, name, `exists in ${lifespanText(lifespan)}; Nova ${releaseName(this.#release)} would not start with it`)
  }

  /** Reports invalid entries of weight settings, initial ratios without effect, amounts that are rounded, and options that nothing in the profile reads. */
  #checkSettings(): void {
    for (const key of ['metrics.weight_setting', 'filter_scheduler.image_props_weight_setting'])
      for (const entry of this.#names(key, false) ?? [])
        if (readSettings([entry]).length === 0) this.#say('refused', key, `${quote(entry)} is no NAME=NUMBER; it is left out, as Nova does`)
    for (const [key, by] of overruledRatios(this.#options))
      this.#say('idle', key, `is the ratio for new hosts, and has no effect because ${by} is set`)
    for (const [key, rounded] of partsOfUnits(this.#options)) this.#say('note', key, rounded)
    const countOnHosts = new Set([...ofHosts].map((key) => this.#options.get(key)?.setting))
    for (const [key, { setting }] of this.#options)
      if (!this.#used.has(key) && !idleKeys.has(key) && !ofHosts.has(key)) {
        const own = { line: setting.line, subject: subjectOf(setting) }
        const message = 'is read by no filter or weigher of the profile'
        // In older releases, the scheduler and the hosts read a ratio from the same option.
        if (countOnHosts.has(setting))
          this.findings.push({ ...own, kind: 'note', message: `${message}; it applies to the capacity of hosts` })
        else this.findings.push({ ...own, kind: 'idle', message })
      }
  }

  #names(key: string, isUse = true): readonly string[] | undefined {
    const value = isUse ? this.#take(key) : this.#config[key]
    return Array.isArray(value) ? value.map(String) : undefined
  }

  #take(key: string): unknown {
    this.#used.add(key)
    return this.#config[key]
  }

  #markUsed(option: string): void {
    for (const key of [option, `filter_scheduler.${option}`]) this.#used.add(key)
  }

  #lose(key: string, name: string, message: string): [] {
    this.#note('lost', key, name.replace(/\s+/g, ' '), message)
    return []
  }

  #say(kind: Finding['kind'], key: string, message: string): void {
    const setting = this.#options.get(key)?.setting
    this.findings.push({ kind, line: setting?.line ?? null, subject: setting === undefined ? key : subjectOf(setting), message })
  }

  #note(kind: Finding['kind'], key: string, subject: string, message: string): void {
    this.findings.push({ kind, line: this.#options.get(key)?.setting.line ?? null, subject, message })
  }
}

/** The default ratios of the scheduler's filters in a release. 0 means that each host's own ratio applies. */
const ratiosOf = (release: number): NovaConfig => ({
  ...(release <= 11 && { cpu_allocation_ratio: 16, ram_allocation_ratio: 1.5 }),
  disk_allocation_ratio: release <= 12 ? 1 : 0,
})

/** Filters of Juno for server groups that only a scheduler hint creates. Nova gave such groups the policy legacy. */
const legacyGroupFilters: ReadonlySet<string> = new Set([groupAffinityFilter.name, groupAntiAffinityFilter.name])

/** Keys of options that set the capacity of hosts. They are not part of the profile. */
const ofHosts: ReadonlySet<string> = new Set(allocationOptions.map(({ key }) => key))

/** Keys of options for which readOptions() reports a finding. */
const idleKeys: ReadonlySet<string> = new Set(
  knownOptions.filter(({ idle, lost }) => idle !== undefined || lost !== undefined).map(({ key }) => key),
)

const lastOf = (path: string): string => path.split('.').at(-1) ?? path

/** Shortens the path of a weigher class to the class name, if the class is Nova's. */
const shortened = (path: string): string => (path.startsWith(`${NOVA_WEIGHERS}.`) ? lastOf(path) : path)

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]

function likely(name: string, parts: readonly { readonly name: string }[]): string {
  const found = parts.find((part) => part.name.toLowerCase() === name.toLowerCase().trim())
  if (found !== undefined) return `; there is ${found.name}`
  return /\s/.test(name) ? '; names are separated by commas' : ''
}
