import { at } from '../fleet/columns.ts'
import { freeFact } from '../fleet/sources.ts'
import { classFields } from '../fleet/stats-fields.ts'
import { demandOf } from '../request/request-spec.ts'
import { amountFrom } from '../request/sources.ts'
import type { Filter } from './filter.ts'

/** The host can still give the memory asked for. */
export const ramFilter: Filter = {
  name: 'RamFilter',
  description: 'The host has the memory asked for left, overcommit and reserve included.',
  reads: classFields.MEMORY_MB,
  readsHostOnly: true,
  prepare(request, { hosts }) {
    const need = demandOf(request).memoryMib
    if (need === 0) return undefined

    const { free } = hosts.classColumns('MEMORY_MB')
    return {
      passes: (host) => at(free, host) >= need,
      reason: (host) => ({ code: 'memory.short', subject: 'MEMORY_MB', need, have: at(free, host), unit: 'MiB' }),
      facts: (host) => [
        freeFact(hosts, host, 'MEMORY_MB', {
          subject: 'MEMORY_MB',
          required: need,
          unit: 'MiB',
          requiredFrom: amountFrom(request, 'MEMORY_MB'),
        }),
      ],
    }
  },
}
