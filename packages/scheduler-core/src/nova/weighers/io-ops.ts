import { novaWeigher } from '../parts/nova-weigher.ts'

/** Input/output-heavy operations: the multiplier is negative by default, so busy hosts come last. */
export const ioOpsWeigher = novaWeigher({
  name: 'IoOpsWeigher',
  description: 'Operations that load the disks of the host: builds, migrations, snapshots.',
  reads: ['numIoOps'],
  unit: 'operations',
  multiplier: { key: 'io_ops_weight_multiplier', byDefault: -1 },
  minval: 0,
  prepare: () => (host) => host.numIoOps,
})
