import type { JsonObject } from '../values/json.ts'
import type { HostStats } from './stats.ts'

/** Nova's name of the allocation ratio of each resource class. nova.conf, ComputeNode objects and aggregate metadata use the same names. */
export const ratioKeys = {
  VCPU: 'cpu_allocation_ratio',
  MEMORY_MB: 'ram_allocation_ratio',
  DISK_GB: 'disk_allocation_ratio',
} as const

/** A resource class with an allocation ratio in Nova. */
export type RatioClass = keyof typeof ratioKeys
export const ratioClasses: readonly RatioClass[] = ['VCPU', 'MEMORY_MB', 'DISK_GB']

export const isRatioClass = (resourceClass: string): resourceClass is RatioClass => Object.hasOwn(ratioKeys, resourceClass)

/** The first major version of Nova with the default ratios 4 for vCPUs and 1 for memory. Older versions have 16 and 1.5. */
const FIRST_RELEASE_WITH_LOWER_DEFAULTS = 27

interface Defaults {
  readonly ratio: number
  readonly reserved: number
}

const usual = (vcpu: number, memory: number): Readonly<Record<string, Defaults>> => ({
  VCPU: { ratio: vcpu, reserved: 0 },
  MEMORY_MB: { ratio: memory, reserved: 512 },
  DISK_GB: { ratio: 1, reserved: 0 },
})

const [early, modest] = [usual(16, 1.5), usual(4, 1)]

/** The default ratio and reserved amount of each resource class in a major version of Nova. */
export const novaDefaults = (release: number): Readonly<Record<string, Defaults>> =>
  release >= FIRST_RELEASE_WITH_LOWER_DEFAULTS ? modest : early

/** True if the ratio of a class is 0, null or absent in a host's ComputeNode. The configuration then determines the ratio. */
export function isUnset(nova: HostStats['nova'], resourceClass: string): boolean {
  if (nova === null || !isRatioClass(resourceClass)) return false
  const key = ratioKeys[resourceClass]
  const { 'nova_object.data': data } = nova.computeNode
  const isInEnvelope = data !== undefined && data !== null && typeof data === 'object' && !Array.isArray(data)
  const ratio = ((isInEnvelope ? data : nova.computeNode) as JsonObject)[key]
  return ratio === undefined || ratio === null || Number(ratio) === 0
}
