import { aggregateRatioKeys, minRatios, ratioIn, sameRatios } from '../hosts/allocation.ts'
import { DEFAULT_ZONE, type HostTable, type OwnHostRecord } from '../hosts/hosts.ts'
import type { SetBy } from '../records/allocation-settings.ts'
import type { AggregateChanged, AggregateState } from '../records/change.ts'
import type { Code } from '../text/codes.ts'
import { DISK_POOL_KEY, ZONE_KEY } from '../values/aggregate-keys.ts'
import { byCodeUnit } from '../values/canonical-json.ts'
import { ALLOCATION_RULES, EDITED_MEMBERS } from '../values/levels.ts'
import { SharedMap } from '../values/shared-map.ts'
import { inSlices, SLICE, type Steps } from '../values/steps.ts'

/** An aggregate with its version and history, as every replica stores it. */
export interface Aggregate extends AggregateState {
  readonly uuid: string
  /** 1 for a new aggregate. Increases by one with every edit. */
  readonly version: number
  /** The store time of the last edit, in milliseconds since 1970. */
  readonly updatedAt: number
  readonly revision: number
  /**
   * For each resource class whose allocation ratio the aggregate sets: who set the ratio, and when. Absent if no ratio was set at feature
   * level ALLOCATION_RULES or above.
   */
  readonly ratiosSet?: RatiosSet
}

type RatiosSet = Readonly<Record<string, Omit<SetBy, 'reason'>>>

/** A cached member column of an aggregate, and the state from which the column was computed. */
interface Members {
  readonly of: Aggregate
  readonly hostCount: number
  readonly renames: number
  readonly column: Uint8Array
}

/** Member columns are cached for at most this many aggregates. */
const MEMBER_COLUMNS = 64

const NO_AGGREGATES: readonly string[] = []
const NO_MEMBERS = new Uint8Array(0)

/** All aggregates. Sets the zone, disk pools and allocation ratios that member hosts get from their aggregates. */
export class Aggregates {
  readonly byUuid = new Map<string, Aggregate>()
  /**
   * For each aggregate that the last entry edited, its state before that entry. Null for a new aggregate. This is not part of the fleet's
   * state.
   */
  readonly before = new Map<string, Aggregate | null>()
  /** For each host name, the uuids of the aggregates that list it, in ascending order. */
  #ofHost = new SharedMap<readonly string[]>()
  readonly #members = new Map<string, Members>()
  /** The metadata keys of all aggregates. Undefined after an edit, until the keys are computed again. */
  #keys: ReadonlySet<string> | undefined

  readonly #hosts: HostTable
  readonly #countAnew: (record: OwnHostRecord) => void

  /** `countAnew` recounts a host's inventory and claims after an aggregate changed the host's allocation ratios. */
  constructor(hosts: HostTable, countAnew: (record: OwnHostRecord) => void) {
    this.#hosts = hosts
    this.#countAnew = countAnew
  }

  /**
   * Returns the code of the refusal if an edit is void. Otherwise returns undefined. A generator that yields after each slice of hosts. No
   * other code may write the fleet until the generator ends.
   */
  *refusesInSteps({ uuid, expectedVersion, next }: AggregateChanged): Steps<Code | undefined> {
    if ((this.byUuid.get(uuid)?.version ?? 0) !== expectedVersion) return 'aggregate.version'
    if (next === null) return undefined
    for (const other of this.byUuid.values()) if (other.uuid !== uuid && other.name === next.name) return 'aggregate.name_taken'
    const zone = next.metadata[ZONE_KEY]
    if (zone === undefined) return undefined
    for (const host of inSlices(next.hosts, SLICE)) {
      if (host === undefined) yield
      for (const other of host === undefined ? [] : this.of(host)) {
        const otherZone = other.uuid === uuid ? undefined : other.metadata[ZONE_KEY]
        if (otherZone !== undefined && otherZone !== zone) return 'aggregate.zone_conflict'
      }
    }
    return undefined
  }

  /**
   * Applies an accepted edit. Marks all former and present members as edited. From feature level EDITED_MEMBERS on, an edit of only the
   * member list marks only hosts that join or leave the aggregate. A generator that yields after each slice of hosts. No other code may use
   * the fleet until the generator ends.
   */
  *takeInSteps({ uuid, expectedVersion, next, by }: AggregateChanged, revision: number, now: number): Steps<void> {
    const before = this.byUuid.get(uuid)
    if (!this.before.has(uuid)) this.before.set(uuid, before ?? null)
    this.#keys = undefined
    if (next === null) this.byUuid.delete(uuid)
    else {
      const ratiosSet = this.#hosts.featureLevel < ALLOCATION_RULES ? {} : ratiosSetIn(next, before, { by: by ?? '', at: now })
      const isSet = Object.keys(ratiosSet).length > 0
      this.byUuid.set(uuid, { ...next, uuid, version: expectedVersion + 1, updatedAt: now, revision, ...(isSet && { ratiosSet }) })
    }
    const members = new Set(next?.hosts)
    const former = new Set(before?.hosts)
    const keepsRest = this.#hosts.featureLevel >= EDITED_MEMBERS && hasSameRest(before, next)
    const concerned = keepsRest
      ? [...[...former].filter((host) => !members.has(host)), ...[...members].filter((host) => !former.has(host))]
      : new Set([...former, ...members])
    for (const host of inSlices(concerned, SLICE)) {
      if (host === undefined) {
        yield
        continue
      }
      const others = (this.#ofHost.get(host) ?? []).filter((id) => id !== uuid)
      const ids = members.has(host) ? [...others, uuid].sort(byCodeUnit) : others
      if (ids.length > 0) this.#ofHost.set(host, ids)
      else this.#ofHost.delete(host)
      for (const index of this.#hosts.nodesOf(host)) {
        const record = this.#hosts.own(index)
        this.attach(record)
        record.revision = revision
        this.#hosts.columns.lastEdit[index] = revision
        this.#hosts.touch(index)
      }
    }
  }

  /**
   * Restores the aggregates of a checkpoint. The hosts must be restored before, and the claims after. A generator that yields after each
   * slice of hosts.
   */
  *restoreInSteps(stored: readonly Aggregate[]): Steps<void> {
    for (const aggregate of stored) {
      this.byUuid.set(aggregate.uuid, aggregate)
      // most hosts are in one aggregate, so the hosts of an aggregate share this list
      const alone = [aggregate.uuid]
      for (const host of inSlices(new Set(aggregate.hosts), SLICE)) {
        if (host === undefined) {
          yield
          continue
        }
        const others = this.#ofHost.get(host)
        this.#ofHost.set(host, others === undefined ? alone : [...others, aggregate.uuid].sort(byCodeUnit))
      }
    }
    if (stored.length === 0) return
    for (const record of inSlices(this.#hosts.records, SLICE)) {
      if (record === undefined) yield
      else if (record.gone === null && this.#ofHost.has(record.host)) this.attach(this.#hosts.own(record.index))
    }
  }

  /**
   * Copies another fleet's aggregates. Both fleets share the aggregate objects, because an edit replaces these objects and never changes
   * them.
   */
  takeCopy(from: Aggregates): void {
    for (const [uuid, aggregate] of from.byUuid) this.byUuid.set(uuid, aggregate)
    this.#ofHost = from.#ofHost.copy()
    this.#keys = from.#keys
  }

  /** Returns true if the metadata of any aggregate has a key. */
  hasKey(key: string): boolean {
    this.#keys ??= new Set([...this.byUuid.values()].flatMap(({ metadata }) => Object.keys(metadata)))
    return this.#keys.has(key)
  }

  /** The aggregates that list a host name, in order of uuid. */
  of(host: string): readonly Aggregate[] {
    return (this.#ofHost.get(host) ?? []).map((uuid) => this.byUuid.get(uuid) as Aggregate)
  }

  /**
   * For each host index, 1 if the host is in the aggregate, otherwise 0. Empty if the aggregate does not exist. Valid until the next edit,
   * new host or change of a host's name. Code that visits all hosts reads this column, because it is faster than reading the host records.
   */
  members(uuid: string): Uint8Array {
    const of = this.byUuid.get(uuid)
    if (of === undefined) return NO_MEMBERS
    const { count: hostCount, renames } = this.#hosts
    const known = this.#members.get(uuid)
    if (known?.of === of && known.hostCount === hostCount && known.renames === renames) return known.column
    const column = new Uint8Array(hostCount)
    for (const host of of.hosts) for (const index of this.#hosts.nodesOf(host)) column[index] = 1
    this.#members.delete(uuid)
    const [oldest] = this.#members.keys()
    if (oldest !== undefined && this.#members.size >= MEMBER_COLUMNS) this.#members.delete(oldest)
    this.#members.set(uuid, { of, hostCount, renames, column })
    return column
  }

  /** Sets the fields of a host record that are computed from the host's aggregates. */
  attach(record: OwnHostRecord): void {
    const uuids = record.gone === null ? (this.#ofHost.get(record.host) ?? NO_AGGREGATES) : NO_AGGREGATES
    const aggregates = uuids.map((uuid) => this.byUuid.get(uuid) as Aggregate)
    record.aggregates = uuids
    this.#hosts.setZone(record, aggregates.find(({ metadata }) => metadata[ZONE_KEY] !== undefined)?.metadata[ZONE_KEY] ?? DEFAULT_ZONE)
    const pools = aggregates.flatMap(({ metadata }) => metadata[DISK_POOL_KEY]?.trim().toLowerCase() || [])
    this.#hosts.pools.users += Number(pools.length > 0) - Number(record.diskPools.length > 0)
    if (pools.length > 0 || record.diskPools.length > 0) record.diskPools = [...new Set(pools)]
    const ratios = minRatios(aggregates)
    if (sameRatios(ratios, record.aggregateRatios)) return
    record.aggregateRatios = ratios
    if (this.#hosts.featureLevel >= ALLOCATION_RULES) this.#countAnew(record)
  }
}

/** Returns true if two states of an aggregate have the same name and metadata. The lists of hosts can differ. */
function hasSameRest(before: AggregateState | undefined, next: AggregateState | null): boolean {
  if (before === undefined || next === null || before.name !== next.name) return false
  const keys = Object.keys(before.metadata)
  return keys.length === Object.keys(next.metadata).length && keys.every((key) => before.metadata[key] === next.metadata[key])
}

/** Who set each ratio of an aggregate, and when. For a ratio that the edit does not change, this is the earlier account and time. */
function ratiosSetIn({ metadata }: AggregateState, before: Aggregate | undefined, edit: Omit<SetBy, 'reason'>): RatiosSet {
  return Object.fromEntries(
    Object.keys(aggregateRatioKeys).flatMap((resourceClass) => {
      const ratio = ratioIn(metadata, resourceClass)
      if (ratio === undefined) return []
      if (before === undefined || ratioIn(before.metadata, resourceClass) !== ratio) return [[resourceClass, edit]]
      const known = before.ratiosSet?.[resourceClass]
      return known === undefined ? [] : [[resourceClass, known]]
    }),
  )
}
