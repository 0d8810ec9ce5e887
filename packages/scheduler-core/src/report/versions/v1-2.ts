import { z } from 'zod'
import { newerField, type Problem } from '../../text/problem.ts'
import { list, unique } from './v1-0.ts'
import { type HostStatsV1_1, hostStatsV1_1 } from './v1-1.ts'

/**
 * The fields that a report may omit, each with the value that it then has. The totals and used amounts of CPUs, memory and disk, the
 * ratios, the inventories and the instances cannot be omitted, because claims are counted with them.
 */
const placeholders = {
  freeDiskGb: null,
  diskAvailableLeast: null,
  runningVms: 0,
  numIoOps: 0,
  hypervisorType: null,
  hypervisorVersion: null,
  hypervisorHostname: null,
  hostIp: null,
  supportedInstances: [],
  cpuInfo: null,
  metrics: [],
  numaCells: [],
  tunneledCells: [],
  gpus: [],
  pciPools: [],
  traits: [],
} as const satisfies { readonly [Field in keyof HostStatsV1_1]?: HostStatsV1_1[Field] }

export type OmittableField = keyof typeof placeholders

/** The names of the fields that a report may omit. At most 31, because the column `omits` has a bit for each in a 32-bit number. */
export const omittableFields = Object.keys(placeholders) as readonly OmittableField[]

export const omittedFields = list(z.enum(omittableFields))
  .refine(
    unique((field: string) => field),
    'must not name a field twice',
  )
  .default([])
  .describe('Fields that this report leaves out. Their values are then unknown, which is not the same as empty.')

/** Checks that omitted fields have no content. */
export function checkOmitted(
  stats: Pick<HostStatsV1_1, OmittableField> & { readonly omitted: readonly OmittableField[] },
  context: z.RefinementCtx,
): void {
  for (const [i, field] of stats.omitted.entries())
    if (JSON.stringify(stats[field]) !== JSON.stringify(placeholders[field]))
      context.addIssue({
        code: 'custom',
        path: ['omitted', String(i)],
        input: field,
        message: `must name fields that the report does not contain; it contains ${field}`,
      })
}

/**
 * HostStats 1.2 adds `omitted`: a report names the fields that it leaves out. The value of such a field is unknown. In version 1.1 an
 * absent field means that the host does not have the resource.
 */
export const hostStatsV1_2 = hostStatsV1_1
  .extend({ version: z.literal('1.2').default('1.2').describe('Version of this form.'), omitted: omittedFields })
  .superRefine(checkOmitted)

export type HostStatsV1_2 = z.output<typeof hostStatsV1_2>

/** Converts a report of 1.1 to 1.2. A report of 1.1 omits no field: if it does not have a resource, the host does not have the resource. */
export const upgradeFrom1_1 = (stats: HostStatsV1_1): HostStatsV1_2 => ({ ...stats, version: '1.2', omitted: [] })

/** Converts a report of 1.2 to 1.1. There is a problem if the report omits fields. `asked` is the version that the problem names. */
export function downgradeTo1_1(
  stats: HostStatsV1_2,
  asked = '1.1',
): { readonly stats: HostStatsV1_1; readonly problems: readonly Problem[] } {
  const { omitted, ...rest } = stats
  return {
    stats: { ...rest, version: '1.1' },
    problems: omitted.length === 0 ? [] : [newerField('stats', asked, ['omitted'], omitted, 'an empty list')],
  }
}
