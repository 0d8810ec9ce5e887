import { columnScore, type Weigher } from '../contracts/weigher.ts'
import { classFields } from '../report/stats-fields.ts'
import { multipliedBy } from './aggregate-multiplier.ts'

/** Prefers hosts with more free disk space, so instances are spread. With a negative multiplier, instances are packed. */
export const diskWeigher: Weigher = {
  name: 'DiskWeigher',
  description: 'Free disk space of the host; more is better.',
  reads: classFields.DISK_GB,
  unit: 'GiB',
  readsHostOnly: true,
  minval: 0,
  ...multipliedBy('disk_weight_multiplier'),
  prepare: (_request, { hosts }) => columnScore(hosts.classColumns('DISK_GB').free, 0),
}
