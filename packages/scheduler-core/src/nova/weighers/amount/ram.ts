import { classFields } from '../../../report/stats-fields.ts'
import { novaWeigher } from '../../parts/nova-weigher.ts'

/** Scores hosts by free memory. A positive multiplier spreads instances, a negative one packs them. */
export const ramWeigher = novaWeigher({
  name: 'RAMWeigher',
  description: 'Free memory of the host; more is better.',
  reads: classFields.MEMORY_MB,
  cachedBy: [],
  unit: 'MiB',
  multiplier: { key: 'ram_weight_multiplier' },
  minval: 0,
  prepare: () => (host) => host.freeRamMb,
})
