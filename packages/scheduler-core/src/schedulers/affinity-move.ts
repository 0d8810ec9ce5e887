import type { Cause } from '../cause/cause.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Claim } from '../records/claim.ts'

/**
 * Text about a member of an affinity group that cannot leave its host while other members stay: the cause, and how to move all members.
 * Undefined if the refusal in `cause` has a different reason. Both ends of an open move count as members, so no order of moves satisfies
 * the rule. The policy must be a soft one during the moves.
 */
export function affinityMoveText({ groups, hosts }: Fleet, { group, host }: Claim, { nearest }: Cause): string | undefined {
  if (nearest === null || nearest.refusals.some(({ reason }) => reason.code !== 'group.affinity')) return undefined
  const bound = group === null ? undefined : groups.find(group)
  if (bound?.policy !== 'AFFINITY') return undefined
  const members = bound.members.get(host) ?? 0
  if (members < 2) return undefined
  return (
    `Server group ${bound.uuid} keeps its ${members} members on ${hosts.get(host).host} together, and none can leave while another stays. ` +
    `Move all of them: make its policy SOFT_AFFINITY (serverGroupUpdate; gantt groups update ${bound.uuid} --policy soft-affinity), ` +
    'move or evacuate them, confirm, and make it AFFINITY again once they are on one host.'
  )
}
