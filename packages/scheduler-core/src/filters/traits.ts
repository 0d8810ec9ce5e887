import { demandOf } from '../request/request-spec.ts'
import type { Filter } from './filter.ts'

/** The host has every required trait and no forbidden one. */
export const traitsFilter: Filter = {
  name: 'TraitsFilter',
  description: 'The host has every trait required and none forbidden.',
  prepare(request, { hosts }) {
    const { requiredTraits, forbiddenTraits } = demandOf(request)
    if (requiredTraits.length + forbiddenTraits.length === 0) return undefined

    return {
      passes(host) {
        const { traits } = hosts.get(host)
        return requiredTraits.every((trait) => traits.has(trait)) && !forbiddenTraits.some((trait) => traits.has(trait))
      },
      reason(host) {
        const { traits } = hosts.get(host)
        const missing = requiredTraits.find((trait) => !traits.has(trait))
        if (missing !== undefined) return { code: 'trait.missing', subject: 'trait', need: missing }
        return { code: 'trait.forbidden', subject: 'trait', have: forbiddenTraits.find((trait) => traits.has(trait)) ?? '' }
      },
    }
  },
}
