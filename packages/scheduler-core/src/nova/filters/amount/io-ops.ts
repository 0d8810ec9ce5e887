import { z } from 'zod'
import type { Reason } from '../../../text/reason.ts'
import { leastInt } from '../../../weighers/aggregate-metadata.ts'
import { novaFilter } from '../../parts/nova-filter.ts'

/** Nova's max_io_ops_per_host. */
const options = z.strictObject({ max_io_ops_per_host: z.number().int().min(0).default(8) })

/** The host runs fewer input/output-heavy operations (builds, migrations, snapshots) than it may. */
export const ioOpsFilter = novaFilter({
  name: 'IoOpsFilter',
  description: 'The host runs fewer I/O-heavy operations than it may.',
  reads: ['numIoOps'],
  options,
  prepare:
    (_request, { max_io_ops_per_host: most }) =>
    (host) =>
      tooMany(host.numIoOps, most, 'option max_io_ops_per_host'),
})

/** As IoOpsFilter, with the least number that the host's aggregates give under the option's name. */
export const aggregateIoOpsFilter = novaFilter({
  name: 'AggregateIoOpsFilter',
  description: 'The host runs fewer I/O-heavy operations than its aggregates allow.',
  reads: ['numIoOps'],
  readsMetadata: [{ key: 'max_io_ops_per_host' }],
  options,
  prepare:
    (_request, { max_io_ops_per_host: option }) =>
    (host) => {
      const { value: most, source = 'option max_io_ops_per_host' } = leastInt(host, 'max_io_ops_per_host', option)
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
