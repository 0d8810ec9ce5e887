import type { GroupBinding, GroupPolicy } from './change.ts'
import type { HostIndex } from './columns.ts'

/** A server group: bound by its first claim, forgotten with its last; its members are live claims. */
export interface Group {
  readonly uuid: string
  policy: GroupPolicy
  maxServerPerHost: number | null
  /** 1 when it is bound; every edit raises it. */
  version: number
  /** Revision of the last edit: claims decided before it do not count. */
  lastEdit: number
  /** Live members by host. */
  readonly members: Map<HostIndex, number>
}

export class Groups {
  readonly byUuid = new Map<string, Group>()

  find(uuid: string): Group | undefined {
    return this.byUuid.get(uuid)
  }

  /** False when the group exists with another policy. */
  accepts({ uuid, policy, maxServerPerHost }: GroupBinding): boolean {
    const group = this.byUuid.get(uuid)
    return group === undefined || (group.policy === policy && group.maxServerPerHost === maxServerPerHost)
  }

  /** The group, made by its first claim. */
  bind({ uuid, policy, maxServerPerHost }: GroupBinding): void {
    if (!this.byUuid.has(uuid)) this.byUuid.set(uuid, { uuid, policy, maxServerPerHost, version: 1, lastEdit: 0, members: new Map() })
  }

  /** Undoes `bind` of a group without members: a proposal that was thrown away leaves no group behind. */
  unbind(uuid: string): void {
    this.byUuid.delete(uuid)
  }

  /** Takes copies of another fleet's groups over. */
  takeCopy(from: Groups): void {
    for (const group of from.byUuid.values()) this.byUuid.set(group.uuid, { ...group, members: new Map(group.members) })
  }

  join(uuid: string | null, host: HostIndex): void {
    const members = uuid === null ? undefined : this.byUuid.get(uuid)?.members
    members?.set(host, (members.get(host) ?? 0) + 1)
  }

  leave(uuid: string | null, host: HostIndex): void {
    const members = uuid === null ? undefined : this.byUuid.get(uuid)?.members
    if (members === undefined) return
    const left = (members.get(host) ?? 0) - 1
    if (left > 0) members.set(host, left)
    else members.delete(host)
  }

  /** A group lives as long as it has members: without any, the next first claim binds it anew. */
  forgetIfEmpty(uuid: string | null): void {
    if (uuid !== null && this.byUuid.get(uuid)?.members.size === 0) this.byUuid.delete(uuid)
  }
}

type Rule = Pick<Group, 'policy' | 'maxServerPerHost' | 'members'>

/** Whether one more member may live on the host. Soft policies forbid nothing. */
export function groupAllows({ policy, maxServerPerHost, members }: Rule, host: HostIndex): boolean {
  if (policy === 'ANTI_AFFINITY') return (members.get(host) ?? 0) < (maxServerPerHost ?? 1)
  // two hosts: the only member is on its way from one to the other, and may still stay where it is
  if (policy === 'AFFINITY') return members.size === 0 || (members.size === 1 && members.has(host))
  return true
}

/** Whether the members stand as the rule asks. */
export function membersKeep({ policy, maxServerPerHost, members }: Rule): boolean {
  if (policy === 'ANTI_AFFINITY') return [...members.values()].every((count) => count <= (maxServerPerHost ?? 1))
  return policy !== 'AFFINITY' || members.size <= 1
}
