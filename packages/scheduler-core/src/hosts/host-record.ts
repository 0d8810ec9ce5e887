import { type AggregateRatios, type AllocationOverrides, NO_RATIOS } from '../records/allocation-settings.ts'
import type { UsedFrom } from '../records/change.ts'
import type { Claim } from '../records/claim.ts'
import type { NamespaceDocument } from '../records/namespace-document.ts'
import type { HostStats } from '../report/stats.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { HostName } from '../values/host-name.ts'
import { OWNER, type Own, type Owner } from '../values/owner.ts'
import type { CellState } from './cell.ts'
import type { GpuState } from './gpu-device.ts'
import type { FormerName, Gone } from './names.ts'

/** Who sent the last report of a namespace, and the number of that report. Older reports are recognised by these values and ignored. */
export interface Reporter {
  readonly incarnation: string
  readonly sequence: number
  /** Earlier incarnations, newest first. A late report of an earlier incarnation is ignored. */
  readonly past: readonly string[]
}

/**
 * The data of a host that is not in the columns. Copies of a fleet share records. To write a record, call `own`. If the record is shared,
 * `own` replaces it by a copy, and a record that was read before this call shows the former state of the host.
 */
export interface HostRecord extends HostName {
  readonly index: HostIndex
  /** Revision at which the host was first seen. */
  readonly firstSeen: number
  readonly stats: HostStats
  readonly statusReason: string
  /** The reason why the host is not UP. Empty if the host is UP. */
  readonly livenessReason: string
  /** The source of the host's resource usage. Operators can set it. The default is the host's report. */
  readonly usedFrom: UsedFrom
  /** The operator's reason for the value of `usedFrom`. Empty for the default. */
  readonly usedFromReason: string
  /** Ratios and reserved amounts that operators set for the host. */
  readonly allocation: AllocationOverrides
  /** Store time of the last report in the log, milliseconds since 1970. */
  readonly reportedAt: number
  /** Revision of the last change of this host. */
  readonly revision: number
  /** When and why the host left the fleet. Null while the host is in the fleet. */
  readonly gone: Gone | null
  /** Former names of the host, oldest first. */
  readonly formerNames: readonly FormerName[]
  /** The last reporter of each namespace. `compute` is the namespace of this service. */
  readonly reporters: ReadonlyMap<string, Reporter>
  readonly namespaces: ReadonlyMap<string, NamespaceDocument>
  /** The uuids of the host's aggregates, in ascending order. */
  readonly aggregates: readonly string[]
  /** The name of the availability zone, from the metadata of the aggregates. */
  readonly zone: string
  /** For each resource class, the lowest allocation ratio that the host's aggregates set. */
  readonly aggregateRatios: AggregateRatios
  /**
   * The uuids of the pools that store the disks of the host's instances, from the metadata of its aggregates. There is more than one pool
   * only if aggregates contradict each other.
   */
  readonly diskPools: readonly string[]
  readonly traits: ReadonlySet<string>
  /** The instances in the last list that the host reported. */
  readonly present: ReadonlySet<string>
  readonly cells: readonly CellState[]
  readonly gpus: readonly GpuState[]
  /** Claims that hold resources on the host, and ended claims whose instance is still on the host. */
  readonly claims: ReadonlySet<Claim>
  /** Further data of the resource kinds, such as the PCI pools of the host. Each kind accesses its data with `createHostState`. */
  readonly ofKinds: readonly unknown[]
}

/** The data of a host before the last log entry changed it, without claims. The values are references to the former objects. */
export interface HostBefore extends Pick<HostRecord, 'host' | 'node' | 'stats' | 'statusReason' | 'livenessReason' | 'gone'> {
  /** Index in `hostStatuses`. */
  readonly status: number
  /** Index in `livenessStates`. */
  readonly liveness: number
}

/**
 * A record that no other fleet shares. This fleet can therefore write it. `claims` and `ofKinds` can be changed in place. Other fleets can
 * share the objects in all other fields, so these objects must be replaced.
 */
export type OwnHostRecord = Own<Omit<HostRecord, 'claims' | 'ofKinds'>> & { claims: Set<Claim>; ofKinds: unknown[] }

/** The namespace of this service's own data about hosts. */
export const COMPUTE = 'compute'

/** Nova's default_availability_zone. */
export const DEFAULT_ZONE = 'nova'

/** The key of a host in maps and messages: its host name, or `host/node` if host name and node name differ. */
export const hostKey = ({ host, node }: HostName): string => (host === node ? host : `${host}/${node}`)

/** New records share these empty values. Only `claims` and `ofKinds` of a record are changed in place, so each record has its own. */
const NONE: readonly never[] = []
const NO_REPORTERS: HostRecord['reporters'] = new Map()
const NO_DOCUMENTS: HostRecord['namespaces'] = new Map()
const NO_NAMES: ReadonlySet<string> = new Set()
const NO_OVERRIDES: AllocationOverrides = {}

/** Creates a record for a host that is seen for the first time, or for a host of a checkpoint with its former names. */
export function newRecord(
  index: HostIndex,
  { host, node }: HostName,
  stats: HostStats,
  revision: number,
  history: Pick<HostRecord, 'gone' | 'formerNames'>,
  owner: Owner,
): OwnHostRecord {
  return {
    index,
    host,
    node,
    firstSeen: revision,
    stats,
    statusReason: '',
    livenessReason: '',
    usedFrom: 'REPORT',
    usedFromReason: '',
    allocation: NO_OVERRIDES,
    reportedAt: 0,
    revision,
    gone: history.gone,
    formerNames: history.formerNames,
    reporters: NO_REPORTERS,
    namespaces: NO_DOCUMENTS,
    aggregates: NONE,
    zone: DEFAULT_ZONE,
    aggregateRatios: NO_RATIOS,
    diskPools: NONE,
    traits: NO_NAMES,
    present: NO_NAMES,
    cells: NONE,
    gpus: NONE,
    claims: new Set(),
    ofKinds: [],
    [OWNER]: owner,
  }
}

/**
 * Copies a record without the data in `ofKinds`. The fields are in the order of `newRecord`, so that V8 uses one object shape for all
 * records.
 */
export function copyRecord(record: HostRecord, owner: Owner): OwnHostRecord {
  return {
    index: record.index,
    host: record.host,
    node: record.node,
    firstSeen: record.firstSeen,
    stats: record.stats,
    statusReason: record.statusReason,
    livenessReason: record.livenessReason,
    usedFrom: record.usedFrom,
    usedFromReason: record.usedFromReason,
    allocation: record.allocation,
    reportedAt: record.reportedAt,
    revision: record.revision,
    gone: record.gone,
    formerNames: record.formerNames,
    reporters: record.reporters,
    namespaces: record.namespaces,
    aggregates: record.aggregates,
    zone: record.zone,
    aggregateRatios: record.aggregateRatios,
    diskPools: record.diskPools,
    traits: record.traits,
    present: record.present,
    cells: record.cells,
    gpus: record.gpus,
    claims: new Set(record.claims),
    ofKinds: [],
    [OWNER]: owner,
  }
}
