import { z } from 'zod'
import { aggregatesWith, splitValues } from '../../weighers/aggregate-metadata.ts'
import { novaFilter } from '../parts/nova-filter.ts'

const KEY = 'availability_zone'

/** Passes hosts in the requested zone. Zones are set in the metadata of aggregates. A host without a zone is in the default zone. */
export const availabilityZoneFilter = novaFilter({
  name: 'AvailabilityZoneFilter',
  description: 'The host is in the requested availability zone.',
  admits: {
    by: 'place',
    which: ({ availabilityZone }) => `in availability zone ${availabilityZone}`,
  },
  readsRequest: { fields: ['zone'] },
  reads: [],
  cachedBy: ['availabilityZone'],
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
