import { byCodeUnit } from '../canonical-json.ts'
import type { Code } from '../codes.ts'
import { DISK_POOL_KEY, ZONE_KEY } from './aggregate-keys.ts'
import { aggregateRatioKeys, leastRatios, ratioIn, sameRatios } from './allocation.ts'
import type { SetBy } from './allocation-settings.ts'
import type { AggregateChanged, AggregateState } from './change.ts'
import { DEFAULT_ZONE, type HostTable, type OwnHostRecord } from './hosts.ts'
import { ALLOCATION_RULES } from './levels.ts'
import { SharedMap } from './shared-map.ts'
import { atOnce, inSlices, SLICE, type Steps } from './steps.ts'

/** An aggregate as every replica holds it. */
export interface Aggregate extends AggregateState {
  readonly uuid: string
  /** Rises by one with every edit; 1 when new. */
  readonly version: number
  /** Store time of the last edit. */
  readonly updatedAt: number
  readonly revision: number
  /** Who set each of its ratios, and when, by resource class; left out where nobody did since feature level ALLOCATION_RULES. */
  readonly ratiosSet?: RatiosSet
}

type RatiosSet = Readonly<Record<string, Omit<SetBy, 'reason'>>>

/** The members of an aggregate as a column, and what it was made of. */
interface Members {
  readonly of: Aggregate
  readonly hostCount: number
  readonly renames: number
  readonly column: Uint8Array
}

/** Of so many aggregates the members are kept as columns; requests name few. */
const MEMBER_COLUMNS = 64

const NO_MEMBERS = new Uint8Array(0)

/** All aggregates, and what they mean for their member hosts. */
export class Aggregates {
  readonly byUuid = new Map<string, Aggregate>()
  /** How those were that the last entry edited; null: it was not there. As `HostTable.before`, no part of the state. */
  readonly before = new Map<string, Aggregate | null>()
  /** Aggregates by member host name, each list in order of uuid. */
  #ofHost = new SharedMap<readonly string[]>()
  readonly #members = new Map<string, Members>()

  readonly #hosts: HostTable
  readonly #countAnew: (record: OwnHostRecord) => void

  /** `countAnew`: counts what a host has and holds again, once its aggregates give it other ratios. */
  constructor(hosts: HostTable, countAnew: (record: OwnHostRecord) => void) {
    this.#hosts = hosts
    this.#countAnew = countAnew
  }

  /** Why an edit cannot count; undefined when it can. Pauses, during which nobody may write the fleet. */
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

  /** Takes an accepted edit over and marks every host that it touches as edited. */
  take(...edit: Parameters<Aggregates['takeInSteps']>): void {
    atOnce(this.takeInSteps(...edit))
  }

  /** The same with pauses, during which nobody may use the fleet. */
  *takeInSteps({ uuid, expectedVersion, next, by }: AggregateChanged, revision: number, now: number, kept?: RatiosSet): Steps<void> {
    const before = this.byUuid.get(uuid)
    if (!this.before.has(uuid)) this.before.set(uuid, before ?? null)
    if (next === null) this.byUuid.delete(uuid)
    else {
      const ratiosSet = kept ?? (this.#hosts.featureLevel < ALLOCATION_RULES ? {} : ratiosSetIn(next, before, { by: by ?? '', at: now }))
      const isSet = Object.keys(ratiosSet).length > 0
      this.byUuid.set(uuid, { ...next, uuid, version: expectedVersion + 1, updatedAt: now, revision, ...(isSet && { ratiosSet }) })
    }
    const members = new Set(next?.hosts)
    const touched = new Set([...(before?.hosts ?? []), ...members])
    for (const host of inSlices(touched, SLICE)) {
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

  /** Takes another fleet's aggregates over: they are replaced, never changed. */
  takeCopy(from: Aggregates): void {
    for (const [uuid, aggregate] of from.byUuid) this.byUuid.set(uuid, aggregate)
    this.#ofHost = from.#ofHost.copy()
  }

  /** Aggregates that a host name is in, in order of uuid. */
  of(host: string): readonly Aggregate[] {
    return (this.#ofHost.get(host) ?? []).map((uuid) => this.byUuid.get(uuid) as Aggregate)
  }

  /**
   * 1 for each host that is in an aggregate, by index; shorter than the hosts are many where there is no such aggregate. Valid until the
   * next edit or new host: whoever goes over all hosts asks for it first, and then touches no record.
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

  /** Sets what a host record says about its aggregates. */
  attach(record: OwnHostRecord): void {
    const aggregates = record.gone === null ? this.of(record.host) : []
    record.aggregates = aggregates.map(({ uuid }) => uuid)
    this.#hosts.setZone(record, aggregates.find(({ metadata }) => metadata[ZONE_KEY] !== undefined)?.metadata[ZONE_KEY] ?? DEFAULT_ZONE)
    const pools = aggregates.flatMap(({ metadata }) => metadata[DISK_POOL_KEY]?.trim().toLowerCase() || [])
    this.#hosts.pools.users += Number(pools.length > 0) - Number(record.diskPools.length > 0)
    record.diskPools = [...new Set(pools)]
    const ratios = leastRatios(aggregates)
    if (sameRatios(ratios, record.aggregateRatios)) return
    record.aggregateRatios = ratios
    if (this.#hosts.featureLevel >= ALLOCATION_RULES) this.#countAnew(record)
  }
}

/** Who set the ratios of an aggregate: what an edit leaves as it is stays with the one who set it. */
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
