import { z } from 'zod'
import type { Reason } from '../../../text/reason.ts'
import { minInt } from '../../../weighers/aggregate-metadata.ts'
import { novaFilter } from '../../parts/nova-filter.ts'

const options = z.strictObject({ max_instances_per_host: z.number().int().min(1).default(50) })

/** Passes hosts with fewer instances than `max_instances_per_host`. */
export const numInstancesFilter = novaFilter({
  name: 'NumInstancesFilter',
  description: 'The host has fewer instances than max_instances_per_host.',
  reads: ['runningVms'],
  cachedBy: [],
  options,
  prepare:
    (_request, { max_instances_per_host: most }) =>
    (host) =>
      tooMany(host.numInstances, most, 'option max_instances_per_host'),
})

/** Like NumInstancesFilter, but with the lowest limit in the metadata of the host's aggregates. The metadata key is the option's name. */
export const aggregateNumInstancesFilter = novaFilter({
  name: 'AggregateNumInstancesFilter',
  description: 'The host has fewer instances than its aggregates allow.',
  reads: ['runningVms'],
  cachedBy: [],
  readsMetadata: [{ key: 'max_instances_per_host' }],
  options,
  prepare:
    (_request, { max_instances_per_host: option }) =>
    (host) => {
      const { value: most, source = 'option max_instances_per_host' } = minInt(host, 'max_instances_per_host', option)
      return tooMany(host.numInstances, most, source)
    },
})

const tooMany = (instances: number, most: number, source: string): Reason | undefined =>
  instances < most
    ? undefined
    : { code: 'instances.too_many', subject: 'instances', need: `fewer than ${most}`, have: instances, unit: 'instances', source }
