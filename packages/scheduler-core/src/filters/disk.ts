import type { Filter } from '../contracts/filter.ts'
import { amountFilter } from '../kinds/classes/amount-filter.ts'
import { classFields } from '../report/stats-fields.ts'
import { demandOf } from '../request/request-spec.ts'

/**
 * Passes hosts with enough free disk space for the ephemeral disk, swap, and the root disk unless it is a volume. From feature level
 * STRICT_CLAIMS on, the disk space in total must also be enough.
 */
export const diskFilter: Filter = {
  name: 'DiskFilter',
  description: 'The host has enough free disk space for the request, after overcommit and reserved space.',
  reads: classFields.DISK_GB,
  readsHostOnly: true,
  cacheKey: (request) => String(demandOf(request).diskGib),
  prepare: (request, { hosts }) =>
    amountFilter(request, hosts, demandOf(request).diskGib, {
      resourceClass: 'DISK_GB',
      unit: 'GiB',
      short: 'disk.short',
      tooLittle: 'disk.too_little',
    }),
}
