import { growsInPlace, isLive, type ModelClaim } from './claim.ts'
import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'

export interface ModelGroup {
  uuid: string
  policy: string
  max: number | null
  version: number
  edited: number
}

/** Live members of a group: a claim that grows on its own host is its source's until the move ends. */
export function membersOf(fleet: ModelFleet, uuid: string): ModelClaim[] {
  return fleet.claims.filter((claim) => isLive(claim) && claim.group === uuid && !growsInPlace(fleet, claim))
}

export function bindGroup(fleet: ModelFleet, group: ModelChange | null): void {
  if (group === null || fleet.group(group.uuid) !== undefined) return
  fleet.groups.push({ uuid: group.uuid, policy: group.policy, max: group.maxServerPerHost, version: 1, edited: 0 })
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
