import { classFields } from '../fleet/stats-fields.ts'
import { amountFilter } from '../kinds/classes/amount-filter.ts'
import { demandOf } from '../request/request-spec.ts'
import type { Filter } from './filter.ts'

/** The host can still give the memory asked for, and has as much in all (Nova's RamFilter). */
export const ramFilter: Filter = {
  name: 'RamFilter',
  description: 'The host has the memory asked for left, overcommit and reserve included.',
  reads: classFields.MEMORY_MB,
  readsHostOnly: true,
  prepare: (request, { hosts }) =>
    amountFilter(request, hosts, demandOf(request).memoryMib, {
      resourceClass: 'MEMORY_MB',
      unit: 'MiB',
      short: 'memory.short',
      tooLittle: 'memory.too_little',
    }),
}
