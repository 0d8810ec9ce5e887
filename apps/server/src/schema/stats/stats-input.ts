import { CURRENT_STATS_VERSION, statsDeltaV1, statsSchemas, statsVersions } from '@gantt/scheduler-core'
import { z } from 'zod'
import { inputOf } from '../forms/form-input.ts'
import { OmittableField } from './required-stats.ts'

const { nova: _, ...newest } = statsSchemas[CURRENT_STATS_VERSION].shape

/**
 * The schema of the newest version of a report, without Nova's documents, which have a separate field in the API. Reports in older versions
 * are accepted too.
 */
const fullStatsForm = z
  .strictObject({
    ...newest,
    version: z.enum(statsVersions).default(CURRENT_STATS_VERSION).describe('Version of the report form.'),
  })
  .describe('A full report of a host.')

export const fullStatsInput = inputOf(fullStatsForm, {
  name: 'FullStatsInput',
  versions: statsSchemas,
  names: {
    supportedInstances: 'SupportedInstanceInput',
    cpuInfo: 'CpuInfoInput',
    metrics: 'MetricInput',
    numaCells: 'HostNumaCellInput',
    'numaCells.pages': 'MemoryPagesInput',
    gpus: 'GpuInput',
    pciPools: 'PciPoolInput',
    inventories: 'InventoryInput',
  },
  types: {
    omitted: OmittableField,
    // the API published these fields as Int, and published types must not change, although the form accepts larger numbers
    localGbUsed: 'Int',
    'numaCells.pages.sizeKib': 'Int',
  },
  printedDefaults: ['inventories.reserved', 'inventories.allocationRatio', 'inventories.minUnit', 'inventories.stepSize'],
})

export const statsDeltaInput = inputOf(statsDeltaV1, { name: 'StatsDeltaInput', types: { localGbUsed: 'Int' } })
