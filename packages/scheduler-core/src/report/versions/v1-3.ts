import { z } from 'zod'
import { newerField, type Problem } from '../../text/problem.ts'
import { name } from './v1-0.ts'
import { hostStatsV1_1 } from './v1-1.ts'
import { checkOmitted, type HostStatsV1_2, omittedFields } from './v1-2.ts'

/** HostStats 1.3 adds `machineId`, which stays the same when the host is renamed. */
export const hostStatsV1_3 = hostStatsV1_1
  .extend({
    version: z.literal('1.3').default('1.3').describe('Version of this form.'),
    omitted: omittedFields,
    machineId: name
      .nullable()
      .default(null)
      .describe("An id of the machine that stays the same when the host's name changes; null if unknown. Ids are compared as they are."),
  })
  .superRefine(checkOmitted)

export type HostStatsV1_3 = z.output<typeof hostStatsV1_3>

/** Converts a report of 1.2 to 1.3. The machine id is unknown. */
export const upgradeFrom1_2 = (stats: HostStatsV1_2): HostStatsV1_3 => ({ ...stats, version: '1.3', machineId: null })

/** Converts a report of 1.3 to 1.2. There is a problem if the report has a machine id. `asked` is the version that the problem names. */
export function downgradeTo1_2(
  stats: HostStatsV1_3,
  asked = '1.2',
): { readonly stats: HostStatsV1_2; readonly problems: readonly Problem[] } {
  const { machineId, ...rest } = stats
  return {
    stats: { ...rest, version: '1.2' },
    problems: machineId === null ? [] : [newerField('stats', asked, ['machineId'], machineId, 'null')],
  }
}
