import { novaWeigher } from '../parts/nova-weigher.ts'

/** Scores hosts by free local disk. */
export const diskWeigher = novaWeigher({
  name: 'DiskWeigher',
  description: 'Free local disk of the host.',
  reads: ['localGb', 'localGbUsed', 'freeDiskGb', 'diskAvailableLeast'],
  unit: 'MiB',
  multiplier: { key: 'disk_weight_multiplier' },
  minval: 0,
  prepare: () => (host) => host.freeDiskMb,
})
