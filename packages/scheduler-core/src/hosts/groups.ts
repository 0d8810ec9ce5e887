import type { GroupBinding, GroupPolicy } from '../records/change.ts'
import { byCodeUnit } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { ifOwn, OWNER, type Own, type Owner } from '../values/owner.ts'
import { SharedMap } from '../values/shared-map.ts'

/** A server group: its first claim creates it, and it is forgotten with its last one; its members are live claims. */
export interface Group {
  readonly uuid: string
  readonly policy: GroupPolicy
  readonly maxServerPerHost: number | null
  /**
   * Groups with which it must not share a host, by uuid, as the claims of its members named them; absent if there are
   * none.
   */
  readonly apartFrom?: readonly string[]
  /** 1 when the group is created; every edit raises it. */
  readonly version: number
  /** Revision of the last edit: claims decided before it do not count. */
  readonly lastEdit: number
  /** Live members by host. */
  readonly members: ReadonlyMap<HostIndex, number>
}

/** A group for writing, with its members. */
export type OwnGroup = Own<Omit<Group, 'members'>> & { members: Map<HostIndex, number> }

export class Groups {
  #byUuid = new SharedMap<Group>()
  #owner: Owner = {}
  #writes = 0
  /** Groups that name other groups with which they must not share hosts. */
  #apart: ReadonlySet<string> = new Set()

  /** Raised by every write of a group: a count of members remains valid while this number is the same. */
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

  /** A group for writing: replaced by a clone if it may be another fleet's too (owner.ts). */
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

  /**
   * A group that this one would have to be kept apart from, although both have members on one host; undefined if there
   * is none. The rule is not recorded then, because it is broken already. A rule that was recorded earlier stays, even
   * if two hosts with members of both became one.
   */
  sharesWith({ uuid, apartFrom = [] }: Pick<GroupBinding, 'uuid' | 'apartFrom'>): string | undefined {
    const own = apartFrom.length === 0 ? undefined : this.#byUuid.get(uuid)
    if (own === undefined) return undefined
    const bound = new Set(this.apartOf(uuid).map((group) => group.uuid))
    return apartFrom.find((other) => {
      const members = other === uuid || bound.has(other) ? undefined : this.#byUuid.get(other)?.members
      return members !== undefined && [...own.members.keys()].some((host) => members.has(host))
    })
  }

  /**
   * Creates the group with its first claim, and records all groups that its claims are to be kept apart from. Returns
   * a function that undoes this, so that a proposal that was discarded leaves nothing behind.
   */
  bind({ uuid, policy, maxServerPerHost, apartFrom = [] }: GroupBinding): () => void {
    const known = this.#byUuid.get(uuid)
    if (known === undefined) {
      const rule = { uuid, policy, maxServerPerHost, ...(apartFrom.length > 0 && { apartFrom: union([], apartFrom) }) }
      const group: OwnGroup = { ...rule, version: 1, lastEdit: 0, members: new Map(), [OWNER]: this.#owner }
      this.#byUuid.set(uuid, group)
      if (apartFrom.length > 0) this.#apart = new Set([...this.#apart, uuid])
      return () => this.unbind(uuid)
    }
    const before = known.apartFrom
    const after = union(before ?? [], apartFrom)
    if (after.length === (before ?? []).length) return () => undefined
    this.#keepApart(uuid, after)
    return () => this.#keepApart(uuid, before)
  }

  /** Whether one more member of a group may be on a host, by its own rule and by the rules that keep groups apart. */
  allows(uuid: string, host: HostIndex): boolean {
    const group = this.#byUuid.get(uuid)
    return (group === undefined || groupAllows(group, host)) && !this.apartOf(uuid).some(({ members }) => members.has(host))
  }

  /**
   * The groups with members that this one is kept apart from, by either group's rule, in order of uuid; `named`: those
   * that a request names in addition.
   */
  apartOf(uuid: string, named: readonly string[] = []): readonly Group[] {
    const own = this.#byUuid.get(uuid)?.apartFrom ?? []
    if (named.length + own.length + this.#apart.size === 0) return []
    const others = [...this.#apart].filter((other) => this.#byUuid.get(other)?.apartFrom?.includes(uuid) === true)
    return union(union(own, named), others).flatMap((other) => (other === uuid ? [] : (this.#byUuid.get(other) ?? [])))
  }

  #keepApart(uuid: string, apartFrom: readonly string[] | undefined): void {
    const group = this.own(uuid)
    if (group === undefined) return
    const apart = new Set(this.#apart)
    if (apartFrom === undefined) {
      delete group.apartFrom
      apart.delete(uuid)
    } else {
      group.apartFrom = apartFrom
      apart.add(uuid)
    }
    this.#apart = apart
  }

  /** Forgets a group, whatever its members are. */
  unbind(uuid: string): void {
    this.#writes++
    this.#byUuid.delete(uuid)
    if (this.#apart.has(uuid)) this.#apart = new Set([...this.#apart].filter((other) => other !== uuid))
  }

  /** Takes over another fleet's groups, which are shared until one side writes them. */
  takeCopy(from: Groups): void {
    this.#writes++
    this.#byUuid = from.#byUuid.copy()
    this.#apart = from.#apart
    from.#owner = {}
  }

  join(uuid: string | null, host: HostIndex): void {
    this.add(uuid, host, 1)
  }

  leave(uuid: string | null, host: HostIndex): void {
    this.add(uuid, host, -1)
  }

  /** Changes the number of members on a host. */
  add(uuid: string | null, host: HostIndex, count: number): void {
    const members = uuid === null ? undefined : this.own(uuid)?.members
    if (members === undefined) return
    const left = (members.get(host) ?? 0) + count
    if (left > 0) members.set(host, left)
    else members.delete(host)
  }

  /** A group exists as long as it has members: after that, the next first claim creates it again. */
  forgetIfEmpty(uuid: string | null): void {
    if (uuid !== null && this.#byUuid.get(uuid)?.members.size === 0) this.unbind(uuid)
  }
}

/** The entries of both lists, each once, in a fixed order. */
const union = (a: readonly string[], b: readonly string[]): readonly string[] =>
  b.length === 0 ? a : [...new Set([...a, ...b])].sort(byCodeUnit)

type Rule = Pick<Group, 'policy' | 'maxServerPerHost' | 'members'>

/** Whether one more member may be on the host. Soft policies forbid nothing. */
export function groupAllows({ policy, maxServerPerHost, members }: Rule, host: HostIndex): boolean {
  if (policy === 'ANTI_AFFINITY') return (members.get(host) ?? 0) < (maxServerPerHost ?? 1)
  // If two hosts have members, the only member is moving from one to the other, and may also stay where it is.
  if (policy === 'AFFINITY') return members.size === 0 || (members.size === 1 && members.has(host))
  return true
}

/** Whether the present members satisfy the rule. */
export function membersKeep({ policy, maxServerPerHost, members }: Rule): boolean {
  if (policy === 'ANTI_AFFINITY') return [...members.values()].every((count) => count <= (maxServerPerHost ?? 1))
  return policy !== 'AFFINITY' || members.size <= 1
}
