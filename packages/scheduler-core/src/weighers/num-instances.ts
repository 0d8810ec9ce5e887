import { columnScore, type Weigher } from '../contracts/weigher.ts'
import { multipliedBy } from './aggregate-multiplier.ts'

/** The number of instances on the host. As in Nova, a positive multiplier packs instances, and a negative multiplier spreads them. */
export const numInstancesWeigher: Weigher = {
  name: 'NumInstancesWeigher',
  description: 'Instances on the host, including those with only a claim.',
  reads: ['runningVms'],
  unit: 'instances',
  readsHostOnly: true,
  ...multipliedBy('num_instances_weight_multiplier'),
  prepare: (_request, { hosts }) => columnScore(hosts.columns.instances),
}
