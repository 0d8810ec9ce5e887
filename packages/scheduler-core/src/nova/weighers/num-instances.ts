import { novaWeigher } from '../parts/nova-weigher.ts'

/** Instances on the host: off by default; a negative multiplier spreads, a positive one packs (Nova 28 and later). */
export const numInstancesWeigher = novaWeigher({
  name: 'NumInstancesWeigher',
  description: 'Instances on the host.',
  reads: ['runningVms'],
  unit: 'instances',
  multiplier: { key: 'num_instances_weight_multiplier', byDefault: 0 },
  prepare: () => (host) => host.numInstances,
})
