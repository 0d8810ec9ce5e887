import { z } from 'zod'
import type { Weigher, WeigherOptions } from '../contracts/weigher.ts'
import { weighNear, whyNotWeighed } from '../namespace/affinity.ts'
import { storage } from '../namespace/facts/storage.ts'
import { maxAge } from '../namespace/options.ts'
import { volumeAffinity } from '../namespace/volume-affinity.ts'
import { checkOptions } from '../request/parse.ts'
import { namedKeys } from '../request/request-reads.ts'
import { memoByObject } from '../values/memo.ts'

const volumeAffinityOptions = z.strictObject({ maxAgeSeconds: maxAge(storage) })

const optionsOf = memoByObject((options: WeigherOptions) => checkOptions(volumeAffinityOptions, options))

/**
 * Prefers hosts near the volumes that the request has or that the scheduler hint `near_volume` names. The score is 0 for requests without
 * such volumes.
 */
export const volumeAffinityWeigher: Weigher = {
  name: 'VolumeAffinityWeigher',
  description: 'Distance from the host to the volumes in the request and the hint near_volume; less is better.',
  unit: 'distance',
  reads: ['storage.pools', 'storage.volumes'],
  readsHostOnly: true,
  readsRequest: { schedulerHints: namedKeys(volumeAffinity.hint), fields: ['volumes'] },
  checkOptions: (options) => void checkOptions(volumeAffinityOptions, options),
  prepare: (request, fleet, options) => weighNear(volumeAffinity, request, fleet, optionsOf(options).maxAgeSeconds),
  missing: (request, fleet, options) => whyNotWeighed(volumeAffinity, request, fleet, optionsOf(options).maxAgeSeconds),
}
