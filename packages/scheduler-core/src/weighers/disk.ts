import type { Weigher } from '../contracts/weigher.ts'
import { at } from '../hosts/columns.ts'
import { classFields } from '../report/stats-fields.ts'
import { multipliedBy } from './aggregate-multiplier.ts'

/** Prefers hosts with more disk left, which spreads work. A negative multiplier in the profile packs instead. */
export const diskWeigher: Weigher = {
  name: 'DiskWeigher',
  description: 'More disk left is better.',
  reads: classFields.DISK_GB,
  unit: 'GiB',
  readsHostOnly: true,
  minval: 0,
  ...multipliedBy('disk_weight_multiplier'),
  prepare(_request, { hosts }) {
    const { free } = hosts.classColumns('DISK_GB')
    return (host) => Math.max(0, at(free, host))
  },
}
