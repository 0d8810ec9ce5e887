import type { GroupBinding, GroupPolicy } from '../records/change.ts'
import { byCodeUnit } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { ifOwn, OWNER, type Own, type Owner } from '../values/owner.ts'
import { SharedMap } from '../values/shared-map.ts'

/** A server group. Its first claim creates it, and it is forgotten with its last claim. Its members are live claims. */
export interface Group {
  readonly uuid: string
  readonly policy: GroupPolicy
  readonly maxServerPerHost: number | null
  /** The uuids of groups that this group must not share a host with. The claims of its members listed them. Absent if there are none. */
  readonly apartFrom?: readonly string[]
  /** 1 when the group is created. Increases with every edit. */
  readonly version: number
  /** The revision of the last edit. Claims that were decided before this revision are void. */
  readonly lastEdit: number
  /** The number of live members by host. */
  readonly members: ReadonlyMap<HostIndex, number>
}

/** A group that can be written, including its members. */
export type OwnGroup = Own<Omit<Group, 'members'>> & { members: Map<HostIndex, number> }

export class Groups {
  #byUuid = new SharedMap<Group>()
  #owner: Owner = {}
  #writes = 0
  /** Groups that name other groups with which they must not share hosts. */
  #apart: ReadonlySet<string> = new Set()

  /** Increases with every write of a group. A cached count of members is valid until this value changes. */
  get writes(): number {
    return this.#writes
  }

  /** All groups by their uuids, in the order in which the groups were created. */
  get byUuid(): SharedMap<Group> {
    return this.#byUuid
  }

  find(uuid: string): Group | undefined {
    return this.#byUuid.get(uuid)
  }

  /**
   * Returns a group that can be written. If another fleet may share the group object, the object is replaced by a clone first (owner.ts).
   */
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

  /** Returns false if the group exists with a policy other than the one in the binding. */
  accepts({ uuid, policy, maxServerPerHost }: GroupBinding): boolean {
    const group = this.#byUuid.get(uuid)
    return group === undefined || (group.policy === policy && group.maxServerPerHost === maxServerPerHost)
  }

  /**
   * The uuid of a group with a member on the same host as this group, although the two must be kept apart. Undefined if there is no such
   * group. A rule that is already broken in this way is not recorded. A recorded rule stays, even if two hosts with members of both groups
   * are merged.
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
   * Creates the group with its first claim, and records all groups that its claims must be kept apart from. Returns a function that undoes
   * this, so that a discarded proposal has no effect.
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

  /** Whether a host may have one more member of a group, by the group's rule and the rules that keep groups apart. */
  allows(uuid: string, host: HostIndex): boolean {
    const group = this.#byUuid.get(uuid)
    return (group === undefined || groupAllows(group, host)) && !this.apartOf(uuid).some(({ members }) => members.has(host))
  }

  /**
   * The groups that have members and must be kept apart from this group, by the rule of either group, in order of uuid. `named` are further
   * groups that a request lists.
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

  /** Forgets a group, with or without members. */
  unbind(uuid: string): void {
    this.#writes++
    this.#byUuid.delete(uuid)
    if (this.#apart.has(uuid)) this.#apart = new Set([...this.#apart].filter((other) => other !== uuid))
  }

  /** Copies another fleet's groups. They are shared until one side writes them. */
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

  /** Forgets a group without members. The next claim that names it creates it again. */
  forgetIfEmpty(uuid: string | null): void {
    if (uuid !== null && this.#byUuid.get(uuid)?.members.size === 0) this.unbind(uuid)
  }
}

/** The entries of both lists in a fixed order, without duplicates. */
const union = (a: readonly string[], b: readonly string[]): readonly string[] =>
  b.length === 0 ? a : [...new Set([...a, ...b])].sort(byCodeUnit)

type Rule = Pick<Group, 'policy' | 'maxServerPerHost' | 'members'>

/** Whether the host may have one more member. Soft policies always allow one more. */
export function groupAllows({ policy, maxServerPerHost, members }: Rule, host: HostIndex): boolean {
  if (policy === 'ANTI_AFFINITY') return (members.get(host) ?? 0) < (maxServerPerHost ?? 1)
  // if two hosts have members, the group's only instance is moving between these hosts, and may also stay
  if (policy === 'AFFINITY') return members.size === 0 || (members.size === 1 && members.has(host))
  return true
}

/** Whether the present members satisfy the group's rule. */
export function membersKeep({ policy, maxServerPerHost, members }: Rule): boolean {
  if (policy === 'ANTI_AFFINITY') return [...members.values()].every((count) => count <= (maxServerPerHost ?? 1))
  return policy !== 'AFFINITY' || members.size <= 1
}
