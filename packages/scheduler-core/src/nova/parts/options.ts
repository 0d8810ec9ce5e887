import type { z } from 'zod'
import { USUAL_NOVA_ATTEMPTS } from '../../records/profile.ts'
import type { NovaRules } from '../compat/rounds.ts'
import { PACKING } from '../filters/hardware/numa-topology.ts'
import { novaFilters } from '../filters/index.ts'
import { novaWeighers } from '../weighers/index.ts'
import type { NovaFilter } from './nova-filter.ts'
import type { NovaWeigher } from './nova-weigher.ts'
import type { ChosenWeigher } from './weigh.ts'

/** Options of Nova's configuration. Keys are `group.option`, or `option` for the default group. Values have the types of the options. */
export type NovaConfig = Readonly<Record<string, unknown>>

/** Selects the options of a filter or weigher from the configuration. */
export function optionsOf({ options }: { readonly options: z.ZodObject }, config: NovaConfig): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.keys(options.shape).flatMap((name) => {
      const value = settingOf(config, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Finds a filter of Nova by its name. Throws RangeError if this service does not have it. */
export function findNovaFilter(name: string): NovaFilter {
  return find(novaFilters, name, 'filter')
}

/** Finds a weigher of Nova by its name or class path (`nova.scheduler.weights.ram.RAMWeigher`). Throws RangeError if it is unknown. */
export function findNovaWeigher(name: string): NovaWeigher {
  return find(novaWeighers, name.split('.').at(-1) ?? name, 'weigher')
}

/** A weigher with the options and the multiplier in the configuration. Throws RangeError if the multiplier is out of range. */
export function chooseWeigher(weigher: NovaWeigher, config: NovaConfig): ChosenWeigher {
  const { option, byDefault, isPositive } = weigher.multiplier
  const multiplier = settingOf(config, option) ?? byDefault
  if (typeof multiplier !== 'number' || !Number.isFinite(multiplier) || (isPositive && multiplier < 0))
    throw new RangeError(`${option} is ${String(multiplier)}; it must be a number${isPositive ? ' of 0 or more' : ''}`)
  return { weigher, options: optionsOf(weigher, config), multiplier }
}

/** The filters that Nova enables by default. */
const ENABLED = [
  'ComputeFilter',
  'ComputeCapabilitiesFilter',
  'ImagePropertiesFilter',
  'ServerGroupAntiAffinityFilter',
  'ServerGroupAffinityFilter',
]

/** Converts a configuration to the rules of Nova's algorithm. Throws RangeError for unknown filters and weighers and for invalid values. */
export function rulesOf(config: NovaConfig): NovaRules {
  const enabled = listOf(config, 'filter_scheduler.enabled_filters') ?? ENABLED
  const weighers = listOf(config, 'filter_scheduler.weight_classes') ?? novaWeighers.map(({ name }) => name)
  return {
    filters: enabled.map((name) => {
      const filter = findNovaFilter(name)
      return { filter, options: optionsOf(filter, config) }
    }),
    weighers: weighers.map((name) => chooseWeigher(findNovaWeigher(name), config)),
    maxAttempts: wholeOf(config, 'scheduler.max_attempts', USUAL_NOVA_ATTEMPTS),
    hostSubsetSize: wholeOf(config, 'filter_scheduler.host_subset_size', 1),
    packing: config[PACKING] === true,
    shuffleBest: config['filter_scheduler.shuffle_best_same_weighed_hosts'] === true,
  }
}

/** Finds an option by the name that filters and weighers use. For the group filter_scheduler, this name is without the group. */
const settingOf = (config: NovaConfig, name: string): unknown => config[`filter_scheduler.${name}`] ?? config[name]

function find<Part extends { readonly name: string }>(parts: readonly Part[], name: string, noun: string): Part {
  const part = parts.find((one) => one.name === name)
  if (part === undefined)
    throw new RangeError(`there is no ${noun} ${name} of Nova's; it must be one of ${parts.map((one) => one.name).join(', ')}`)
  return part
}

function listOf(config: NovaConfig, option: string): readonly string[] | undefined {
  const value = config[option]
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value
  throw new RangeError(`${option} is ${JSON.stringify(value)}; it must be a list of names`)
}

function wholeOf(config: NovaConfig, option: string, byDefault: number): number {
  const value = config[option] ?? byDefault
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  throw new RangeError(`${option} is ${JSON.stringify(value)}; it must be a whole number of 1 or more`)
}
