import type { Cause } from '../cause/cause.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Claim } from '../records/claim.ts'

/**
 * A text for the user about how to move a claim that cannot move because other members of its affinity group are on the same host.
 * Undefined if the move was refused for a different reason. During a move both the source and the destination are members of the group.
 * Therefore members cannot move one by one under the policy AFFINITY, and the text proposes the policy SOFT_AFFINITY during the moves.
 */
export function affinityMoveText({ groups, hosts }: Fleet, { group, host }: Claim, { nearest }: Cause): string | undefined {
  if (nearest === null || nearest.refusals.some(({ reason }) => reason.code !== 'group.affinity')) return undefined
  const bound = group === null ? undefined : groups.find(group)
  if (bound?.policy !== 'AFFINITY') return undefined
  const members = bound.members.get(host) ?? 0
  if (members < 2) return undefined
  return (
    `Server group ${bound.uuid} keeps its ${members} members on ${hosts.get(host).host} together, and no member can leave while another one stays. ` +
    `Move all of them: make its policy SOFT_AFFINITY (serverGroupUpdate; gantt groups update ${bound.uuid} --policy soft-affinity), ` +
    'move or evacuate them, confirm, and make it AFFINITY again once they are on one host.'
  )
}
