import { z } from 'zod'
import type { Multipliers, Weigher, WeigherOptions } from '../contracts/weigher.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { MetadataRead } from '../hosts/metadata-reads.ts'
import { checkOptions } from '../request/parse.ts'
import type { HostIndex } from '../values/host-index.ts'
import { memoByObject } from '../values/memo.ts'
import { type Aggregated, type FromAggregates, leastFloat } from './aggregate-metadata.ts'

/** The largest multiplier that a profile can have. Larger values in the metadata of aggregates are ignored. */
const MOST = 1e9

export const aggregateOption = {
  /**
   * Whether the metadata of an aggregate can set the multiplier for its hosts, as in Nova. The metadata key is the name of Nova's option.
   */
  aggregateMultiplier: z.boolean().default(false),
}

const justThat = z.strictObject(aggregateOption)

/** The metadata that a weigher with this option declares to read. */
export const readsMultiplier = (key: string): readonly MetadataRead[] => [{ key, option: 'aggregateMultiplier' }]

/** The properties of a weigher whose only option lets aggregates set its multiplier under this metadata key. */
export const multipliedBy = (key: string): Required<Pick<Weigher, 'checkOptions' | 'multipliers' | 'readsMetadata'>> => ({
  readsMetadata: readsMultiplier(key),
  checkOptions: (options) => void checkOptions(justThat, options),
  multipliers: (fleet, options, multiplier) => multipliersOf(fleet, key, multiplier, isOn(options)),
})

/**
 * The multiplier of the profile and, if aggregates can set multipliers, the hosts' own multipliers. Negated for weighers that are
 * subtracted.
 */
export function multipliersOf(fleet: Fleet, key: string, multiplier: number, isOn: boolean, isNegated = false): Multipliers {
  const signed = (value: number) => (isNegated ? 0 - value : value)
  const usual = signed(multiplier)
  if (!isOn || !isSaid(fleet, key)) return { usual }
  const said = (host: HostIndex) => multiplierFor({ aggregates: fleet.aggregates.of(fleet.hosts.get(host).host) }, key, multiplier)
  return { usual, own: { of: (host) => signed(said(host).value), source: (host) => said(host).source } }
}

/** The lowest multiplier that a host's aggregates have under the key, if it is valid for a profile. Otherwise the profile's multiplier. */
export function multiplierFor(host: Aggregated, key: string, multiplier: number): FromAggregates {
  const least = leastFloat(host, key, multiplier)
  return Math.abs(least.value) <= MOST ? least : { value: multiplier, source: undefined }
}

const isOn = memoByObject((options: WeigherOptions): boolean => checkOptions(justThat, options).aggregateMultiplier)

function isSaid({ aggregates }: Fleet, key: string): boolean {
  for (const { metadata } of aggregates.byUuid.values()) if (Object.hasOwn(metadata, key)) return true
  return false
}
