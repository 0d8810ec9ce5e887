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
  /** Where the volume must be: on the host itself (`host`), in a pool that the host reaches (`pool`), or in the host's zone (`zone`). */
  within: z.enum(['host', 'pool', 'zone']).default('pool'),
  /** The largest allowed distance from the host to the volume's pool. It has an effect only if `within` is `pool`. */
  maxDistance: z.number().int().min(0).max(FARTHEST).default(FARTHEST),
  /** If true, the filter is skipped while no host has a document of the storage service. */
  onlyWhereTold: z.boolean().default(false),
  maxAgeSeconds: maxAge(storage),
})

const optionsOf = memoByObject((options: FilterOptions) => checkOptions(volumeAffinityOptions, options))

/**
 * Passes hosts that are near every volume of the instance and every volume that the scheduler hint `near_volume` names, according to the
 * storage service's documents. The options limit the distance.
 */
export const volumeAffinityFilter: Filter = {
  name: 'VolumeAffinityFilter',
  description: 'The host is near the volumes in the request and the hint near_volume.',
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
