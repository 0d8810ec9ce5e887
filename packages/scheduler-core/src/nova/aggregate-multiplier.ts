import { z } from 'zod'
import type { Fleet } from '../fleet/fleet.ts'
import type { MetadataRead } from '../fleet/metadata-reads.ts'
import type { HostIndex } from '../host-index.ts'
import { memoByObject } from '../memo.ts'
import { checkOptions } from '../request/parse.ts'
import type { Multipliers, Weigher, WeigherOptions } from '../weighers/weigher.ts'
import { type FromAggregates, leastFloat } from './aggregate-metadata.ts'
import type { HostState } from './host-state.ts'

/** What a profile may multiply with; an aggregate's word beyond it counts as none. */
const MOST = 1e9

export const aggregateOption = {
  /** Nova's override: an aggregate's metadata may say another multiplier for its hosts, under the key of Nova's option. */
  aggregateMultiplier: z.boolean().default(false),
}

const justThat = z.strictObject(aggregateOption)

/** What such a weigher says that it reads of metadata. */
export const readsMultiplier = (key: string): readonly MetadataRead[] => [{ key, option: 'aggregateMultiplier' }]

/** The parts of a weigher that takes no other option: its multiplier under an aggregate's key, where the profile lets aggregates say it. */
export const multipliedBy = (key: string): Required<Pick<Weigher, 'checkOptions' | 'multipliers' | 'readsMetadata'>> => ({
  readsMetadata: readsMultiplier(key),
  checkOptions: (options) => void checkOptions(justThat, options),
  multipliers: (fleet, options, multiplier) => multipliersOf(fleet, key, multiplier, isOn(options)),
})

/** The multiplier of the profile, and where aggregates are asked those of `multiplierFor`; the sum takes the negative of either if it is negated. */
export function multipliersOf(fleet: Fleet, key: string, multiplier: number, isOn: boolean, isNegated = false): Multipliers {
  const signed = (value: number) => (isNegated ? 0 - value : value)
  const usual = signed(multiplier)
  if (!isOn || !isSaid(fleet, key)) return { usual }
  const said = (host: HostIndex) => multiplierFor({ aggregates: fleet.aggregates.of(fleet.hosts.get(host).host) }, key, multiplier)
  return { usual, own: { of: (host) => signed(said(host).value), source: (host) => said(host).source } }
}

/** The least multiplier that a host's aggregates give under the key, if it is a number that a profile could have; the profile's otherwise. */
export function multiplierFor(host: Pick<HostState, 'aggregates'>, key: string, multiplier: number): FromAggregates {
  const least = leastFloat(host, key, multiplier)
  return Math.abs(least.value) <= MOST ? least : { value: multiplier, source: undefined }
}

const isOn = memoByObject((options: WeigherOptions): boolean => checkOptions(justThat, options).aggregateMultiplier)

function isSaid({ aggregates }: Fleet, key: string): boolean {
  for (const { metadata } of aggregates.byUuid.values()) if (Object.hasOwn(metadata, key)) return true
  return false
}
