import type { HostStats, RequestSpec } from '@gantt/scheduler-core'
import type { ProfileParts } from '../driver.ts'

/**
 * The report of a host in the form of the API. The hosts of a replay run nothing, so their GPUs and inventories are sent without used
 * amounts.
 */
export const toFullStats = (name: string, stats: HostStats) => ({
  vcpus: stats.vcpus,
  vcpusUsed: stats.vcpusUsed,
  memoryMb: stats.memoryMb,
  memoryMbUsed: stats.memoryMbUsed,
  localGb: stats.localGb,
  localGbUsed: stats.localGbUsed,
  cpuAllocationRatio: stats.cpuAllocationRatio,
  ramAllocationRatio: stats.ramAllocationRatio,
  diskAllocationRatio: stats.diskAllocationRatio,
  hypervisorType: 'replay',
  hypervisorVersion: 0,
  hypervisorHostname: name,
  gpus: stats.gpus.map(({ index, model }) => ({ index, model })),
  inventories: stats.inventories.map(({ resourceClass, total }) => ({ resourceClass, total })),
})

/** A request in the form of the API, with only the fields that replays of traces need. */
export const toSpec = ({ flavor, gpus }: RequestSpec) => ({
  numInstances: 1,
  flavor: { vcpus: flavor.vcpus, memoryMb: flavor.memoryMb, extraSpecs: toKeyValues(flavor.extraSpecs) },
  ...(gpus === null ? {} : { gpus }),
})

/** A profile version in the form of the API, with enum values in capitals. */
export const toProfileVersion = ({
  filters,
  weighers,
  normalisation,
  tieOrder,
  scheduler,
  assignment,
  hostSubsetSize,
  collects,
  note,
}: ProfileParts) => ({
  filters: filters.map(({ name, options }) => ({ name, options })),
  weighers: weighers.map(({ name, multiplier, options }) => ({ name, multiplier, options })),
  normalisation: toEnum(normalisation),
  tieOrder: toEnum(tieOrder),
  scheduler: toEnum(scheduler),
  assignment,
  hostSubsetSize,
  ...(collects !== undefined && { collects: collects.map(toEnum) }),
  note,
})

const toEnum = (word: string): string => word.toUpperCase().replaceAll('-', '_')

const toKeyValues = (values: Readonly<Record<string, string>>) => Object.entries(values).map(([key, value]) => ({ key, value }))
