import { columnScore, type Weigher } from '../contracts/weigher.ts'
import { classFields } from '../report/stats-fields.ts'
import { multipliedBy } from './aggregate-multiplier.ts'

/** Prefers hosts with more free virtual CPUs, so instances are spread. With a negative multiplier, instances are packed. */
export const cpuWeigher: Weigher = {
  name: 'CPUWeigher',
  description: 'Free virtual CPUs of the host; more are better.',
  reads: classFields.VCPU,
  unit: 'vCPU',
  readsHostOnly: true,
  minval: 0,
  ...multipliedBy('cpu_weight_multiplier'),
  prepare: (_request, { hosts }) => columnScore(hosts.classColumns('VCPU').free, 0),
}
