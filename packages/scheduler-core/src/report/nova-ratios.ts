import type { JsonObject } from '../values/json.ts'
import type { HostStats } from './stats.ts'

/**
 * Nova's names of ratios by resource class. They are the names of options, of fields in documents of hosts, and of metadata of aggregates.
 */
export const ratioKeys = {
  VCPU: 'cpu_allocation_ratio',
  MEMORY_MB: 'ram_allocation_ratio',
  DISK_GB: 'disk_allocation_ratio',
} as const

/** A class for which Nova has a ratio. */
export type RatioClass = keyof typeof ratioKeys
export const ratioClasses: readonly RatioClass[] = ['VCPU', 'MEMORY_MB', 'DISK_GB']

export const isRatioClass = (resourceClass: string): resourceClass is RatioClass => Object.hasOwn(ratioKeys, resourceClass)

/** The first release of Nova with lower default ratios: 4 instead of 16 for vCPUs, and 1 for memory. */
const MODEST = 27

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

/** The default ratio and reserved amount of a release of Nova. */
export const novaDefaults = (release: number): Readonly<Record<string, Defaults>> => (release >= MODEST ? modest : early)

/** Whether a document in Nova's form leaves the ratio of a class to the configuration, because the ratio is 0, null, or absent. */
export function isUnset(nova: HostStats['nova'], resourceClass: string): boolean {
  if (nova === null || !isRatioClass(resourceClass)) return false
  const key = ratioKeys[resourceClass]
  const { 'nova_object.data': data } = nova.computeNode
  const isInEnvelope = data !== undefined && data !== null && typeof data === 'object' && !Array.isArray(data)
  const ratio = ((isInEnvelope ? data : nova.computeNode) as JsonObject)[key]
  return ratio === undefined || ratio === null || Number(ratio) === 0
}
