import type { Claim } from '../claims/claim.ts'
import type { GpuState } from '../kinds/gpu/device.ts'
import type { CellState } from '../kinds/numa/numa.ts'
import type { HostName } from './change.ts'
import {
  type ClassColumns,
  createClassColumns,
  createHostColumns,
  growColumns,
  type HostColumns,
  type HostIndex,
  takeColumns,
} from './columns.ts'
import type { HostStats } from './stats.ts'

/** Who reported a namespace last, and in which order: older reports are recognised and ignored. */
export interface Reporter {
  incarnation: string
  sequence: number
  /** Earlier incarnations, newest first: a late report of one of them is stale. */
  past: readonly string[]
}

/** Another service's document about a host, with the order of its reports. */
export interface NamespaceDocument {
  readonly version: string
  readonly document: unknown
}

/** What is kept about a host beside the columns. */
export interface HostRecord extends HostName {
  readonly index: HostIndex
  /** Revision at which the host was first seen. */
  readonly firstSeen: number
  stats: HostStats
  statusReason: string
  /** Why it is not UP; '' while it is. */
  livenessReason: string
  /** Store time of the last report in the log, milliseconds since 1970. */
  reportedAt: number
  /** Revision of the last change of this host. */
  revision: number
  /** By namespace; `compute` is this service's own. */
  readonly reporters: Map<string, Reporter>
  readonly namespaces: Map<string, NamespaceDocument>
  /** Aggregates (uuid) that the host is in, in order of uuid. */
  aggregates: readonly string[]
  /** Name of the availability zone, from the aggregates' metadata. */
  zone: string
  traits: ReadonlySet<string>
  /** Instances that the last report listed. */
  present: ReadonlySet<string>
  cells: CellState[]
  gpus: GpuState[]
  /** Claims that hold something here or whose instance is still present. */
  readonly claims: Set<Claim>
}

/** The namespace of this service's own data about hosts. */
export const COMPUTE = 'compute'

/** Nova's default_availability_zone. */
export const DEFAULT_ZONE = 'nova'

/** The key of a host in maps and messages: `host`, or `host/node` where the node has a name of its own. */
export const hostKey = ({ host, node }: HostName): string => (host === node ? host : `${host}/${node}`)

const mapKey = ({ host, node }: HostName): string => `${host}\u0000${node}`

/** All hosts in the order of first sight: records, columns, and the index by name. */
export class HostTable {
  readonly records: HostRecord[] = []
  readonly columns: HostColumns = createHostColumns(64)
  readonly classes = new Map<string, ClassColumns>()
  readonly #byName = new Map<string, HostIndex>()
  readonly #nodesOf = new Map<string, HostIndex[]>()
  #size = 64

  get count(): number {
    return this.records.length
  }

  /** Undefined when no host of that name has reported. */
  find(name: HostName): HostRecord | undefined {
    const index = this.#byName.get(mapKey(name))
    return index === undefined ? undefined : this.records[index]
  }

  get(index: HostIndex): HostRecord {
    const record = this.records[index]
    if (record === undefined) throw new RangeError(`host index ${index} is out of range; there are ${this.count} hosts`)
    return record
  }

  /** All nodes of a host name, in the order of first sight. */
  nodesOf(host: string): readonly HostIndex[] {
    return this.#nodesOf.get(host) ?? []
  }

  /** Adds a host that is seen for the first time. */
  add(name: HostName, stats: HostStats, revision: number): HostRecord {
    const index = this.records.length as HostIndex
    if (index >= this.#size) this.#grow()
    const record: HostRecord = {
      index,
      host: name.host,
      node: name.node,
      firstSeen: revision,
      stats,
      statusReason: '',
      livenessReason: '',
      reportedAt: 0,
      revision,
      reporters: new Map(),
      namespaces: new Map(),
      aggregates: [],
      zone: DEFAULT_ZONE,
      traits: new Set(),
      present: new Set(),
      cells: [],
      gpus: [],
      claims: new Set(),
    }
    this.records.push(record)
    this.#byName.set(mapKey(name), index)
    this.#nodesOf.set(name.host, [...this.nodesOf(name.host), index])
    return record
  }

  /** The columns of a resource class, made when first needed. */
  classColumns(resourceClass: string): ClassColumns {
    const known = this.classes.get(resourceClass)
    if (known !== undefined) return known
    const columns = createClassColumns(this.#size)
    this.classes.set(resourceClass, columns)
    return columns
  }

  /** An empty table becomes a copy of another, but for its records: `addCopy` adds them in their order. */
  takeColumns(from: HostTable): void {
    this.#size = from.#size
    takeColumns(this.columns, from.columns)
    for (const [resourceClass, columns] of from.classes) takeColumns(this.classColumns(resourceClass), columns)
    for (const [key, index] of from.#byName) this.#byName.set(key, index)
    for (const [host, nodes] of from.#nodesOf) this.#nodesOf.set(host, nodes)
  }

  /** Adds a copy of another table's record. What kinds keep, and the claims, are for those who own them to copy. */
  addCopy(record: HostRecord): HostRecord {
    // in the order of `add`, so that all records have one shape in memory
    const copy: HostRecord = {
      index: record.index,
      host: record.host,
      node: record.node,
      firstSeen: record.firstSeen,
      stats: record.stats,
      statusReason: record.statusReason,
      livenessReason: record.livenessReason,
      reportedAt: record.reportedAt,
      revision: record.revision,
      reporters: new Map(record.reporters),
      namespaces: new Map(record.namespaces),
      aggregates: record.aggregates,
      zone: record.zone,
      traits: record.traits,
      present: record.present,
      cells: [],
      gpus: [],
      claims: new Set(),
    }
    this.records.push(copy)
    return copy
  }

  /** Marks that the host, or what it holds, changed. */
  touch(host: HostIndex): void {
    const { version } = this.columns
    version[host] = (version[host] as number) + 1
  }

  #grow(): void {
    this.#size *= 2
    growColumns(this.columns, this.#size)
    for (const columns of this.classes.values()) growColumns(columns, this.#size)
  }
}
