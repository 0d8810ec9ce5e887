import type { Filter } from '../contracts/filter.ts'
import { amountFilter } from '../kinds/classes/amount-filter.ts'
import { classFields } from '../report/stats-fields.ts'
import { demandOf } from '../request/request-spec.ts'

/** Passes hosts with enough free virtual CPUs for the request, and with at least as many CPUs in total (Nova's CoreFilter). */
export const coreFilter: Filter = {
  name: 'CoreFilter',
  description: 'The host has enough free virtual CPUs for the request; overcommit never gives one instance more CPUs than the host has.',
  reads: classFields.VCPU,
  readsHostOnly: true,
  cacheKey: (request) => String(demandOf(request).vcpus),
  prepare: (request, { hosts }) =>
    amountFilter(
      request,
      hosts,
      demandOf(request).vcpus,
      { resourceClass: 'VCPU', unit: 'vCPU', short: 'cpu.short', tooLittle: 'cpu.too_few' },
      true,
    ),
}
