import { createHash } from 'node:crypto'
import type { Group, Setting } from './history.ts'
import { UNITS_OF_A_HOST } from './picked-units.ts'

/** A custom resource class. Hosts allow only certain amounts of it per instance: a minimum, a maximum and a step. */
export const LICENCES = 'CUSTOM_LICENCES'

/** A uuid that depends only on the text. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** A fleet with fewer resources than its clients request, and groups that the clients share. */
export function settingFor(seed: string, clients: number): Setting {
  const hosts = Array.from({ length: clients }, (_, i) => ({
    name: `h${i}`,
    capacity: { VCPU: 10 + (i % 3) * 3, MEMORY_MB: 16_384, [LICENCES]: 12, ...UNITS_OF_A_HOST },
    base: { VCPU: i % 2, MEMORY_MB: 256 * (i % 2) },
  }))
  const groupOf = (i: number, policy: Group['policy'], maxServerPerHost: number | null): Group => ({
    uuid: uuidOf(`${seed}/group-${i}`),
    policy,
    maxServerPerHost,
  })
  return {
    units: { [LICENCES]: { min: 2, max: 6, step: 2 } },
    hosts,
    groups: [
      groupOf(0, 'ANTI_AFFINITY', null),
      groupOf(1, 'ANTI_AFFINITY', null),
      groupOf(2, 'ANTI_AFFINITY', 2),
      groupOf(3, 'ANTI_AFFINITY', 3),
      groupOf(4, 'AFFINITY', null),
      groupOf(5, 'AFFINITY', null),
    ],
  }
}
