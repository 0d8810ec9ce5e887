import { classFields } from '../../../report/stats-fields.ts'
import { novaWeigher } from '../../parts/nova-weigher.ts'

/** Scores hosts by free vCPUs, including overcommit. */
export const cpuWeigher = novaWeigher({
  name: 'CPUWeigher',
  description: 'Free vCPUs of the host, including overcommit; more are better.',
  reads: classFields.VCPU,
  cachedBy: [],
  unit: 'vCPUs',
  multiplier: { key: 'cpu_weight_multiplier' },
  minval: 0,
  prepare: () => (host) => host.vcpusTotal * host.cpuAllocationRatio - host.vcpusUsed,
})
