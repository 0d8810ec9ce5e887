import { z } from 'zod'
import { memoByObject } from '../memo.ts'
import { nearWhich, prepareNear } from '../namespace/affinity.ts'
import { FARTHEST, SAME_ZONE } from '../namespace/distance.ts'
import { maxAge } from '../namespace/options.ts'
import { storage } from '../namespace/storage.ts'
import { volumeAffinity } from '../namespace/volume-affinity.ts'
import { checkOptions } from '../request/parse.ts'
import { namedKeys } from '../request/request-reads.ts'
import type { Filter, FilterOptions } from './filter.ts'

const volumeAffinityOptions = z.strictObject({
  /** On the host itself, in a pool that the host reaches, or in the host's zone. */
  within: z.enum(['host', 'pool', 'zone']).default('pool'),
  /** How far a pool that is reached may be. */
  maxDistance: z.number().int().min(0).max(FARTHEST).default(FARTHEST),
  /** Nothing is asked while no host has a document of the namespace. */
  onlyWhereTold: z.boolean().default(false),
  maxAgeSeconds: maxAge(storage),
})

const optionsOf = memoByObject((options: FilterOptions) => checkOptions(volumeAffinityOptions, options))

/** The host is near every volume that the scheduler hint `near_volume` names, and no farther than it is told from those that the instance has, as the storage service tells. */
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
