import { byCodeUnit, type Group } from '@gantt/scheduler-core'
import type { Replica } from '../replica/replica.ts'
import type { HostView } from './host-view.ts'
import { listOf, type Page, type PageArgs, pageOf } from './paging.ts'

/** How many live members of a server group a host holds. */
export interface GroupMembers {
  readonly host: HostView
  readonly members: number
}

/** Server groups as claims bound them. */
export interface Groups {
  find(uuid: string): Group | undefined
  list(args: PageArgs): Page<Group>
  membersOf(group: Group): GroupMembers[]
}

export function createGroups(replica: Replica): Groups {
  return {
    find: (uuid) => replica.fleet.groups.find(uuid),
    list: (args) =>
      pageOf(
        listOf('serverGroups'),
        args,
        [...replica.fleet.groups.byUuid.values()].sort((a, b) => byCodeUnit(a.uuid, b.uuid)),
        {
          types: ['string'],
          keyFor: ({ uuid }) => [uuid] as const,
          isAfter: ({ uuid }, [last]) => byCodeUnit(uuid, last) > 0,
        },
      ),
    membersOf: ({ members }) => {
      const { fleet } = replica
      return [...members].map(([index, count]) => ({ host: { fleet, record: fleet.hosts.get(index) }, members: count }))
    },
  }
}
