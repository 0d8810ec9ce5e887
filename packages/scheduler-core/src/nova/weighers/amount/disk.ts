import { novaWeigher } from '../../parts/nova-weigher.ts'

/** Scores hosts by the free space of their local disks. */
export const diskWeigher = novaWeigher({
  name: 'DiskWeigher',
  description: 'Free local disk space of the host; more is better.',
  reads: ['localGb', 'localGbUsed', 'freeDiskGb', 'diskAvailableLeast'],
  cachedBy: [],
  unit: 'MiB',
  multiplier: { key: 'disk_weight_multiplier' },
  minval: 0,
  prepare: () => (host) => host.freeDiskMb,
})
