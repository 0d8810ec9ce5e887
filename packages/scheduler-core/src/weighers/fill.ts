import { z } from 'zod'
import type { WeigherOptions } from '../contracts/weigher.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { at } from '../hosts/columns.ts'
import { fieldsOfClass, type StatsField } from '../report/stats-fields.ts'
import { checkOptions } from '../request/parse.ts'
import { demandOf, type RequestSpec } from '../request/request-spec.ts'
import type { HostIndex } from '../values/host-index.ts'
import { memoByObject } from '../values/memo.ts'

/** Weigher options can list GPU_MILLI like a resource class. Its amount is the sum over all GPUs of a host, in thousandths of a GPU. */
export const GPU_MILLI = 'GPU_MILLI'

/** Options that list the resources which a weigher considers. */
export const resourceOptions = z.strictObject({
  resources: z
    .array(
      z.strictObject({
        /** A resource class, or GPU_MILLI. */
        resourceClass: z.string(),
        /** The free and requested amounts are divided by this amount to get shares. Absent: they are divided by the host's capacity. */
        scale: z.number().positive().optional(),
      }),
    )
    .min(1)
    .default([{ resourceClass: 'VCPU' }, { resourceClass: 'MEMORY_MB' }]),
  /** If true, scores are truncated to integers from 0 to 100. Nearly equal hosts then have equal scores. */
  points: z.boolean().default(false),
})

const optionsOf = memoByObject((options: WeigherOptions) => checkOptions(resourceOptions, options))

/** The fields of a host's report that contain the resources which the options list. */
export const readsOfResources = (options: WeigherOptions): readonly StatsField[] => [
  ...new Set(
    optionsOf(options).resources.flatMap(({ resourceClass }) =>
      resourceClass === GPU_MILLI ? (['gpus'] as const) : fieldsOfClass(resourceClass),
    ),
  ),
]

export const checkResourceOptions = (options: WeigherOptions): void => void checkOptions(resourceOptions, options)

/** One resource: the share that is free on a host, and the share of the host that the request needs. */
export interface Dimension {
  free(host: HostIndex): number
  asked(host: HostIndex): number
}

/** Prepares functions that read the host's free share and the requested share of each resource in the options. */
export function dimensionsOf(
  request: RequestSpec,
  { hosts }: Fleet,
  options: WeigherOptions,
): { dimensions: readonly Dimension[]; finish: (score: number) => number } {
  const { resources, points } = optionsOf(options)
  const { amounts } = demandOf(request)
  const dimensions = resources.map(({ resourceClass, scale }): Dimension => {
    if (resourceClass === GPU_MILLI) {
      const asked = (request.gpus?.count ?? 0) * (request.gpus?.shareMilli ?? 0)
      const scaleOf = (host: HostIndex) => scale ?? Math.max(1, hosts.get(host).gpus.length * 1_000)
      return { free: (host) => at(hosts.columns.gpuFreeMilli, host) / scaleOf(host), asked: (host) => asked / scaleOf(host) }
    }
    const columns = hosts.classColumns(resourceClass)
    const asked = amounts[resourceClass] ?? 0
    const scaleOf = (host: HostIndex) => scale ?? Math.max(1, at(columns.capacity, host))
    return { free: (host) => at(columns.free, host) / scaleOf(host), asked: (host) => asked / scaleOf(host) }
  })
  return { dimensions, finish: points ? (score) => Math.trunc(100 * score) : (score) => score }
}

/** The cache key of weighers that use `dimensionsOf`. It contains every field of the request that they read. */
export const dimensionKey = (request: RequestSpec): string =>
  JSON.stringify([demandOf(request).amounts, request.gpus?.count ?? 0, request.gpus?.shareMilli ?? 0])
