import { z } from 'zod'
import type { Weigher, WeigherOptions } from '../contracts/weigher.ts'
import { weighNear } from '../namespace/affinity.ts'
import { network } from '../namespace/facts/network.ts'
import { maxAge } from '../namespace/options.ts'
import { portAffinity } from '../namespace/port-affinity.ts'
import { checkOptions } from '../request/parse.ts'
import { namedKeys } from '../request/request-reads.ts'
import { memoByObject } from '../values/memo.ts'

const portAffinityOptions = z.strictObject({ maxAgeSeconds: maxAge(network) })

const optionsOf = memoByObject((options: WeigherOptions) => checkOptions(portAffinityOptions, options))

/** Prefers hosts that are nearer to the physical networks of the ports that the scheduler hint `near_port` names; 0 for every other request. */
export const portAffinityWeigher: Weigher = {
  name: 'PortAffinityWeigher',
  description: 'Minus the distance to the physical networks of the ports of the request and of the hint near_port.',
  unit: 'distance',
  reads: ['network.physicalNetworks', 'network.ports'],
  readsHostOnly: true,
  readsRequest: { schedulerHints: namedKeys(portAffinity.hint), fields: ['ports'] },
  checkOptions: (options) => void checkOptions(portAffinityOptions, options),
  prepare: (request, fleet, options) => weighNear(portAffinity, request, fleet, optionsOf(options).maxAgeSeconds),
}
