import { novaWeigher } from '../../parts/nova-weigher.ts'

/** Scores hosts by their number of I/O-heavy operations. The default multiplier is negative, so busy hosts come last. */
export const ioOpsWeigher = novaWeigher({
  name: 'IoOpsWeigher',
  description: 'I/O-heavy operations on the host, such as builds, migrations and snapshots.',
  reads: ['numIoOps'],
  cachedBy: [],
  unit: 'operations',
  multiplier: { key: 'io_ops_weight_multiplier', byDefault: -1 },
  minval: 0,
  prepare: () => (host) => host.numIoOps,
})
