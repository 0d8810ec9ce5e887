import { reportOf } from '../fleet/sources.ts'
import { demandOf } from '../request/request-spec.ts'
import { traitFrom } from '../request/sources.ts'
import { shortList } from '../short-list.ts'
import type { Filter } from './filter.ts'

/** The host has every required trait and no forbidden one. */
export const traitsFilter: Filter = {
  name: 'TraitsFilter',
  description: 'The host has every trait required and none forbidden.',
  admits: {
    by: 'property',
    which(request) {
      const { requiredTraits, forbiddenTraits } = demandOf(request)
      return [
        ...(requiredTraits.length === 0 ? [] : [`with ${shortList(requiredTraits)}`]),
        ...(forbiddenTraits.length === 0 ? [] : [`without ${shortList(forbiddenTraits)}`]),
      ].join(', ')
    },
  },
  reads: ['traits'],
  readsHostOnly: true,
  prepare(request, { hosts }) {
    const { requiredTraits, forbiddenTraits } = demandOf(request)
    if (requiredTraits.length + forbiddenTraits.length === 0) return undefined

    return {
      passes(host) {
        const { traits } = hosts.get(host)
        // plain loops: this is asked of every host, and a closure for each would be garbage by the megabyte
        for (const trait of requiredTraits) if (!traits.has(trait)) return false
        for (const trait of forbiddenTraits) if (traits.has(trait)) return false
        return true
      },
      reason(host) {
        const { traits } = hosts.get(host)
        const missing = requiredTraits.find((trait) => !traits.has(trait))
        if (missing !== undefined) return { code: 'trait.missing', subject: 'trait', need: missing }
        return { code: 'trait.forbidden', subject: 'trait', have: forbiddenTraits.find((trait) => traits.has(trait)) ?? '' }
      },
      facts(host) {
        const { traits } = hosts.get(host)
        const actualFrom = reportOf(hosts.get(host))
        const missing = [...new Set(requiredTraits)].filter((trait) => !traits.has(trait))
        const unwanted = [...new Set(forbiddenTraits)].filter((trait) => traits.has(trait))
        return [
          ...missing.map((trait) => ({ subject: 'trait', required: trait, requiredFrom: traitFrom(request, trait), actualFrom })),
          ...unwanted.map((trait) => ({ subject: 'trait', actual: trait, requiredFrom: traitFrom(request, trait), actualFrom })),
        ]
      },
    }
  },
}
