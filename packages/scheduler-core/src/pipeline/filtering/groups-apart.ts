import type { Filter } from '../../contracts/filter.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Group } from '../../hosts/groups.ts'
import { groupFrom } from '../../hosts/sources.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { HostIndex } from '../../values/host-index.ts'

/**
 * Returns true if the request's group must be kept apart from another group that has members. Either of the two groups can state this rule.
 */
export const asksApart = ({ instanceGroup }: RequestSpec, { groups }: Fleet): boolean =>
  instanceGroup !== null && groups.apartOf(instanceGroup.uuid, instanceGroup.apartFrom).length > 0

/**
 * Refuses a host that has members of a server group that must be kept apart from the request's group. Every claim must satisfy this rule.
 */
export const serverGroupApartFilter: Filter = {
  name: 'ServerGroupApartFilter',
  description: "The host has no members of a server group that must be kept apart from the instance's own group.",
  reads: [],
  readsHostOnly: true,
  prepare(request, fleet) {
    const { instanceGroup } = request
    if (instanceGroup === null || !asksApart(request, fleet)) return undefined
    const { uuid } = instanceGroup
    const others = fleet.groups.apartOf(uuid, instanceGroup.apartFrom).map((group) => group.uuid)
    // the group is looked up for each host, because it is replaced by a new object when its members change
    const found = (host: HostIndex): Group[] =>
      others.flatMap((other) => {
        const group = fleet.groups.find(other)
        return group?.members.has(host) ? [group] : []
      })
    return {
      passes: (host) => found(host).length === 0,
      reason(host) {
        const [first] = found(host)
        return {
          code: 'group.apart',
          subject: uuid,
          need: `no member of ${first?.uuid}`,
          have: first?.members.get(host) ?? 0,
          unit: 'members',
        }
      },
      facts: (host) =>
        found(host).map((group) => ({
          subject: uuid,
          required: `no member of ${group.uuid}`,
          actual: group.members.get(host) ?? 0,
          unit: 'members',
          requiredFrom: groupFrom(group.apartFrom?.includes(uuid) ? group.uuid : uuid, 'apartFrom'),
          actualFrom: { kind: 'claims', ref: `${group.members.get(host) ?? 0} claims of the group` },
        })),
    }
  },
}
