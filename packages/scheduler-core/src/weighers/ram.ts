import type { Weigher } from '../contracts/weigher.ts'
import { at } from '../hosts/columns.ts'
import { classFields } from '../report/stats-fields.ts'
import { multipliedBy } from './aggregate-multiplier.ts'

/** Prefers hosts with more memory left, which spreads work. A negative multiplier in the profile packs instead. */
export const ramWeigher: Weigher = {
  name: 'RAMWeigher',
  description: 'More memory left is better.',
  reads: classFields.MEMORY_MB,
  unit: 'MiB',
  readsHostOnly: true,
  minval: 0,
  ...multipliedBy('ram_weight_multiplier'),
  prepare(_request, { hosts }) {
    const { free } = hosts.classColumns('MEMORY_MB')
    return (host) => Math.max(0, at(free, host))
  },
}
