import { z } from 'zod'
import { at } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { fieldsOfClass, type StatsField } from '../fleet/stats-fields.ts'
import type { HostIndex } from '../host-index.ts'
import { memoByObject } from '../memo.ts'
import { checkOptions } from '../request/parse.ts'
import { demandOf, type RequestSpec } from '../request/request-spec.ts'
import type { WeigherOptions } from './weigher.ts'

/** The pseudo-class of GPUs in weigher options: thousandths, over all GPUs of a host. */
export const GPU_MILLI = 'GPU_MILLI'

/** Resources that a weigher looks at, in this order. */
export const resourceOptions = z.strictObject({
  resources: z
    .array(
      z.strictObject({
        /** A resource class, or GPU_MILLI. */
        resourceClass: z.string(),
        /** What counts as 1; absent: the host's own capacity. */
        scale: z.number().positive().optional(),
      }),
    )
    .min(1)
    .default([{ resourceClass: 'VCPU' }, { resourceClass: 'MEMORY_MB' }]),
  /** True: scores are whole points of 0..100, truncated, so that near-equal hosts tie. */
  points: z.boolean().default(false),
})

const optionsOf = memoByObject((options: WeigherOptions) => checkOptions(resourceOptions, options))

/** Where reports tell of the resources. */
export const readsOfResources = (options: WeigherOptions): readonly StatsField[] => [
  ...new Set(
    optionsOf(options).resources.flatMap(({ resourceClass }) =>
      resourceClass === GPU_MILLI ? (['gpus'] as const) : fieldsOfClass(resourceClass),
    ),
  ),
]

export const checkResourceOptions = (options: WeigherOptions): void => void checkOptions(resourceOptions, options)

/** One resource as fractions of its scale: what is free on a host, and what the request asks. */
export interface Dimension {
  free(host: HostIndex): number
  asked(host: HostIndex): number
}

/** The resources of the options, ready to be read per host. */
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

/** What of a request these weighers read. */
export const dimensionKey = (request: RequestSpec): string =>
  JSON.stringify([demandOf(request).amounts, request.gpus?.count ?? 0, request.gpus?.shareMilli ?? 0])
