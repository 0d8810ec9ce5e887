import { parseRequestSpec, type RequestSpec } from '@gantt/scheduler-core'

export const HOSTS = ['h1', 'h2', 'h3', 'h4']
/** The hosts that report at the beginning, and one more name under which a host can report or to which a host can be renamed. */
export const NAMES = [...HOSTS, 'h5']
export const GROUPS = [
  { uuid: uuidOf(0x61), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 },
  { uuid: uuidOf(0x62), policy: 'AFFINITY', maxServerPerHost: null },
  { uuid: uuidOf(0x63), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 },
] as const

/** The feature level from which on groups can be kept apart from other groups. */
export const GROUPS_APART = 10

export const groupAt = (number: number) => GROUPS[number % GROUPS.length] as (typeof GROUPS)[number]

/** The part of a report in Nova's form, with this CPU allocation ratio. */
export const novaOf = (ratio: number) => ({
  computeNode: { cpu_allocation_ratio: ratio, ram_allocation_ratio: 0, disk_allocation_ratio: 1 },
  ...{ service: null, cellUuid: null, flavors: {}, images: {} },
})

export function requestOf({
  vcpus,
  memoryMb,
  ...rest
}: { vcpus: number; memoryMb: number; numInstances: number } & Record<string, unknown>): RequestSpec {
  const parsed = parseRequestSpec({ flavor: { vcpus, memoryMb }, ...rest })
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}
