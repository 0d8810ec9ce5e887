import type { Fleet } from '../../fleet/fleet.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { causeOf } from '../cause.ts'
import { causeText } from '../cause-text.ts'

export const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile

/** A fleet with small hosts in zone z1, large hosts in zone z2, and further hosts without a zone. */
export function town(more: Record<string, HostShape> = {}): Fleet {
  const log = aLog()
  const hosts: Record<string, HostShape> = {
    small1: { vcpus: 4, memoryMb: 8_192 },
    small2: { vcpus: 4, memoryMb: 4_096 },
    large1: { vcpus: 64, memoryMb: 262_144, traits: ['CUSTOM_LICENSED'] },
    large2: { vcpus: 64, memoryMb: 131_072 },
    used: { vcpus: 4, vcpusUsed: 3, memoryMb: 8_192, memoryMbUsed: 6_144 },
    ...more,
  }
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(hosts).map(([name, shape]) => aReport(name, shape))])
  const zones = { z1: ['small1', 'small2'], z2: ['large1', 'large2'] }
  log.append(
    Object.entries(zones).map(([zone, members], i) => ({
      type: 'aggregate' as const,
      uuid: aUuid(i + 1),
      expectedVersion: 0,
      next: { name: zone, hosts: members, metadata: { availability_zone: zone } },
    })),
  )
  return log.fleet
}

export const textOf = (fleet: Fleet, asks: Parameters<typeof aRequest>[0], profile = 'default', instance = 0): string => {
  const request = aRequest(asks)
  return causeText(causeOf(fleet, request, profileNamed(profile), instance))
}
