import type { z } from 'zod'
import type { FleetAllocation } from '../../records/allocation-settings.ts'
import { type PlacementRules, type profileSchema, USUAL_NOVA_ATTEMPTS, usualPlacement } from '../../records/profile.ts'
import { checkOptions } from '../../request/parse.ts'
import { quote } from '../../text/problem.ts'
import { novaFilters } from '../filters/index.ts'
import { PACKING } from '../filters/numa-topology.ts'
import { chooseWeigher, type NovaConfig, optionsOf } from '../parts/options.ts'
import { readSettings } from '../parts/weight-settings.ts'
import { novaWeighers } from '../weighers/index.ts'
import { allocationOf, allocationOptions, overruledRatios } from './allocation-options.ts'
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

/** The parts of a profile that come from a file. */
export type ImportedProfile = Required<Pick<ProfileInput, 'filters' | 'weighers' | 'hostSubsetSize' | 'compat'>> & {
  readonly nova: NonNullable<ProfileInput['nova']>
}

export interface ImportedConf {
  /** The release whose options and defaults were used to read the file, and whether it was guessed from the file. */
  readonly release: number
  readonly isGuessed: boolean
  readonly profile: ImportedProfile
  /** The allocation values from the file and its release. They apply to all hosts that report no values of their own. */
  readonly allocation: Pick<FleetAllocation, 'release' | 'classes'>
  /** The findings in the order of lines. */
  readonly findings: readonly Finding[]
  /** True if no finding is of the kind `lost`: the profile has every filter and weigher of the file. */
  readonly isWhole: boolean
  /** Settings that do not concern the choice of hosts. */
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

/** Converts one file. */
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
      this.#say('note', DRIVER, `is ${quote(driver)}: the filter scheduler with older data; here data is as it is`)
    else this.#say('lost', DRIVER, `is ${quote(driver)}; only the filter scheduler can be mapped`)
  }

  /** The filters that the file or its release enables, and the option that enables them. */
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
      if (custom !== undefined) return this.#lose(key, name, `is ${custom}, a class of somebody's own; a profile can only name Nova's`)
      if (filter === undefined) return this.#lose(key, name, `is no filter of Nova's${likely(name, novaFilters)}`)
      this.#checkRelease(key, name)
      if (
        !available.some(
          (path) => [`${NOVA_FILTERS}.all_filters`, `${NOVA_FILTERS}.standard_filters`].includes(path) || lastOf(path) === name,
        )
      )
        this.#note('note', key, name, 'is not among available_filters; Nova does not start so')
      const options = optionsOf(filter, this.#config)
      for (const option of Object.keys(filter.options.shape)) this.#markUsed(option)
      return [{ name, options: this.#accepted(key, name, options, () => checkOptions(filter.options, options)) }]
    })
  }

  /** The settings for the checks of Placement that differ from Nova's defaults. The options were introduced in different releases. */
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
      this.#note('note', key, ZONE_FILTER, 'is not enabled, and Placement is not asked: zones of requests count for nothing, as in Nova')
    if (!isOn(TENANTS) && isOn(TENANTS_NEED))
      this.#say('idle', TENANTS_NEED, 'counts only where limit_tenants_to_placement_aggregate is on')
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
      if (path.includes('.'))
        return this.#lose(WEIGHT_CLASSES, name, `is ${path}, a class of somebody's own; a profile can only name Nova's`)
      const weigher = novaWeighers.find((one) => one.name === name)
      if (weigher === undefined) return this.#lose(WEIGHT_CLASSES, name, `is no weigher of Nova's${likely(name, novaWeighers)}`)
      this.#checkRelease(WEIGHT_CLASSES, name)
      const { options, multiplier } = chooseWeigher(weigher, this.#config)
      for (const option of [weigher.multiplier.option, ...Object.keys(weigher.options.shape)]) this.#markUsed(option)
      return [{ name, multiplier, options: this.#accepted(WEIGHT_CLASSES, name, options, () => checkOptions(weigher.options, options)) }]
    })
  }

  /** The options, if they pass the filter's or weigher's own check; none if they do not. */
  #accepted(key: string, name: string, options: Readonly<Record<string, unknown>>, check: () => unknown) {
    try {
      check()
      // Values have the types of oslo.config: numbers, booleans, texts and lists of texts.
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
      this.#note('note', key, name, `is of ${lifespanText(lifespan)}; Nova ${releaseName(this.#release)} does not start with it`)
  }

  /** Checks the settings that are options of filters and weighers, and reports settings that no filter or weigher reads. */
  #checkSettings(): void {
    for (const key of ['metrics.weight_setting', 'filter_scheduler.image_props_weight_setting'])
      for (const entry of this.#names(key, false) ?? [])
        if (readSettings([entry]).length === 0) this.#say('refused', key, `${quote(entry)} is no NAME=NUMBER; it is left out, as Nova does`)
    for (const [key, by] of overruledRatios(this.#options))
      this.#say('idle', key, `is a first ratio for hosts without one, and ${by} says it for all of them`)
    const countOnHosts = new Set([...ofHosts].map((key) => this.#options.get(key)?.setting))
    for (const [key, { setting }] of this.#options)
      if (!this.#used.has(key) && !idleKeys.has(key) && !ofHosts.has(key)) {
        const own = { line: setting.line, subject: subjectOf(setting) }
        const message = 'is read by no filter or weigher of the profile'
        // In older releases, a ratio of the scheduler and a ratio of hosts have the same name.
        if (countOnHosts.has(setting)) this.findings.push({ ...own, kind: 'note', message: `${message}; it counts in what hosts may give` })
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

/**
 * The scheduler's default ratios in a release. Until hosts reported ratios, the scheduler had options for them. 0 means the host's ratio.
 */
const ratiosOf = (release: number): NovaConfig => ({
  ...(release <= 11 && { cpu_allocation_ratio: 16, ram_allocation_ratio: 1.5 }),
  disk_allocation_ratio: release <= 12 ? 1 : 0,
})

/** Options that take effect on hosts and not in the profile. */
const ofHosts: ReadonlySet<string> = new Set(allocationOptions.map(({ key }) => key))

/** Options whose effect is already reported in another finding. */
const idleKeys: ReadonlySet<string> = new Set(
  knownOptions.filter(({ idle, lost }) => idle !== undefined || lost !== undefined).map(({ key }) => key),
)

const lastOf = (path: string): string => path.split('.').at(-1) ?? path

/** Shortens the path of a weigher of Nova to its class name. */
const shortened = (path: string): string => (path.startsWith(`${NOVA_WEIGHERS}.`) ? lastOf(path) : path)

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]

function likely(name: string, parts: readonly { readonly name: string }[]): string {
  const found = parts.find((part) => part.name.toLowerCase() === name.toLowerCase().trim())
  if (found !== undefined) return `; there is ${found.name}`
  return /\s/.test(name) ? '; names are separated by commas' : ''
}
