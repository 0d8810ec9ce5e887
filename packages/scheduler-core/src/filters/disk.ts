import type { Filter } from '../contracts/filter.ts'
import { amountFilter } from '../kinds/classes/amount-filter.ts'
import { classFields } from '../report/stats-fields.ts'
import { demandOf } from '../request/request-spec.ts'

/** The host has enough disk space, free and in total, for the root disk (unless it is a volume), the ephemeral disk and swap. */
export const diskFilter: Filter = {
  name: 'DiskFilter',
  description: 'The host has enough free disk space for the request, with overcommit and reserve considered.',
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
