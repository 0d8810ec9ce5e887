import { type FleetAllocation, NO_ALLOCATION } from '../records/allocation-settings.ts'
import type { Claim } from '../records/claim.ts'
import { isServiceSuspect } from '../report/reported-service.ts'
import type { HostStats } from '../report/stats.ts'
import { bitsOf } from '../report/stats-fields.ts'
import { ChangeFeed } from '../values/change-feed.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { HostName } from '../values/host-name.ts'
import { ENDED_CLAIMS } from '../values/levels.ts'
import { ifOwn, type Owner } from '../values/owner.ts'
import { ClassTable } from './classes/class-table.ts'
import { bytesOf, ColumnMemory, copyColumns, emptyColumns, growColumns } from './column-memory.ts'
import { at, type ClassColumns, createHostColumns, type HostColumns, type InventoryRow } from './columns.ts'
import { DocumentIndex } from './document-index.ts'
import { copyRecord, DEFAULT_ZONE, type HostBefore, type HostRecord, newRecord, type OwnHostRecord } from './host-record.ts'
import { HostNames } from './names.ts'
import { Pools } from './pools.ts'
import { ReportedStats } from './reported-stats.ts'
import { TraitSets } from './trait-sets.ts'

export {
  COMPUTE,
  DEFAULT_ZONE,
  type HostBefore,
  type HostRecord,
  hostKey,
  type OwnHostRecord,
  type Reporter,
} from './host-record.ts'

/**
 * When the first host is added, the columns get space for this many hosts. An empty table has no memory for columns, because a copy of a
 * fleet begins as an empty table, and each allocation outside of V8's heap can wait for a garbage collection.
 */
const MIN_COLUMN_SIZE = 64

/** Memory is not reused for columns that need less than 1 / MOST_SPARE of it. */
const MOST_SPARE = 1.25

/** The claim of an instance that is being moved to another host or rebuilt on its host. */
export interface Mover extends Pick<Claim, 'host' | 'grants'> {
  /**
   * If true, the claim's resources count as free on its own host. If false, the instance holds both its old and its new resources until the
   * move ends.
   */
  readonly isFree: boolean
  /** True if the instance is rebuilt with its present resources. It then needs no further resources. */
  readonly isRebuild?: true
}

/** All hosts of a fleet, in the order in which they were first seen: records, columns, and an index by name. */
export class HostTable {
  /** The feature level of the fleet, for kinds and filters whose rules depend on the level. */
  featureLevel = 1
  /** The ratios and reserved amounts for hosts that report a document of Nova without these values. */
  fleetAllocation: FleetAllocation = NO_ALLOCATION
  /**
   * The claim of the instance whose move is being decided or checked. Null at all other times, and below feature level STRICT_CLAIMS. Set
   * only by `lift` of the claim ledger.
   */
  mover: Mover | null = null
  readonly columns: HostColumns = createHostColumns(0)
  /** The hosts whose versions increased since this table was created. A copy of a table starts with an empty feed. */
  readonly changes = new ChangeFeed()
  readonly #classTable = new ClassTable(0)
  /** The columns of the resource classes that are in use: a host reports the class, or claims hold an amount of it. */
  readonly classes = this.#classTable.inUse
  readonly pools = new Pools()
  /**
   * The states that hosts had before the last log entry changed them. Null if the host did not exist before. These states are used to
   * publish changes. They are discarded with the next entry.
   */
  readonly before = new Map<HostIndex, HostBefore | null>()
  readonly #documentIndexes = new Map<string, DocumentIndex>()
  readonly #traitSets = new TraitSets()
  readonly #reportedStats = new ReportedStats()
  /** For each zone name, its value in the column `zone`. The values are assigned in the order in which zones first occur. */
  readonly #zones = new Map([[DEFAULT_ZONE, 0]])
  #records: HostRecord[] = []
  #names = new HostNames()
  /** A cache of the indexes of present hosts. Undefined after a host joined or left, until the indexes are needed. */
  #present: Int32Array | undefined
  #goneCount = 0
  #renames = 0
  #size = 0
  #omitting = 0
  #owner: Owner = {}
  /** If this table is a copy: the memory of its columns. Columns that were added or enlarged after the copy have other memory. */
  #copied: ArrayBuffer | undefined
  readonly #copyKinds: (from: HostRecord, to: OwnHostRecord) => void

  /** `copyKinds` copies the data in `ofKinds` to a clone of a record. */
  constructor(copyKinds: (from: HostRecord, to: OwnHostRecord) => void) {
    this.#copyKinds = copyKinds
  }

  /** All hosts that ever existed, by index, including hosts that left. */
  get records(): readonly HostRecord[] {
    return this.#records
  }

  /** The count of records. Every column has values for this many hosts. */
  get count(): number {
    return this.#records.length
  }

  /** True if no host has left the fleet. Every record then belongs to a present host. */
  get isWhole(): boolean {
    return this.#goneCount === 0
  }

  /** Increases with every change of a host's name, and whenever a host leaves or returns. */
  get renames(): number {
    return this.#renames
  }

  get presentCount(): number {
    return this.#records.length - this.#goneCount
  }

  /** Present hosts, in the order in which they were first seen. */
  get present(): readonly HostRecord[] {
    return this.isWhole ? this.#records : this.#records.filter(({ gone }) => gone === null)
  }

  /** The indexes of present hosts in ascending order. Callers must not write the array. */
  get presentIndexes(): Int32Array {
    if (this.#present !== undefined) return this.#present
    const indexes = new Int32Array(this.presentCount)
    let next = 0
    for (let index = 0; index < this.count; index++) if (this.#records[index]?.gone === null) indexes[next++] = index
    this.#present = indexes
    return indexes
  }

  /** The count of hosts whose reports omit a field. */
  get omitting(): number {
    return this.#omitting
  }

  /** Updates the data that is derived from a host's report: omitted fields, availability of the host's service, and names of stats. */
  setReportColumns(host: HostIndex, stats: HostStats): void {
    const { omits, serviceSuspect } = this.columns
    const bits = bitsOf(stats.omitted)
    this.#omitting += Number(bits !== 0) - Number(omits[host] !== 0)
    omits[host] = bits
    serviceSuspect[host] = Number(isServiceSuspect(stats))
    this.#reportedStats.replace(host, stats)
  }

  /** Sets the availability zone of a host, in its record and in the column `zone`. */
  setZone(record: OwnHostRecord, zone: string): void {
    record.zone = zone
    const known = this.#zones.get(zone)
    if (known === undefined) this.#zones.set(zone, this.#zones.size)
    this.columns.zone[record.index] = known ?? this.#zones.size - 1
  }

  /** The number that the column `zone` has for the zone with this name. Undefined if no host was ever in the zone. */
  zoneOf(name: string): number | undefined {
    return this.#zones.get(name)
  }

  /** The present host with this name, if any. */
  find(name: HostName): HostRecord | undefined {
    const index = this.#names.find(name)
    return index === undefined ? undefined : this.#records[index]
  }

  /** The tombstone of a forgotten host with this name. */
  findForgotten(name: HostName): HostRecord | undefined {
    const index = this.#names.findForgotten(name)
    return index === undefined ? undefined : this.#records[index]
  }

  /** The host that had this name before it was replaced. */
  findRenamed(name: HostName): HostRecord | undefined {
    const index = this.#names.findRenamed(name)
    return index === undefined ? undefined : this.#records[index]
  }

  get(index: HostIndex): HostRecord {
    const record = this.#records[index]
    if (record === undefined) throw new RangeError(`host index ${index} is out of range; there are ${this.count} hosts`)
    return record
  }

  /** True if the host's report lists the instance of a claim that has ended. The claim then continues to hold resources on the host. */
  isStillListed({ stats, present }: HostRecord, instance: string | null): boolean {
    // if the report has no list of instances, `present` is the last reported list, which is not used from feature level ENDED_CLAIMS on
    if (stats.instances === null && this.featureLevel >= ENDED_CLAIMS) return false
    return instance !== null && present.has(instance)
  }

  /** Returns a host's record that can be written. If another fleet can share the record, the record is replaced by a clone first. */
  own(index: HostIndex): OwnHostRecord {
    const record = this.get(index)
    return (ifOwn(record, this.#owner) as OwnHostRecord | undefined) ?? this.#clone(record)
  }

  /** The host that has or had this name: a present host, a forgotten host, or a host that had the name before it was replaced. */
  findEver(name: HostName): HostRecord | undefined {
    return this.find(name) ?? this.findForgotten(name) ?? this.findRenamed(name)
  }

  /**
   * The reason code with which a report under this name is refused. Undefined if the report is accepted or adds a host. If all nodes of a
   * host name have left the fleet, a new node with this host name is refused until all of them are readmitted.
   */
  refusesName(name: HostName): 'report.host_forgotten' | 'report.host_replaced' | undefined {
    if (this.#names.find(name) !== undefined) return undefined
    const forgotten = this.findForgotten(name)?.gone
    if (forgotten) return forgotten.isReadmitted ? undefined : 'report.host_forgotten'
    if (this.#names.findRenamed(name) !== undefined) return 'report.host_replaced'
    if (this.nodesOf(name.host).length > 0 || this.#names.isFree(name)) return undefined
    if (this.renamedNodesOf(name.host).length > 0) return 'report.host_replaced'
    const isReadmitted = (index: HostIndex): boolean => this.get(index).gone?.isReadmitted === true
    return this.forgottenNodesOf(name.host).every(isReadmitted) ? undefined : 'report.host_forgotten'
  }

  /** All present nodes of a host name, in the order in which they were first seen. */
  nodesOf(host: string): readonly HostIndex[] {
    return this.#names.nodesOf(host)
  }

  /** Forgotten nodes of a host name. */
  forgottenNodesOf(host: string): readonly HostIndex[] {
    return this.#names.forgottenNodesOf(host)
  }

  /** The hosts that had this host name before they were replaced. */
  renamedNodesOf(host: string): readonly HostIndex[] {
    return this.#names.renamedNodesOf(host)
  }

  /** True if a present host has this node name, under any host name. */
  hasNode(node: string): boolean {
    return this.#names.hasNode(node)
  }

  /** The hosts that had this node name before they were replaced, under any host name. */
  formerNodesNamed(node: string): readonly HostIndex[] {
    return this.#names.formerNodesNamed(node)
  }

  /** Changes the names of a host, or records that the host left or returned. */
  rename(record: OwnHostRecord, to: Partial<Pick<HostRecord, 'host' | 'node' | 'gone' | 'formerNames'>>): void {
    this.#names.leave(record)
    this.#goneCount -= Number(record.gone !== null)
    Object.assign(record, to)
    this.#goneCount += Number(record.gone !== null)
    this.columns.gone[record.index] = Number(record.gone !== null)
    this.#names.enter(record)
    this.#present = undefined
    this.#renames++
  }

  /** Adds a host that is seen for the first time, or a host of a checkpoint with its former names. */
  add(
    name: HostName,
    stats: HostStats,
    revision: number,
    { gone = null, formerNames = [] }: Partial<Pick<HostRecord, 'gone' | 'formerNames'>> = {},
  ): OwnHostRecord {
    const index = this.#records.length as HostIndex
    if (index >= this.#size) this.#grow()
    const record = newRecord(index, name, stats, revision, { gone, formerNames }, this.#owner)
    this.#records.push(record)
    this.#goneCount += Number(gone !== null)
    this.columns.gone[index] = Number(gone !== null)
    this.#names.enter(record)
    this.#present = undefined
    return record
  }

  /**
   * The traits of a host as a set. Hosts with the same traits share one set, so that a loop over all hosts can skip a set that it has seen.
   */
  traitsOf(stats: HostStats): ReadonlySet<string> {
    return this.#traitSets.of(stats)
  }

  /** True if any present host has a document of the namespace. */
  hasDocuments(namespace: string): boolean {
    return (this.#documentIndexes.get(namespace)?.documents ?? 0) > 0
  }

  /** True if a host's document of Nova has a stat with this name. */
  reportsStat(name: string): boolean {
    return this.#reportedStats.has(name)
  }

  /** The index of a namespace's documents by the uuids that they contain. */
  documentIndexOf(namespace: string): DocumentIndex {
    const known = this.#documentIndexes.get(namespace)
    if (known !== undefined) return known
    const index = new DocumentIndex()
    this.#documentIndexes.set(namespace, index)
    return index
  }

  /** The columns of a resource class, for reading only. If the class is not in use, all values are 0. */
  classColumns(resourceClass: string): ClassColumns {
    return this.#classTable.read(resourceClass)
  }

  /** The count of hosts on which a resource class is in use. */
  usersOfClass(resourceClass: string): number {
    return this.#classTable.usersOf(resourceClass)
  }

  /** Increases whenever a column that was read before can be out of date, because columns were created, replaced or removed. */
  get columnReplacements(): number {
    return this.#classTable.replacements
  }

  /** How many classes have columns with a value for every host. A class that few hosts have needs memory only for these hosts. */
  get denseClassCount(): number {
    return this.#classTable.denseCount
  }

  /** Calls `change`, which writes the usage of a resource class on a host. If `inventory` is set, it is written first. */
  writeClass(resourceClass: string, host: HostIndex, change: (columns: ClassColumns) => void, inventory?: InventoryRow): void {
    this.#classTable.write(resourceClass, host, (columns) => {
      if (inventory !== undefined) this.#classTable.setInventory(resourceClass, columns, host, inventory)
      change(columns)
    })
  }

  /**
   * Makes this empty table a copy of `from`. Columns that change with every claim are copied. Records and inventories are shared until one
   * of the tables writes them. `memory` is memory of other columns that is reused; its contents are overwritten.
   */
  takeCopy(from: HostTable, memory?: ArrayBuffer): void {
    this.featureLevel = from.featureLevel
    this.fleetAllocation = from.fleetAllocation
    this.#size = from.#size
    this.#omitting = from.#omitting
    this.#takeColumns(from, memory)
    this.#records = from.#records.slice()
    this.#names = from.#names.copy()
    this.#goneCount = from.#goneCount
    this.#present = from.#present
    for (const [name, zone] of from.#zones) this.#zones.set(name, zone)
    this.pools.takeCopy(from.pools)
    this.#reportedStats.takeCopy(from.#reportedStats)
    for (const [namespace, index] of from.#documentIndexes) this.documentIndexOf(namespace).takeCopy(index)
    from.#owner = {}
  }

  /** Copies the columns into one memory buffer. This is `old` if it has enough space and not much more, otherwise a new one. */
  #takeColumns(from: HostTable, old: ArrayBuffer | undefined): void {
    const bytes = bytesOf(from.columns) + from.#classTable.bytes
    const isFitting = old !== undefined && old.byteLength >= bytes && old.byteLength <= bytes * MOST_SPARE
    const memory = new ColumnMemory(bytes, isFitting ? old : undefined)
    this.#copied = memory.buffer
    Object.assign(this.columns, copyColumns(from.columns, memory))
    this.#classTable.takeCopy(from.#classTable, memory)
  }

  /** Returns the memory of this table's columns for reuse. Undefined if the table is not a copy. The table is empty afterwards. */
  giveUpColumns(): ArrayBuffer | undefined {
    const memory = this.#copied
    this.#copied = undefined
    this.#records = []
    this.#present = undefined
    emptyColumns(this.columns)
    this.#classTable.giveUp()
    return memory
  }

  /** Stores the state of a host in `before`. Called before a log entry changes the host. Later calls for the same entry have no effect. */
  keepBefore(index: HostIndex): void {
    if (this.before.has(index)) return
    const { host, node, stats, statusReason, livenessReason, gone } = this.get(index)
    const { status, liveness } = this.columns
    const [of, is] = [at(status, index), at(liveness, index)]
    this.before.set(index, { host, node, stats, statusReason, livenessReason, gone, status: of, liveness: is })
  }

  /** Marks a host as changed: increases its version, and adds the host to the feed of changes. */
  touch(host: HostIndex): void {
    const { version } = this.columns
    version[host] = (version[host] as number) + 1
    this.changes.add(host)
  }

  #clone(record: HostRecord): OwnHostRecord {
    const clone = copyRecord(record, this.#owner)
    this.#copyKinds(record, clone)
    this.#records[record.index] = clone
    return clone
  }

  #grow(): void {
    this.#size = Math.max(MIN_COLUMN_SIZE, 2 * this.#size)
    growColumns(this.columns, this.#size)
    this.#classTable.grow(this.#size)
  }
}
