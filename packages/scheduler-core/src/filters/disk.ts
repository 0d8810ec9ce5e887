import { at } from '../fleet/columns.ts'
import { freeFact } from '../fleet/sources.ts'
import { classFields } from '../fleet/stats-fields.ts'
import { demandOf } from '../request/request-spec.ts'
import { amountFrom } from '../request/sources.ts'
import type { Filter } from './filter.ts'

/** The host can still give the disk asked for: root unless booted from a volume, ephemeral and swap. */
export const diskFilter: Filter = {
  name: 'DiskFilter',
  description: 'The host has the disk asked for left, overcommit and reserve included.',
  reads: classFields.DISK_GB,
  readsHostOnly: true,
  prepare(request, { hosts }) {
    const need = demandOf(request).diskGib
    if (need === 0) return undefined

    const { free } = hosts.classColumns('DISK_GB')
    return {
      passes: (host) => at(free, host) >= need,
      reason: (host) => ({ code: 'disk.short', subject: 'DISK_GB', need, have: at(free, host), unit: 'GiB' }),
      facts: (host) => [
        freeFact(hosts, host, 'DISK_GB', { subject: 'DISK_GB', required: need, unit: 'GiB', requiredFrom: amountFrom(request, 'DISK_GB') }),
      ],
    }
  },
}
