import { classFields } from '../../report/stats-fields.ts'
import { novaWeigher } from '../parts/nova-weigher.ts'

/** Free virtual CPUs, overcommit included. */
export const cpuWeigher = novaWeigher({
  name: 'CPUWeigher',
  description: 'Free virtual CPUs of the host, overcommit included.',
  reads: classFields.VCPU,
  unit: 'vCPUs',
  multiplier: { key: 'cpu_weight_multiplier' },
  minval: 0,
  prepare: () => (host) => host.vcpusTotal * host.cpuAllocationRatio - host.vcpusUsed,
})
