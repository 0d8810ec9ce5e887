import type { GroupBinding, GroupPolicy } from '../records/change.ts'
import { byCodeUnit } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { ifOwn, OWNER, type Own, type Owner } from '../values/owner.ts'
import { SharedMap } from '../values/shared-map.ts'

/** A server group. Its first claim creates the group, and the end of its last claim removes it. Its members are live claims. */
export interface Group {
  readonly uuid: string
  readonly policy: GroupPolicy
  readonly maxServerPerHost: number | null
  /** The uuids of the groups with which this group must not share a host, as listed in its claims. Absent if there are none. */
  readonly apartFrom?: readonly string[]
  /** 1 when the group is created. Increases with every edit. */
  readonly version: number
  /** The revision of the last edit of the group. A new claim of a member is void if it was decided on a state before this revision. */
  readonly lastEdit: number
  /** For each host, the count of live members. */
  readonly members: ReadonlyMap<HostIndex, number>
}

/** A group object that no other fleet shares. This fleet can therefore write it. */
export type OwnGroup = Own<Omit<Group, 'members'>> & { members: Map<HostIndex, number> }

export class Groups {
  #byUuid = new SharedMap<Group>()
  #owner: Owner = {}
  #writes = 0
  /** The uuids of the groups that have `apartFrom`. */
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

  /** Returns a group that can be written. If another fleet can share the group object, the object is replaced by a clone first. */
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

  /** Returns false if the group exists with another policy or another `maxServerPerHost` than the binding. */
  accepts({ uuid, policy, maxServerPerHost }: GroupBinding): boolean {
    const group = this.#byUuid.get(uuid)
    return group === undefined || (group.policy === policy && group.maxServerPerHost === maxServerPerHost)
  }

  /**
   * Returns a group in `apartFrom` that already has a member on the same host as a member of the group `uuid`. Undefined if there is none.
   * A claim that requires these two groups to be apart is void, because the requirement would be violated from the start. Groups that are
   * already recorded as apart are not checked: a merge of two hosts can bring their members together, and this does not make later claims
   * void.
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
   * Creates the group if the claim is its first claim, and records that the group must be apart from the groups in `apartFrom`. Returns a
   * function that undoes the change, for proposals that are discarded.
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

  /**
   * True if the group's policy allows one more member on the host, and the host has no members of groups that must be apart from this
   * group.
   */
  allows(uuid: string, host: HostIndex): boolean {
    const group = this.#byUuid.get(uuid)
    return (group === undefined || groupAllows(group, host)) && !this.apartOf(uuid).some(({ members }) => members.has(host))
  }

  /**
   * The groups that must not share a host with this group, in order of uuid. These are the groups that this group lists, the groups that
   * list this group, and the groups in `named`, which a request lists.
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

  /** Removes a group, even if it has members. */
  unbind(uuid: string): void {
    this.#writes++
    this.#byUuid.delete(uuid)
    if (this.#apart.has(uuid)) this.#apart = new Set([...this.#apart].filter((other) => other !== uuid))
  }

  /** Makes these groups a copy of another fleet's groups. Both fleets share a group until one of them writes to it. */
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

  /** Adds `count` to the member count of a host. */
  add(uuid: string | null, host: HostIndex, count: number): void {
    const members = uuid === null ? undefined : this.own(uuid)?.members
    if (members === undefined) return
    const left = (members.get(host) ?? 0) + count
    if (left > 0) members.set(host, left)
    else members.delete(host)
  }

  /** Removes a group that has no members. A later claim that names the group creates it again. */
  forgetIfEmpty(uuid: string | null): void {
    if (uuid !== null && this.#byUuid.get(uuid)?.members.size === 0) this.unbind(uuid)
  }
}

/** The entries of both lists, sorted and without duplicates. */
const union = (a: readonly string[], b: readonly string[]): readonly string[] =>
  b.length === 0 ? a : [...new Set([...a, ...b])].sort(byCodeUnit)

type Rule = Pick<Group, 'policy' | 'maxServerPerHost' | 'members'>

/** True if the policy allows one more member on the host. Soft policies always allow it. */
export function groupAllows({ policy, maxServerPerHost, members }: Rule, host: HostIndex): boolean {
  if (policy === 'ANTI_AFFINITY') return (members.get(host) ?? 0) < (maxServerPerHost ?? 1)
  // Members are on two hosts only while an instance moves between these hosts. Until the move ends, the group accepts no further member.
  if (policy === 'AFFINITY') return members.size === 0 || (members.size === 1 && members.has(host))
  return true
}

/** True if the present members satisfy the group's policy. */
export function membersKeep({ policy, maxServerPerHost, members }: Rule): boolean {
  if (policy === 'ANTI_AFFINITY') return [...members.values()].every((count) => count <= (maxServerPerHost ?? 1))
  return policy !== 'AFFINITY' || members.size <= 1
}
