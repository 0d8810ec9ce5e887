import { novaWeigher } from '../nova-weigher.ts'

/** Free memory: a positive multiplier spreads, a negative one stacks. */
export const ramWeigher = novaWeigher({
  name: 'RAMWeigher',
  description: 'Free memory of the host.',
  unit: 'MiB',
  multiplier: { key: 'ram_weight_multiplier' },
  minval: 0,
  prepare: () => (host) => host.freeRamMb,
})
