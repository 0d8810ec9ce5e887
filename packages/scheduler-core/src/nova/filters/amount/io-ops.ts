import { z } from 'zod'
import type { Reason } from '../../../text/reason.ts'
import { minInt } from '../../../weighers/aggregate-metadata.ts'
import { novaFilter } from '../../parts/nova-filter.ts'

const options = z.strictObject({ max_io_ops_per_host: z.number().int().min(0).default(8) })

/** Passes hosts with fewer I/O-heavy operations (builds, migrations, snapshots) than the option `max_io_ops_per_host`. */
export const ioOpsFilter = novaFilter({
  name: 'IoOpsFilter',
  description: 'The host runs fewer I/O-heavy operations than max_io_ops_per_host.',
  reads: ['numIoOps'],
  cachedBy: [],
  options,
  prepare:
    (_request, { max_io_ops_per_host: most }) =>
    (host) =>
      tooMany(host.numIoOps, most, 'option max_io_ops_per_host'),
})

/** Like IoOpsFilter, but with the lowest limit in the metadata of the host's aggregates. The metadata key is the name of the option. */
export const aggregateIoOpsFilter = novaFilter({
  name: 'AggregateIoOpsFilter',
  description: 'The host runs fewer I/O-heavy operations than its aggregates allow.',
  reads: ['numIoOps'],
  cachedBy: [],
  readsMetadata: [{ key: 'max_io_ops_per_host' }],
  options,
  prepare:
    (_request, { max_io_ops_per_host: option }) =>
    (host) => {
      const { value: most, source = 'option max_io_ops_per_host' } = minInt(host, 'max_io_ops_per_host', option)
      return tooMany(host.numIoOps, most, source)
    },
})

const tooMany = (operations: number, most: number, source: string): Reason | undefined =>
  operations < most
    ? undefined
    : ({
        code: 'io_ops.too_many',
        subject: 'I/O operations',
        need: `fewer than ${most}`,
        have: operations,
        unit: 'operations',
        source,
      } as const)
