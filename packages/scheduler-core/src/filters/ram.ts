import type { Filter } from '../contracts/filter.ts'
import { amountFilter } from '../kinds/classes/amount-filter.ts'
import { classFields } from '../report/stats-fields.ts'
import { demandOf } from '../request/request-spec.ts'

/**
 * Passes hosts with enough free memory for the request. From feature level STRICT_CLAIMS on, the memory in total must also be enough
 * (Nova's RamFilter).
 */
export const ramFilter: Filter = {
  name: 'RamFilter',
  description: 'The host has enough free memory for the request, after overcommit and reserved memory.',
  reads: classFields.MEMORY_MB,
  readsHostOnly: true,
  cacheKey: (request) => String(demandOf(request).memoryMib),
  prepare: (request, { hosts }) =>
    amountFilter(request, hosts, demandOf(request).memoryMib, {
      resourceClass: 'MEMORY_MB',
      unit: 'MiB',
      short: 'memory.short',
      tooLittle: 'memory.too_little',
    }),
}
