import {
  type Allocated,
  type AllocationSource,
  byCodeUnit,
  type Claim,
  classRow,
  classValue,
  type Fleet,
  type HostIndex,
  type HostName,
  type HostRecord,
  type HostStatus,
  hostStatuses,
  isLive,
  type PciPool,
  pciPoolsOf,
  ratioOf,
  reservedOf,
  sharedCpusLeft,
} from '@gantt/scheduler-core'
import { releaseName } from '@gantt/scheduler-core/nova'
import { type Dated, datedIn } from '../moments/dated.ts'

/** A host of a fleet. The record changes when the fleet is written. */
export interface HostView {
  readonly fleet: Fleet
  readonly record: HostRecord
}

/**
 * Creates a view that can be stored. The view looks up the host's record on every access, because a copied fleet replaces a record by a
 * clone before it changes the record.
 */
export const viewHost = (fleet: Fleet, { index }: Pick<HostRecord, 'index'>): HostView => new LookedUp(fleet, index)

class LookedUp implements HostView {
  readonly fleet: Fleet
  readonly #index: HostIndex

  constructor(fleet: Fleet, index: HostIndex) {
    this.fleet = fleet
    this.#index = index
  }

  get record(): HostRecord {
    return this.fleet.hosts.get(this.#index)
  }
}

/** Amounts of one resource class on a host. free = floor((total - reserved) x ratio) - used - claimed. */
export interface ResourceUsage {
  readonly resourceClass: string
  readonly total: number
  readonly reserved: number
  readonly allocationRatio: number
  readonly capacity: number
  readonly used: number
  readonly claimed: number
  readonly free: number
  /** The sources of the ratio and of the reserved amount. */
  ratioFrom(): AllocationOrigin
  reservedFrom(): AllocationOrigin
}

export interface NumaCellView {
  readonly id: number
  readonly cpus: readonly number[]
  readonly dedicated: readonly number[] | null
  readonly pinned: readonly number[]
  readonly cpusUsed: number
  readonly cpusFree: number
  readonly memoryMb: number
  readonly memoryUsedMb: number
  readonly memoryFreeMb: number
  readonly pages: readonly NumaPagesView[]
}

/** Memory pages of one size in a NUMA cell. total = reserved + used + free. */
export interface NumaPagesView {
  readonly sizeKib: number
  readonly total: number
  readonly reserved: number
  readonly used: number
  readonly free: number
}

/** Where a ratio or a reserved amount comes from, with the author, time and reason. */
export interface AllocationOrigin {
  readonly source: AllocationSource
  /** The account that set the value; null if the value was not set by an account, or if the account was not recorded. */
  readonly by: string | null
  /** The store time at which the value was set or, for a value from a report, at which the report arrived. Null if the time is unknown. */
  readonly at: number | null
  readonly reason: string | null
  /** The aggregate that sets the ratio; null if the ratio has a different source. */
  readonly aggregate: { readonly uuid: string; readonly name: string } | null
  /** The name of the Nova release, if the value is a default of that release. */
  readonly release: string | null
}

function originOf(fleet: Fleet, { reportedAt }: HostRecord, resourceClass: string, allocated: Allocated): AllocationOrigin {
  const { source, set, aggregate: uuid, release } = allocated
  const aggregate = uuid === undefined ? undefined : fleet.aggregates.byUuid.get(uuid)
  const edit = aggregate?.ratiosSet?.[resourceClass] ?? set
  return {
    source,
    by: edit?.by || null,
    at: edit?.at ?? aggregate?.updatedAt ?? (source === 'REPORT' ? reportedAt : null),
    reason: set?.reason || null,
    aggregate: aggregate === undefined ? null : { uuid: aggregate.uuid, name: aggregate.name },
    release: release === undefined ? null : releaseName(release),
  }
}

export const liveness = ['UP', 'SUSPECT', 'DOWN'] as const

export function statusOf({ fleet, record }: HostView): HostStatus {
  return hostStatuses[fleet.hosts.columns.status[record.index] as number] as HostStatus
}

export function stateOf({ fleet, record }: HostView): (typeof liveness)[number] {
  return liveness[fleet.hosts.columns.liveness[record.index] as number] ?? 'DOWN'
}

/** All resource classes that the host reports: VCPU, MEMORY_MB and DISK_GB first, then other classes by name. */
export function capacityOf({ fleet, record }: HostView): ResourceUsage[] {
  const { index } = record
  const rankOf = (name: string) => (standard.includes(name) ? standard.indexOf(name) : standard.length)
  return [...fleet.hosts.classes]
    .filter(([, columns]) => classValue(columns, 'reported', index) === 1)
    .sort(([a], [b]) => rankOf(a) - rankOf(b) || byCodeUnit(a, b))
    .map(([resourceClass, columns]) => ({ resourceClass, row: classRow(columns, index) }))
    .map(({ resourceClass, row: { total, reserved, ratioMilli, capacity, used, claimed, free } }) => ({
      ...{ resourceClass, total, reserved, allocationRatio: ratioMilli / 1_000, capacity, used, claimed, free },
      ratioFrom: () => originOf(fleet, record, resourceClass, ratioOf(fleet.hosts, record, resourceClass)),
      reservedFrom: () => originOf(fleet, record, resourceClass, reservedOf(fleet.hosts, record, resourceClass)),
    }))
}

const standard: readonly string[] = ['VCPU', 'MEMORY_MB', 'DISK_GB']

export const numaCellsOf = ({ record }: HostView): NumaCellView[] =>
  record.cells.map((cell) => ({
    id: cell.id,
    cpus: cell.cpuset,
    dedicated: cell.dedicated ?? null,
    pinned: [...new Set([...cell.pinnedByReport, ...cell.pinnedByClaims.keys()])].sort((a, b) => a - b),
    cpusUsed: cell.cpuCapacity - cell.cpuFree,
    cpusFree: Math.max(0, sharedCpusLeft(cell)),
    memoryMb: cell.memoryCapacity,
    memoryUsedMb: cell.memoryCapacity - cell.memoryFree,
    memoryFreeMb: cell.memoryFree,
    pages: pagesOf(record, cell),
  }))

/** Page counts of a NUMA cell. The total comes from the host's report, the free count from the fleet's record of the cell. */
function pagesOf({ stats }: HostRecord, { id, pages = [] }: HostRecord['cells'][number]): NumaPagesView[] {
  const reported = stats.numaCells.find((cell) => cell.id === id)?.pages ?? []
  return pages.map(({ sizeKib, free }) => {
    const { total = 0, reserved = 0 } = reported.find((one) => one.sizeKib === sizeKib) ?? {}
    return { sizeKib, total, reserved, used: total - reserved - free, free }
  })
}

/** A PCI pool of a host, and the claims that hold devices of it. */
export interface PciPoolView extends PciPool {
  readonly holders: readonly { readonly claim: Dated<Claim>; readonly count: number }[]
}

/** The PCI pools of a host. `present` is the live fleet. The host can belong to a past fleet. */
export function pciPoolViewsOf({ fleet, record }: HostView, present: Fleet): PciPoolView[] {
  const claims = [...record.claims].filter(isLive).sort((a, b) => a.createdAt - b.createdAt || byCodeUnit(a.id, b.id))
  return pciPoolsOf(record).map((pool) => ({
    ...pool,
    holders: claims.flatMap((claim) => {
      const count = (claim.grants.pci ?? []).reduce((sum, grant) => (grant.pool === pool.key ? sum + grant.count : sum), 0)
      return count === 0 ? [] : [{ claim: datedIn(claim, fleet, present), count }]
    }),
  }))
}

export const keyOfHost = ({ host, node }: HostName): string => JSON.stringify(host === node ? [host] : [host, node])
