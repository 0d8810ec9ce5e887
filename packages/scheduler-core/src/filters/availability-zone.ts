import type { Filter } from '../contracts/filter.ts'
import { at } from '../hosts/columns.ts'
import { aggregatesOf } from '../hosts/sources.ts'
import { fromRequest } from '../text/evidence.ts'
import { ZONE_KEY } from '../values/aggregate-keys.ts'

/** Passes hosts in the requested availability zone. Hosts without a zone are in Nova's default zone. */
export const availabilityZoneFilter: Filter = {
  name: 'AvailabilityZoneFilter',
  description: 'The host is in the requested availability zone.',
  admits: {
    by: 'place',
    which: ({ availabilityZone }) => `in availability zone ${availabilityZone}`,
  },
  readsRequest: { fields: ['zone'] },
  reads: [],
  readsMetadata: [{ key: ZONE_KEY }],
  readsHostOnly: true,
  cacheKey: ({ availabilityZone }) => availabilityZone ?? undefined,
  prepare({ availabilityZone: need }, { hosts, aggregates }) {
    if (need === null) return undefined
    const { zone } = hosts.columns
    const wanted = hosts.zoneOf(need)

    return {
      passes: (host) => at(zone, host) === wanted,
      reason: (host) => ({ code: 'zone.other', subject: 'availability zone', need, have: hosts.get(host).zone }),
      facts: (host) => [
        {
          subject: 'availability zone',
          required: need,
          actual: hosts.get(host).zone,
          requiredFrom: fromRequest('availabilityZone'),
          actualFrom: aggregatesOf(aggregates.of(hosts.get(host).host), ZONE_KEY),
        },
      ],
    }
  },
}
