import { classFields } from '../fleet/stats-fields.ts'
import { amountFilter } from '../kinds/classes/amount-filter.ts'
import { demandOf } from '../request/request-spec.ts'
import type { Filter } from './filter.ts'

/** The host can still give the disk asked for, and has as much in all: root unless booted from a volume, ephemeral and swap. */
export const diskFilter: Filter = {
  name: 'DiskFilter',
  description: 'The host has the disk asked for left, overcommit and reserve included.',
  reads: classFields.DISK_GB,
  readsHostOnly: true,
  prepare: (request, { hosts }) =>
    amountFilter(request, hosts, demandOf(request).diskGib, {
      resourceClass: 'DISK_GB',
      unit: 'GiB',
      short: 'disk.short',
      tooLittle: 'disk.too_little',
    }),
}
