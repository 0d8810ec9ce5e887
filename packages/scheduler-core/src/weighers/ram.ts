import { columnScore, type Weigher } from '../contracts/weigher.ts'
import { classFields } from '../report/stats-fields.ts'
import { multipliedBy } from './aggregate-multiplier.ts'

/** Prefers hosts with more free memory, so instances are spread. With a negative multiplier, instances are packed. */
export const ramWeigher: Weigher = {
  name: 'RAMWeigher',
  description: 'Free memory of the host; more is better.',
  reads: classFields.MEMORY_MB,
  unit: 'MiB',
  readsHostOnly: true,
  minval: 0,
  ...multipliedBy('ram_weight_multiplier'),
  prepare: (_request, { hosts }) => columnScore(hosts.classColumns('MEMORY_MB').free, 0),
}
