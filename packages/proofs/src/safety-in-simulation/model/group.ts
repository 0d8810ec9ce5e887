import { growsInPlace, isLive } from './claim.ts'
import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'
import type { ModelClaim } from './state.ts'

/** The live members of a group. While an instance is resized on its own host, only the claim with the old size is counted. */
export function membersOf(fleet: ModelFleet, uuid: string): ModelClaim[] {
  return fleet.claims.filter((claim) => isLive(claim) && claim.group === uuid && !growsInPlace(fleet, claim))
}

export function bindGroup(fleet: ModelFleet, group: ModelChange | null): void {
  if (group === null) return
  const known = fleet.group(group.uuid)
  const apart = [...new Set([...(known?.apart ?? []), ...(group.apartFrom ?? [])])].sort()
  const bound = known ?? { uuid: group.uuid, policy: group.policy, max: group.maxServerPerHost, version: 1, edited: 0 }
  // The list is replaced and not changed in place. So if the proposal is void, the former list can be restored.
  fleet.groups = [...fleet.groups.filter((other) => other !== known), { ...bound, apart }]
}

/** The groups from which a group must be kept apart, because of its own rule or of the other group's rule. */
export const apartOf = (fleet: ModelFleet, uuid: string): readonly string[] => [
  ...(fleet.group(uuid)?.apart ?? []),
  ...fleet.groups.filter(({ apart }) => apart.includes(uuid)).map((other) => other.uuid),
]

/** Whether a host has members of both groups. */
export const shareHost = (fleet: ModelFleet, one: string, other: string): boolean =>
  membersOf(fleet, one).some(({ host }) => membersOf(fleet, other).some((member) => member.host === host))

/** Whether a claim adds the rule that its group is kept apart from another group, although members of both groups already share a host. */
export function wantsApartTooLate(fleet: ModelFleet, group: ModelChange | null): boolean {
  if (group === null) return false
  const bound = apartOf(fleet, group.uuid)
  return (group.apartFrom ?? []).some((other: string) => !bound.includes(other) && shareHost(fleet, group.uuid, other))
}

export function judgeGroup(fleet: ModelFleet, change: ModelChange): string | undefined {
  const group = fleet.group(change.uuid)
  if (group === undefined) return 'group.unknown'
  if (group.version !== change.expectedVersion) return 'group.version'
  const hosts = membersOf(fleet, group.uuid).map(({ host }) => host)
  const most = Math.max(0, ...hosts.map((host) => hosts.filter((other) => other === host).length))
  if (change.policy === 'ANTI_AFFINITY' && most > (change.maxServerPerHost ?? 1)) return 'group.conflict'
  if (change.policy === 'AFFINITY' && new Set(hosts).size > 1) return 'group.conflict'
  group.policy = change.policy
  group.max = change.maxServerPerHost
  markEdited(fleet, group.uuid)
  return undefined
}

export function markEdited(fleet: ModelFleet, uuid: string | null): void {
  const group = fleet.group(uuid)
  if (group === undefined) return
  group.version++
  group.edited = fleet.revision
}

export function forgetEmptyGroups(fleet: ModelFleet): void {
  fleet.groups = fleet.groups.filter(({ uuid }) => membersOf(fleet, uuid).length > 0)
}
