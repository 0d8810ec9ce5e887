import { z } from 'zod'
import type { Multipliers, Weigher, WeigherOptions } from '../contracts/weigher.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { MetadataRead } from '../hosts/metadata-reads.ts'
import { checkOptions } from '../request/parse.ts'
import type { HostIndex } from '../values/host-index.ts'
import { memoByObject } from '../values/memo.ts'
import { type Aggregated, type FromAggregates, leastFloat } from './aggregate-metadata.ts'

/** The multipliers that a profile may have; an aggregate's value outside of them is ignored. */
const MOST = 1e9

export const aggregateOption = {
  /** Nova's override: an aggregate's metadata may set another multiplier for its hosts, under the key of Nova's option. */
  aggregateMultiplier: z.boolean().default(false),
}

const justThat = z.strictObject(aggregateOption)

/** The metadata that such a weigher declares to read. */
export const readsMultiplier = (key: string): readonly MetadataRead[] => [{ key, option: 'aggregateMultiplier' }]

/** The parts of a weigher that has no other option: its multiplier under an aggregate's key, where the profile lets aggregates set it. */
export const multipliedBy = (key: string): Required<Pick<Weigher, 'checkOptions' | 'multipliers' | 'readsMetadata'>> => ({
  readsMetadata: readsMultiplier(key),
  checkOptions: (options) => void checkOptions(justThat, options),
  multipliers: (fleet, options, multiplier) => multipliersOf(fleet, key, multiplier, isOn(options)),
})

/** The multiplier of the profile, and where aggregates may set it those of `multiplierFor`; negated where the sum subtracts it. */
export function multipliersOf(fleet: Fleet, key: string, multiplier: number, isOn: boolean, isNegated = false): Multipliers {
  const signed = (value: number) => (isNegated ? 0 - value : value)
  const usual = signed(multiplier)
  if (!isOn || !isSaid(fleet, key)) return { usual }
  const said = (host: HostIndex) => multiplierFor({ aggregates: fleet.aggregates.of(fleet.hosts.get(host).host) }, key, multiplier)
  return { usual, own: { of: (host) => signed(said(host).value), source: (host) => said(host).source } }
}

/** The least multiplier that a host's aggregates give under the key, if it is a number that a profile could have; the profile's otherwise. */
export function multiplierFor(host: Aggregated, key: string, multiplier: number): FromAggregates {
  const least = leastFloat(host, key, multiplier)
  return Math.abs(least.value) <= MOST ? least : { value: multiplier, source: undefined }
}

const isOn = memoByObject((options: WeigherOptions): boolean => checkOptions(justThat, options).aggregateMultiplier)

function isSaid({ aggregates }: Fleet, key: string): boolean {
  for (const { metadata } of aggregates.byUuid.values()) if (Object.hasOwn(metadata, key)) return true
  return false
}
