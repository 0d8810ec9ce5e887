import { classFields } from '../fleet/stats-fields.ts'
import { amountFilter } from '../kinds/classes/amount-filter.ts'
import { demandOf } from '../request/request-spec.ts'
import type { Filter } from './filter.ts'

/** The host can still give the virtual CPUs asked for, and has at least as many CPUs in all (Nova's CoreFilter). */
export const coreFilter: Filter = {
  name: 'CoreFilter',
  description: 'The host has the virtual CPUs asked for left; overcommit never gives one instance more CPUs than the host has.',
  reads: classFields.VCPU,
  readsHostOnly: true,
  prepare: (request, { hosts }) =>
    amountFilter(
      request,
      hosts,
      demandOf(request).vcpus,
      { resourceClass: 'VCPU', unit: 'vCPU', short: 'cpu.short', tooLittle: 'cpu.too_few' },
      true,
    ),
}
