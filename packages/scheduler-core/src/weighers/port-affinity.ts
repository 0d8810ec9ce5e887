import { z } from 'zod'
import type { Weigher, WeigherOptions } from '../contracts/weigher.ts'
import { weighNear, whyNotWeighed } from '../namespace/affinity.ts'
import { network } from '../namespace/facts/network.ts'
import { maxAge } from '../namespace/options.ts'
import { portAffinity } from '../namespace/port-affinity.ts'
import { checkOptions } from '../request/parse.ts'
import { namedKeys } from '../request/request-reads.ts'
import { memoByObject } from '../values/memo.ts'

const portAffinityOptions = z.strictObject({ maxAgeSeconds: maxAge(network) })

const optionsOf = memoByObject((options: WeigherOptions) => checkOptions(portAffinityOptions, options))

/**
 * Prefers hosts near the physical networks of the ports that the request has or that the scheduler hint `near_port` names. The score is 0
 * for requests without such ports.
 */
export const portAffinityWeigher: Weigher = {
  name: 'PortAffinityWeigher',
  description: 'Distance from the host to the networks of the ports in the request and the hint near_port; less is better.',
  unit: 'distance',
  reads: ['network.physicalNetworks', 'network.ports'],
  readsHostOnly: true,
  readsRequest: { schedulerHints: namedKeys(portAffinity.hint), fields: ['ports'] },
  checkOptions: (options) => void checkOptions(portAffinityOptions, options),
  prepare: (request, fleet, options) => weighNear(portAffinity, request, fleet, optionsOf(options).maxAgeSeconds),
  missing: (request, fleet, options) => whyNotWeighed(portAffinity, request, fleet, optionsOf(options).maxAgeSeconds),
}
