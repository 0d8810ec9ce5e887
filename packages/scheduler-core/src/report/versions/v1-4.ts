import { z } from 'zod'
import { limits } from '../../request/limits.ts'
import { newerField, type Problem } from '../../text/problem.ts'
import { className, gpuFields, gpusOf, gpuText, list, name, unique, whole } from './v1-0.ts'
import { hostStatsV1_1 } from './v1-1.ts'
import { checkOmitted, omittedFields } from './v1-2.ts'
import type { HostStatsV1_3 } from './v1-3.ts'

const openClasses = list(className)
  .refine(
    unique((resourceClass: string) => resourceClass),
    'must not name a class twice',
  )
  .default([])

/** The host in Nova's form, with what its inventories leave to the settings of the fleet. */
const nova = hostStatsV1_1.shape.nova
  .unwrap()
  .unwrap()
  .extend({
    openRatios: openClasses.describe(
      'Resource classes of `inventories` for which neither Placement nor the ComputeNode states a ratio: the ratio of the fleet applies.',
    ),
    openReserves: openClasses.describe(
      'Resource classes of `inventories` for which Placement states no reserved amount: the reserved amount of the fleet applies.',
    ),
  })
  .nullable()
  .default(null)
  .describe(hostStatsV1_1.shape.nova.description ?? '')

const gpu = z
  .strictObject({
    ...gpuFields,
    numaNode: whole(limits.cpus).nullable().default(null).describe('The id of the NUMA cell that the device is near to; null: not known.'),
  })
  .describe(gpuText)

/** HostStats 1.4 adds the NUMA cell of each GPU, and the ratios and reserved amounts that inventories next to a ComputeNode leave open. */
export const hostStatsV1_4 = hostStatsV1_1
  .extend({
    version: z.literal('1.4').default('1.4').describe('Version of this form.'),
    omitted: omittedFields,
    machineId: name
      .nullable()
      .default(null)
      .describe("An id of the machine that stays the same when the host's name changes; null if unknown. Ids are compared as they are."),
    gpus: gpusOf(gpu),
    nova,
  })
  .superRefine(checkOmitted)

export type HostStatsV1_4 = z.output<typeof hostStatsV1_4>

/** Converts a report of 1.3 to 1.4. The NUMA cells of its GPUs are unknown, and its inventories leave nothing open. */
export const upgradeFrom1_3 = (stats: HostStatsV1_3): HostStatsV1_4 => ({
  ...stats,
  version: '1.4',
  gpus: stats.gpus.map((device) => ({ ...device, numaNode: null })),
  nova: stats.nova && { ...stats.nova, openRatios: [], openReserves: [] },
})

/**
 * Converts a report of 1.4 to 1.3. There is a problem for each GPU with a NUMA cell and for each list of classes that are left open. `asked`
 * is the version that the problems name.
 */
export function downgradeTo1_3(
  stats: HostStatsV1_4,
  asked = '1.3',
): { readonly stats: HostStatsV1_3; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const gpus = stats.gpus.map(({ numaNode, ...device }, i) => {
    if (numaNode !== null) problems.push(newerField('stats', asked, ['gpus', String(i), 'numaNode'], numaNode, 'null'))
    return device
  })
  if (stats.nova === null) return { stats: { ...stats, version: '1.3', gpus, nova: null }, problems }
  const { openRatios, openReserves, ...nova } = stats.nova
  for (const [field, classes] of Object.entries({ openRatios, openReserves }))
    if (classes.length > 0) problems.push(newerField('stats', asked, ['nova', field], classes, 'an empty list'))
  return { stats: { ...stats, version: '1.3', gpus, nova }, problems }
}
