import type { Weigher } from '../contracts/weigher.ts'
import { at } from '../hosts/columns.ts'
import { multipliedBy } from './aggregate-multiplier.ts'

/** The number of instances on the host. As in Nova, a positive multiplier packs by count, and a negative one spreads. */
export const numInstancesWeigher: Weigher = {
  name: 'NumInstancesWeigher',
  description: 'Instances on the host, claims included.',
  reads: ['runningVms'],
  unit: 'instances',
  readsHostOnly: true,
  ...multipliedBy('num_instances_weight_multiplier'),
  prepare:
    (_request, { hosts }) =>
    (host) =>
      at(hosts.columns.instances, host),
}
