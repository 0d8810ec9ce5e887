import type { z } from 'zod'
import { USUAL_NOVA_ATTEMPTS } from '../../records/profile.ts'
import type { NovaRules } from '../compat/rounds.ts'
import { novaFilters } from '../filters/index.ts'
import { PACKING } from '../filters/numa-topology.ts'
import { novaWeighers } from '../weighers/index.ts'
import type { NovaFilter } from './nova-filter.ts'
import type { NovaWeigher } from './nova-weigher.ts'
import type { ChosenWeigher } from './weigh.ts'

/** Nova's configuration: `group.option`, or `option` for those of the default group, with values of the option's type. */
export type NovaConfig = Readonly<Record<string, unknown>>

/** The options of a filter or weigher that the configuration sets. */
export function optionsOf({ options }: { readonly options: z.ZodObject }, config: NovaConfig): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.keys(options.shape).flatMap((name) => {
      const value = settingOf(config, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Throws RangeError for a filter that Nova does not have, or that is not implemented here. */
export function findNovaFilter(name: string): NovaFilter {
  return find(novaFilters, name, 'filter')
}

/** By the registered name, or the class with its module: `nova.scheduler.weights.ram.RAMWeigher`. Throws RangeError for an unknown one. */
export function findNovaWeigher(name: string): NovaWeigher {
  return find(novaWeighers, name.split('.').at(-1) ?? name, 'weigher')
}

/** A weigher with its options and its multiplier as the configuration sets them. Throws RangeError for a multiplier out of its range. */
export function chooseWeigher(weigher: NovaWeigher, config: NovaConfig): ChosenWeigher {
  const { option, byDefault, isPositive } = weigher.multiplier
  const multiplier = settingOf(config, option) ?? byDefault
  if (typeof multiplier !== 'number' || !Number.isFinite(multiplier) || (isPositive && multiplier < 0))
    throw new RangeError(`${option} is ${String(multiplier)}; it must be a number${isPositive ? ' of 0 or more' : ''}`)
  return { weigher, options: optionsOf(weigher, config), multiplier }
}

/** The filters and weighers that Nova enables without configuration. */
const ENABLED = [
  'ComputeFilter',
  'ComputeCapabilitiesFilter',
  'ImagePropertiesFilter',
  'ServerGroupAntiAffinityFilter',
  'ServerGroupAffinityFilter',
]

/** Filters, weighers and their options of a configuration. Throws RangeError for unknown or invalid ones. */
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

/** An option of filter_scheduler by its bare name; those of other groups carry theirs, those of the default group have none. */
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
