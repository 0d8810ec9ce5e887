import { waitsOn } from './ending-claims.ts'
import type { Remedy } from './remedy.ts'

/**
 * For filters whose refusal no change of the request can remove, because these filters enforce decisions of operators. Proposes to remove
 * the filter from the profile, as a last resort.
 */
export const filterItselfRemedy: Remedy = {
  name: 'filter-itself',
  codes: [
    'io_ops.too_many',
    'instances.too_many',
    'flavor.other',
    'host.tried',
    'aggregate.flavor',
    'metric.missing',
    'filter.refused',
    'outside.no_answer',
    'outside.bad_answer',
    'outside.failed',
    'filter.error',
    'host.not_reported',
  ],
  propose({ fleet, host, reason, profile, filter }) {
    if (!profile.filters.some(({ name }) => name === filter)) return []
    return [
      ...(reason.code === 'instances.too_many' ? waitsOn(fleet.hosts, fleet.hosts.get(host), () => true) : []),
      {
        kind: 'POLICY',
        subject: `filter ${filter} of profile ${profile.name}`,
        from: 'asked',
        to: 'left out',
        effort: 9,
        lastResort: true,
        filters: (filters) => filters.filter(({ name }) => name !== filter),
      },
    ]
  },
}
