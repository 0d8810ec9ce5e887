import { z } from 'zod'
import { aggregatesWith, splitValues } from '../../weighers/aggregate-metadata.ts'
import { novaFilter } from '../parts/nova-filter.ts'

const KEY = 'availability_zone'

/** The host is in the zone asked for. Zones are the aggregates' metadata; a host without any is in the default one. */
export const availabilityZoneFilter = novaFilter({
  name: 'AvailabilityZoneFilter',
  description: 'The host is in the availability zone asked for.',
  admits: {
    by: 'place',
    which: ({ availabilityZone }) => `in availability zone ${availabilityZone}`,
  },
  readsRequest: { fields: ['zone'] },
  reads: [],
  readsMetadata: [{ key: KEY }],
  oncePerRequest: true,
  options: z.strictObject({ default_availability_zone: z.string().default('nova') }),
  prepare({ availabilityZone: need }, { default_availability_zone: byDefault }) {
    if (!need) return undefined
    return (host) => {
      const zones = splitValues(host, KEY)
      if (zones === undefined ? need === byDefault : zones.has(need)) return undefined
      return zones === undefined
        ? { code: 'zone.other', subject: KEY, need, have: byDefault, source: 'option default_availability_zone' }
        : { code: 'zone.other', subject: KEY, need, have: [...zones].join(', '), source: aggregatesWith(host, KEY) }
    }
  },
})
