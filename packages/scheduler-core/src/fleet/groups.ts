import type { GroupBinding, GroupPolicy } from './change.ts'
import type { HostIndex } from './columns.ts'
import { ifOwn, OWNER, type Own, type Owner } from './owner.ts'
import { SharedMap } from './shared-map.ts'

/** A server group: bound by its first claim, forgotten with its last; its members are live claims. */
export interface Group {
  readonly uuid: string
  readonly policy: GroupPolicy
  readonly maxServerPerHost: number | null
  /** 1 when it is bound; every edit raises it. */
  readonly version: number
  /** Revision of the last edit: claims decided before it do not count. */
  readonly lastEdit: number
  /** Live members by host. */
  readonly members: ReadonlyMap<HostIndex, number>
}

/** A group to be written, with its members. */
export type OwnGroup = Own<Omit<Group, 'members'>> & { members: Map<HostIndex, number> }

export class Groups {
  #byUuid = new SharedMap<Group>()
  #owner: Owner = {}
  #writes = 0

  /** Raised by whatever writes a group: who counted members at the same number need not count them again. */
  get writes(): number {
    return this.#writes
  }

  /** All groups, in the order in which they were bound. */
  get byUuid(): SharedMap<Group> {
    return this.#byUuid
  }

  find(uuid: string): Group | undefined {
    return this.#byUuid.get(uuid)
  }

  /** A group to be written: a clone in its place, where it may be another fleet's too (owner.ts). */
  own(uuid: string): OwnGroup | undefined {
    this.#writes++
    const group = this.#byUuid.get(uuid)
    if (group === undefined) return undefined
    const own = ifOwn(group, this.#owner) as OwnGroup | undefined
    if (own !== undefined) return own
    const clone: OwnGroup = { ...group, members: new Map(group.members), [OWNER]: this.#owner }
    this.#byUuid.set(uuid, clone)
    return clone
  }

  /** False when the group exists with another policy. */
  accepts({ uuid, policy, maxServerPerHost }: GroupBinding): boolean {
    const group = this.#byUuid.get(uuid)
    return group === undefined || (group.policy === policy && group.maxServerPerHost === maxServerPerHost)
  }

  /** The group, made by its first claim. */
  bind({ uuid, policy, maxServerPerHost }: GroupBinding): void {
    if (this.#byUuid.has(uuid)) return
    const group: OwnGroup = { uuid, policy, maxServerPerHost, version: 1, lastEdit: 0, members: new Map(), [OWNER]: this.#owner }
    this.#byUuid.set(uuid, group)
  }

  /** Undoes `bind` of a group without members: a proposal that was thrown away leaves no group behind. */
  unbind(uuid: string): void {
    this.#writes++
    this.#byUuid.delete(uuid)
  }

  /** Takes another fleet's groups over, to be shared until one side writes them. */
  takeCopy(from: Groups): void {
    this.#writes++
    this.#byUuid = from.#byUuid.copy()
    from.#owner = {}
  }

  join(uuid: string | null, host: HostIndex): void {
    this.add(uuid, host, 1)
  }

  leave(uuid: string | null, host: HostIndex): void {
    this.add(uuid, host, -1)
  }

  /** So many members more on a host, or less. */
  add(uuid: string | null, host: HostIndex, count: number): void {
    const members = uuid === null ? undefined : this.own(uuid)?.members
    if (members === undefined) return
    const left = (members.get(host) ?? 0) + count
    if (left > 0) members.set(host, left)
    else members.delete(host)
  }

  /** A group lives as long as it has members: without any, the next first claim binds it anew. */
  forgetIfEmpty(uuid: string | null): void {
    if (uuid !== null && this.#byUuid.get(uuid)?.members.size === 0) this.#byUuid.delete(uuid)
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
