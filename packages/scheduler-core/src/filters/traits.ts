import type { Filter } from '../contracts/filter.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { reportOf } from '../hosts/sources.ts'
import { keysFrom } from '../request/request-reads.ts'
import { demandOf } from '../request/request-spec.ts'
import { traitFrom } from '../request/sources.ts'
import type { Source } from '../text/evidence.ts'
import type { PreparedFilter } from '../text/prepared-filter.ts'
import { shortList } from '../text/short-list.ts'
import { byCodeUnit, canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'

/** Passes hosts with every required trait and no forbidden trait. */
export const traitsFilter: Filter = {
  name: 'TraitsFilter',
  description: 'The host has every required trait and no forbidden trait.',
  admits: {
    by: 'property',
    which(request) {
      const { requiredTraits, forbiddenTraits } = demandOf(request)
      return whichTraits(requiredTraits, forbiddenTraits)
    },
  },
  reads: ['traits'],
  readsRequest: { extraSpecs: keysFrom('trait:'), fields: ['traits'] },
  readsHostOnly: true,
  cacheKey(request) {
    const { requiredTraits, forbiddenTraits } = demandOf(request)
    return canonicalJson([requiredTraits, forbiddenTraits])
  },
  prepare(request, fleet) {
    const { requiredTraits, forbiddenTraits } = demandOf(request)
    return prepareTraits(fleet, requiredTraits, forbiddenTraits, (trait) => traitFrom(request, trait))
  },
}

/**
 * Sorts the traits, each once. Stored requests have sorted keys, so a replayed decision would otherwise list the traits in a different
 * order.
 */
const inOrder = (traits: readonly string[]): readonly string[] => [...new Set(traits)].sort(byCodeUnit)

/** Describes the hosts that have these traits. The text follows the word "hosts". */
export const whichTraits = (required: readonly string[], forbidden: readonly string[]): string =>
  [
    ...(required.length === 0 ? [] : [`with ${namedTraits(required)}`]),
    ...(forbidden.length === 0 ? [] : [`without ${namedTraits(forbidden)}`]),
  ].join(' and ')

const namedTraits = (traits: readonly string[]): string => {
  const unique = inOrder(traits)
  return `${unique.length === 1 ? 'trait' : 'traits'} ${shortList(unique)}`
}

/** Prepares a filter for required and forbidden traits. `from` returns the place in the request that lists a trait. */
export function prepareTraits(
  { hosts }: Fleet,
  required: readonly string[],
  forbidden: readonly string[],
  from: (trait: string) => Source,
): PreparedFilter | undefined {
  if (required.length + forbidden.length === 0) return undefined
  return {
    each: () => [
      ...inOrder(required).map((trait) => ({
        which: `with trait ${trait}`,
        passes: (host: HostIndex) => hosts.get(host).traits.has(trait),
      })),
      ...inOrder(forbidden).map((trait) => ({
        which: `without trait ${trait}`,
        passes: (host: HostIndex) => !hosts.get(host).traits.has(trait),
      })),
    ],
    passes(host) {
      const { traits } = hosts.get(host)
      // Uses plain loops, because this function runs for every host and closures would create megabytes of garbage.
      for (const trait of required) if (!traits.has(trait)) return false
      for (const trait of forbidden) if (traits.has(trait)) return false
      return true
    },
    reason(host) {
      const { traits } = hosts.get(host)
      const missing = required.find((trait) => !traits.has(trait))
      if (missing !== undefined) return { code: 'trait.missing', subject: 'trait', need: missing }
      return { code: 'trait.forbidden', subject: 'trait', have: forbidden.find((trait) => traits.has(trait)) ?? '' }
    },
    facts(host) {
      const { traits } = hosts.get(host)
      const actualFrom = reportOf(hosts.get(host))
      const missing = [...new Set(required)].filter((trait) => !traits.has(trait))
      const unwanted = [...new Set(forbidden)].filter((trait) => traits.has(trait))
      return [
        ...missing.map((trait) => ({ subject: 'trait', required: trait, requiredFrom: from(trait), actualFrom })),
        ...unwanted.map((trait) => ({ subject: 'trait', actual: trait, requiredFrom: from(trait), actualFrom })),
      ]
    },
  }
}
