import { z } from 'zod'
import type { Multipliers, Weigher, WeigherOptions } from '../contracts/weigher.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { MetadataRead } from '../hosts/metadata-reads.ts'
import { checkOptions } from '../request/parse.ts'
import type { HostIndex } from '../values/host-index.ts'
import { memoByObject } from '../values/memo.ts'
import { type Aggregated, type FromAggregates, minFloat } from './aggregate-metadata.ts'

/** The largest multiplier that a profile can have. Larger values in the metadata of aggregates are ignored. */
const MAX_MULTIPLIER = 1e9

export const aggregateOption = {
  /**
   * If true, the metadata of an aggregate can set the multiplier for the aggregate's hosts, as in Nova. The metadata key is the name of
   * Nova's option, such as `cpu_weight_multiplier`.
   */
  aggregateMultiplier: z.boolean().default(false),
}

const justThat = z.strictObject(aggregateOption)

/** Declares that a weigher reads its multiplier from the metadata key `key` if the option `aggregateMultiplier` is true. */
export const readsMultiplier = (key: string): readonly MetadataRead[] => [{ key, option: 'aggregateMultiplier' }]

/**
 * For a weigher whose only option is `aggregateMultiplier`: the members by which aggregates can set its multiplier under the metadata key
 * `key`.
 */
export const multipliedBy = (key: string): Required<Pick<Weigher, 'checkOptions' | 'multipliers' | 'readsMetadata'>> => ({
  readsMetadata: readsMultiplier(key),
  checkOptions: (options) => void checkOptions(justThat, options),
  multipliers: (fleet, options, multiplier) => multipliersOf(fleet, key, multiplier, isOn(options)),
})

/**
 * A weigher's multiplier: `multiplier` from the profile and, if `isOn` is true, the multipliers that aggregates set for their hosts under
 * the metadata key `key`. `isNegated` changes the sign of all multipliers, for weighers whose scores are subtracted from the total.
 */
export function multipliersOf(fleet: Fleet, key: string, multiplier: number, isOn: boolean, isNegated = false): Multipliers {
  const signed = (value: number) => (isNegated ? 0 - value : value)
  const usual = signed(multiplier)
  if (!isOn || !isSetInAggregates(fleet, key)) return { usual }
  const multiplierOf = (host: HostIndex) => multiplierFor({ aggregates: fleet.aggregates.of(fleet.hosts.get(host).host) }, key, multiplier)
  return { usual, own: { of: (host) => signed(multiplierOf(host).value), source: (host) => multiplierOf(host).source } }
}

/**
 * The lowest multiplier in the host's aggregates for the metadata key. Returns the profile's `multiplier` if no aggregate has the key, if a
 * value is no number, or if the absolute value of the lowest multiplier is above MAX_MULTIPLIER.
 */
export function multiplierFor(host: Aggregated, key: string, multiplier: number): FromAggregates {
  const least = minFloat(host, key, multiplier)
  return Math.abs(least.value) <= MAX_MULTIPLIER ? least : { value: multiplier, source: undefined }
}

const isOn = memoByObject((options: WeigherOptions): boolean => checkOptions(justThat, options).aggregateMultiplier)

/** True if the metadata of at least one aggregate of the fleet has the key. */
export function isSetInAggregates({ aggregates }: Pick<Fleet, 'aggregates'>, key: string): boolean {
  for (const { metadata } of aggregates.byUuid.values()) if (Object.hasOwn(metadata, key)) return true
  return false
}
