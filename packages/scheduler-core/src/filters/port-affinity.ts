import { z } from 'zod'
import type { Filter, FilterOptions } from '../contracts/filter.ts'
import { nearWhich, prepareNear } from '../namespace/affinity.ts'
import { FARTHEST } from '../namespace/facts/distance.ts'
import { network } from '../namespace/facts/network.ts'
import { maxAge } from '../namespace/options.ts'
import { portAffinity } from '../namespace/port-affinity.ts'
import { checkOptions } from '../request/parse.ts'
import { namedKeys } from '../request/request-reads.ts'
import { memoByObject } from '../values/memo.ts'

const portAffinityOptions = z.strictObject({
  /** The largest allowed distance from the host to the port's physical network. */
  maxDistance: z.number().int().min(0).max(FARTHEST).default(FARTHEST),
  /** If true, the filter is skipped while no host has a document of the network service. */
  onlyWhereTold: z.boolean().default(false),
  maxAgeSeconds: maxAge(network),
})

const optionsOf = memoByObject((options: FilterOptions) => checkOptions(portAffinityOptions, options))

/**
 * Passes hosts that reach the physical network, and the segment, of every port that the request has or that the scheduler hint `near_port`
 * names.
 */
export const portAffinityFilter: Filter = {
  name: 'PortAffinityFilter',
  description: 'The host reaches the physical networks of the ports in the request and the hint near_port.',
  admits: {
    by: 'property',
    which: (request, fleet) => nearWhich(portAffinity, 'port', request, fleet),
  },
  reads: ['network.physicalNetworks', 'network.ports'],
  readsHostOnly: true,
  readsRequest: { schedulerHints: namedKeys(portAffinity.hint), fields: ['ports'] },
  checkOptions: (options) => void checkOptions(portAffinityOptions, options),
  prepare(request, fleet, options) {
    const { maxDistance: limit, maxAgeSeconds, onlyWhereTold } = optionsOf(options)
    return prepareNear(portAffinity, request, fleet, { limit, maxAgeSeconds, onlyWhereTold })
  },
}
