import { z } from 'zod'
import { memoByObject } from '../memo.ts'
import { prepareNear } from '../namespace/affinity.ts'
import { FARTHEST } from '../namespace/distance.ts'
import { network } from '../namespace/network.ts'
import { maxAge } from '../namespace/options.ts'
import { portAffinity } from '../namespace/port-affinity.ts'
import { checkOptions } from '../request/parse.ts'
import { namedKeys } from '../request/request-reads.ts'
import { shortList } from '../short-list.ts'
import type { Filter, FilterOptions } from './filter.ts'

const portAffinityOptions = z.strictObject({
  /** How far the physical network may be. */
  maxDistance: z.number().int().min(0).max(FARTHEST).default(FARTHEST),
  maxAgeSeconds: maxAge(network),
})

const optionsOf = memoByObject((options: FilterOptions) => checkOptions(portAffinityOptions, options))

/** The host reaches the physical network, and the segment, of every port that the scheduler hint `near_port` names. */
export const portAffinityFilter: Filter = {
  name: 'PortAffinityFilter',
  description: 'The host reaches the physical networks of the ports named by the hint near_port.',
  admits: {
    by: 'property',
    which: ({ schedulerHints }) => `near port ${shortList(schedulerHints.near_port ?? [])}`,
  },
  reads: ['network.physicalNetworks', 'network.ports'],
  readsHostOnly: true,
  readsRequest: { schedulerHints: namedKeys(portAffinity.hint) },
  checkOptions: (options) => void checkOptions(portAffinityOptions, options),
  prepare(request, fleet, options) {
    const { maxDistance: limit, maxAgeSeconds } = optionsOf(options)
    return prepareNear(portAffinity, request, fleet, { limit, maxAgeSeconds })
  },
}
