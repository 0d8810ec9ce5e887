import { z } from 'zod'
import type { Reason } from '../../../text/reason.ts'
import { leastInt } from '../../../weighers/aggregate-metadata.ts'
import { novaFilter } from '../../parts/nova-filter.ts'

/** Nova's max_instances_per_host. */
const options = z.strictObject({ max_instances_per_host: z.number().int().min(1).default(50) })

/** The host holds fewer instances than it may. */
export const numInstancesFilter = novaFilter({
  name: 'NumInstancesFilter',
  description: 'The host holds fewer instances than it may.',
  reads: ['runningVms'],
  options,
  prepare:
    (_request, { max_instances_per_host: most }) =>
    (host) =>
      tooMany(host.numInstances, most, 'option max_instances_per_host'),
})

/** As NumInstancesFilter, with the least number that the host's aggregates give under the option's name. */
export const aggregateNumInstancesFilter = novaFilter({
  name: 'AggregateNumInstancesFilter',
  description: 'The host holds fewer instances than its aggregates allow.',
  reads: ['runningVms'],
  readsMetadata: [{ key: 'max_instances_per_host' }],
  options,
  prepare:
    (_request, { max_instances_per_host: option }) =>
    (host) => {
      const { value: most, source = 'option max_instances_per_host' } = leastInt(host, 'max_instances_per_host', option)
      return tooMany(host.numInstances, most, source)
    },
})

const tooMany = (instances: number, most: number, source: string): Reason | undefined =>
  instances < most
    ? undefined
    : { code: 'instances.too_many', subject: 'instances', need: `fewer than ${most}`, have: instances, unit: 'instances', source }
