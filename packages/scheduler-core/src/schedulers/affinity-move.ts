import type { Cause } from '../cause/cause.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { at } from '../hosts/columns.ts'
import { hostStatuses, livenessStates } from '../records/change.ts'
import { type Claim, isLive } from '../records/claim.ts'
import type { HostIndex } from '../values/host-index.ts'

/**
 * A text for the user about how to move a claim that cannot move because other members of its affinity group are on the same host.
 * Undefined if the move was refused for a different reason. During a move both the source and the destination are members of the group.
 * Therefore members cannot move one by one under the policy AFFINITY, and the text proposes the policy SOFT_AFFINITY during the moves. If
 * no other host has room for all of them, the text says so.
 */
export function affinityMoveText(fleet: Fleet, { group, host }: Claim, { nearest }: Cause): string | undefined {
  const { groups, hosts } = fleet
  if (nearest === null || nearest.refusals.some(({ reason }) => reason.code !== 'group.affinity')) return undefined
  const bound = group === null ? undefined : groups.find(group)
  if (bound?.policy !== 'AFFINITY') return undefined
  const members = bound.members.get(host) ?? 0
  if (members < 2) return undefined
  return (
    `Server group ${bound.uuid} keeps its ${members} members on ${hosts.get(host).host} together, and no member can leave while another one stays. ` +
    `Move all of them: make its policy SOFT_AFFINITY (serverGroupUpdate; gantt groups update ${bound.uuid} --policy soft-affinity), ` +
    'move or evacuate them, confirm, and make it AFFINITY again once they are on one host.' +
    (hasRoomForAll(fleet, bound.uuid, host)
      ? ''
      : ' No other host has enough free for all of them at present, so free capacity on one first.')
  )
}

/** True if a usable host has as much free of each resource class as all members of the group on `home` hold there together. */
function hasRoomForAll({ hosts }: Fleet, group: string, home: HostIndex): boolean {
  const sums = new Map<string, number>()
  for (const claim of hosts.get(home).claims) {
    if (claim.group !== group || !isLive(claim)) continue
    for (const [resourceClass, amount] of Object.entries(claim.grants.classes ?? {}))
      sums.set(resourceClass, (sums.get(resourceClass) ?? 0) + amount)
  }
  const needs = [...sums].map(([resourceClass, need]) => ({ need, free: hosts.classColumns(resourceClass).free }))
  const { status, liveness } = hosts.columns
  const isUsable = (index: HostIndex): boolean =>
    hostStatuses[at(status, index)] === 'ENABLED' && livenessStates[at(liveness, index)] !== 'DOWN'
  return hosts.present.some(({ index }) => index !== home && isUsable(index) && needs.every(({ need, free }) => at(free, index) >= need))
}
