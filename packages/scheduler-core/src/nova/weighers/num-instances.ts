import { novaWeigher } from '../parts/nova-weigher.ts'

/**
 * Scores hosts by their instances. Disabled by default. A negative multiplier spreads instances, a positive one packs them (Nova 28 and
 * later).
 */
export const numInstancesWeigher = novaWeigher({
  name: 'NumInstancesWeigher',
  description: 'Instances on the host.',
  reads: ['runningVms'],
  unit: 'instances',
  multiplier: { key: 'num_instances_weight_multiplier', byDefault: 0 },
  prepare: () => (host) => host.numInstances,
})
