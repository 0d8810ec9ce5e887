import type { HostStats, RequestSpec } from '@gantt/scheduler-core'
import type { ProfileParts } from './driver.ts'

/** A host's picture of itself as the API takes it. A replay's hosts run nothing, so only what they have is sent. */
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

/** A request as the API takes it: what the replays of traces ask. */
export const toSpec = ({ flavor, gpus }: RequestSpec) => ({
  numInstances: 1,
  flavor: { vcpus: flavor.vcpus, memoryMb: flavor.memoryMb, extraSpecs: toKeyValues(flavor.extraSpecs) },
  ...(gpus === null ? {} : { gpus }),
})

/** A profile version as the API takes it. */
export const toProfileVersion = ({ filters, weighers, ...parts }: ProfileParts) => ({
  ...parts,
  filters: filters.map(({ name, options }) => ({ name, enabled: true, options: toOptions(options) })),
  weighers: weighers.map(({ name, multiplier, options }) => ({ name, enabled: true, multiplier, options: toOptions(options) })),
})

const toKeyValues = (values: Readonly<Record<string, string>>) => Object.entries(values).map(([key, value]) => ({ key, value }))

/** Options may nest: each value travels as JSON. */
const toOptions = (options: Readonly<Record<string, unknown>>) =>
  Object.entries(options).map(([key, value]) => ({ key, value: JSON.stringify(value) }))
