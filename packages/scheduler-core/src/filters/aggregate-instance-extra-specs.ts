import type { Filter } from '../contracts/filter.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { aggregatesOf } from '../hosts/sources.ts'
import { bareAndOf, bareOrOf } from '../request/request-reads.ts'
import { fromExtraSpec } from '../text/evidence.ts'
import { shortList } from '../text/short-list.ts'
import { byCodeUnit, canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { extraSpecMatches } from './extra-spec-match.ts'

const SCOPE = 'aggregate_instance_extra_specs:'

/**
 * Every extra spec without a scope, or with the scope `aggregate_instance_extra_specs`, must match the metadata of one of the host's
 * aggregates. A metadata value can be a list with commas. One matching item is enough (Nova's AggregateInstanceExtraSpecsFilter).
 */
export const aggregateInstanceExtraSpecsFilter: Filter = {
  name: 'AggregateInstanceExtraSpecsFilter',
  description: "The metadata of the host's aggregates match the flavor's extra specs.",
  admits: {
    by: 'property',
    which: ({ flavor }) =>
      `in aggregates with ${shortList(bareAndOf('aggregate_instance_extra_specs', flavor.extraSpecs).map((pair) => pair.join(' = ')))}`,
  },
  reads: [],
  readsMetadata: [{ key: '*', by: 'extra specs of flavors' }],
  readsRequest: { extraSpecs: bareOrOf('aggregate_instance_extra_specs') },
  readsHostOnly: true,
  cacheKey: ({ flavor }) => canonicalJson(flavor.extraSpecs),
  prepare({ flavor }, fleet) {
    const wanted = Object.entries(flavor.extraSpecs).flatMap(([key, requirement]) => {
      const asked = { spec: key, requirement, met: new Map<string, boolean>() }
      if (key.startsWith(SCOPE)) return [{ key: key.slice(SCOPE.length), ...asked }]
      return key.includes(':') ? [] : [{ key, ...asked }]
    })
    if (wanted.length === 0) return undefined

    /** Returns true if an aggregate satisfies an extra spec. Cached for each aggregate, because an aggregate can have many hosts. */
    const isMetBy = (uuid: string, { key, requirement, met }: (typeof wanted)[number]): boolean => {
      const known = met.get(uuid)
      if (known !== undefined) return known
      const isMet = valuesOf(fleet, uuid, key).some((value) => extraSpecMatches(value, requirement))
      met.set(uuid, isMet)
      return isMet
    }
    // Uses plain loops, because this function runs for every host and closures would create megabytes of garbage.
    const isUnmet = (host: HostIndex, one: (typeof wanted)[number]): boolean => {
      for (const uuid of fleet.hosts.get(host).aggregates) if (isMetBy(uuid, one)) return false
      return true
    }
    const unmet = (host: HostIndex) => {
      for (const one of wanted) if (isUnmet(host, one)) return one
      return undefined
    }
    return {
      each: () =>
        [...wanted]
          .sort((a, b) => byCodeUnit(a.key, b.key))
          .map((one) => ({
            which: `in aggregates with ${one.key} = ${one.requirement}`,
            passes: (host: HostIndex) => !isUnmet(host, one),
          })),
      passes: (host) => unmet(host) === undefined,
      reason(host) {
        const { key, requirement } = unmet(host) ?? { key: '', requirement: '' }
        const have = metadataOf(fleet, host, key).join(', ')
        return {
          code: 'aggregate.extra_spec',
          subject: key,
          need: requirement,
          have: have === '' ? 'nothing' : have,
          source: `extra spec ${key}`,
        }
      },
      facts: (host) =>
        wanted
          .filter((one) => isUnmet(host, one))
          .map(({ key, spec, requirement }) => ({
            subject: key,
            required: requirement,
            actual: metadataOf(fleet, host, key).join(', ') || 'nothing',
            requiredFrom: fromExtraSpec(spec),
            actualFrom: aggregatesOf(fleet.aggregates.of(fleet.hosts.get(host).host), key),
          })),
    }
  },
}

/** The values of a metadata key in all aggregates of a host. */
const metadataOf = (fleet: Fleet, host: HostIndex, key: string): readonly string[] =>
  fleet.hosts.get(host).aggregates.flatMap((uuid) => valuesOf(fleet, uuid, key))

/** The values of an aggregate's metadata key, split at commas. */
function valuesOf({ aggregates }: Fleet, uuid: string, key: string): readonly string[] {
  const metadata = aggregates.byUuid.get(uuid)?.metadata ?? {}
  // Keys come from callers. The key `constructor` must not match an inherited member.
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  return value === undefined ? [] : value.split(',').map((piece) => piece.trim())
}
