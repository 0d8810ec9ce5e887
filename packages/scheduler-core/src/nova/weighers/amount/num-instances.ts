import { novaWeigher } from '../../parts/nova-weigher.ts'

/**
 * Scores hosts by their number of instances. A negative multiplier spreads instances, and a positive multiplier packs them. With the
 * default multiplier 0, the weigher has no effect. Nova has this weigher from release 28 on.
 */
export const numInstancesWeigher = novaWeigher({
  name: 'NumInstancesWeigher',
  description: 'Number of instances on the host.',
  reads: ['runningVms'],
  cachedBy: [],
  unit: 'instances',
  multiplier: { key: 'num_instances_weight_multiplier', byDefault: 0 },
  prepare: () => (host) => host.numInstances,
})
