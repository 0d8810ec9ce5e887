import { columnScore, type Weigher } from '../contracts/weigher.ts'
import { multipliedBy } from './aggregate-multiplier.ts'

/** The number of I/O-heavy operations on the host. As in Nova, a negative multiplier avoids busy hosts. */
export const ioOpsWeigher: Weigher = {
  name: 'IoOpsWeigher',
  description: 'Builds, migrations, snapshots and similar operations that load the disks of the host.',
  reads: ['numIoOps'],
  unit: 'operations',
  readsHostOnly: true,
  minval: 0,
  ...multipliedBy('io_ops_weight_multiplier'),
  prepare: (_request, { hosts }) => columnScore(hosts.columns.ioOps),
}
