import { z } from 'zod'
import type { Filter, FilterOptions } from '../contracts/filter.ts'
import { nearWhich, prepareNear } from '../namespace/affinity.ts'
import { FARTHEST, SAME_ZONE } from '../namespace/facts/distance.ts'
import { storage } from '../namespace/facts/storage.ts'
import { maxAge } from '../namespace/options.ts'
import { volumeAffinity } from '../namespace/volume-affinity.ts'
import { checkOptions } from '../request/parse.ts'
import { namedKeys } from '../request/request-reads.ts'
import { memoByObject } from '../values/memo.ts'

const volumeAffinityOptions = z.strictObject({
  /** The allowed distance: on the host itself, in a pool that the host reaches, or in the host's zone. */
  within: z.enum(['host', 'pool', 'zone']).default('pool'),
  /** The largest distance of a pool that the host reaches. */
  maxDistance: z.number().int().min(0).max(FARTHEST).default(FARTHEST),
  /** The filter does not apply while no host has a document of the namespace. */
  onlyWhereTold: z.boolean().default(false),
  maxAgeSeconds: maxAge(storage),
})

const optionsOf = memoByObject((options: FilterOptions) => checkOptions(volumeAffinityOptions, options))

/**
 * The host is near every volume that the scheduler hint `near_volume` names, and within the given distance of the instance's own volumes,
 * according to the storage service's documents.
 */
export const volumeAffinityFilter: Filter = {
  name: 'VolumeAffinityFilter',
  description: 'The host is near the volumes of the request and of the hint near_volume.',
  admits: {
    by: 'property',
    which: (request, fleet) => nearWhich(volumeAffinity, 'volume', request, fleet),
  },
  reads: ['storage.pools', 'storage.volumes'],
  readsHostOnly: true,
  readsRequest: { schedulerHints: namedKeys(volumeAffinity.hint), fields: ['volumes'] },
  checkOptions: (options) => void checkOptions(volumeAffinityOptions, options),
  prepare(request, fleet, options) {
    const { within, maxDistance, maxAgeSeconds, onlyWhereTold } = optionsOf(options)
    const limit = { host: 0, pool: maxDistance, zone: SAME_ZONE }[within]
    return prepareNear(volumeAffinity, request, fleet, { limit, maxAgeSeconds, onlyWhereTold })
  },
}
