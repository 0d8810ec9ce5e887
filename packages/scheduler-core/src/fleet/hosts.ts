import type { Claim } from '../claims/claim.ts'
import type { HostIndex } from '../host-index.ts'
import type { GpuState } from '../kinds/gpu/device.ts'
import type { CellState } from '../kinds/numa/cell.ts'
import type { NamespaceDocument } from '../namespace/contract.ts'
import { isServiceSuspect } from '../nova/told-service.ts'
import { type AggregateRatios, type AllocationOverrides, type FleetAllocation, NO_ALLOCATION, NO_RATIOS } from './allocation-settings.ts'
import type { UsedFrom } from './change.ts'
import {
  at,
  type ClassColumns,
  copyInventory,
  createClassColumns,
  createHostColumns,
  growColumns,
  type HostColumns,
  hasInventory,
  type InventoryRow,
  setInventory,
  shareInventory,
  takeColumns,
} from './columns.ts'
import type { HostName } from './host-name.ts'
import { ENDED_CLAIMS } from './levels.ts'
import { type FormerName, type Gone, HostNames } from './names.ts'
import { ifOwn, OWNER, type Own, type Owner } from './owner.ts'
import { Pools } from './pools.ts'
import type { HostStats } from './stats.ts'
import { bitsOf } from './stats-fields.ts'
import { Tellers } from './tellers.ts'

/** Who reported a namespace last, and in which order: older reports are recognised and ignored. */
export interface Reporter {
  readonly incarnation: string
  readonly sequence: number
  /** Earlier incarnations, newest first: a late report of one of them is stale. */
  readonly past: readonly string[]
}

/**
 * What is kept about a host beside the columns. Copies of a fleet share it (owner.ts): who is to write it asks for it with
 * `own`, and who keeps one may keep the host as it was.
 */
export interface HostRecord extends HostName {
  readonly index: HostIndex
  /** Revision at which the host was first seen. */
  readonly firstSeen: number
  readonly stats: HostStats
  readonly statusReason: string
  /** Why it is not UP; '' while it is. */
  readonly livenessReason: string
  /** Where its used amounts come from, as an operator said; its report if nobody did. */
  readonly usedFrom: UsedFrom
  /** Why, in that operator's words; '' while it is the report. */
  readonly usedFromReason: string
  /** Ratios and reserved amounts that operators set of it. */
  readonly allocation: AllocationOverrides
  /** Store time of the last report in the log, milliseconds since 1970. */
  readonly reportedAt: number
  /** Revision of the last change of this host. */
  readonly revision: number
  /** Null while the host is there. What is left of one that is not: its names, its reporters, and what is told of the past. */
  readonly gone: Gone | null
  /** Oldest first. */
  readonly formerNames: readonly FormerName[]
  /** By namespace; `compute` is this service's own. */
  readonly reporters: ReadonlyMap<string, Reporter>
  readonly namespaces: ReadonlyMap<string, NamespaceDocument>
  /** Aggregates (uuid) that the host is in, in order of uuid. */
  readonly aggregates: readonly string[]
  /** Name of the availability zone, from the aggregates' metadata. */
  readonly zone: string
  /** The least ratios that its aggregates give. */
  readonly aggregateRatios: AggregateRatios
  /** Pools (uuid) that the disks of its instances lie in, as its aggregates say: one at most, unless they disagree. */
  readonly diskPools: readonly string[]
  readonly traits: ReadonlySet<string>
  /** Instances that the last report listed. */
  readonly present: ReadonlySet<string>
  readonly cells: readonly CellState[]
  readonly gpus: readonly GpuState[]
  /** Claims that hold something here or whose instance is still present. */
  readonly claims: ReadonlySet<Claim>
  /** What kinds keep beside: see kinds/host-state.ts. */
  readonly ofKinds: readonly unknown[]
}

/** What of a host an entry may change beside what claims hold, as it was before: references, nothing is copied. */
export interface HostBefore extends Pick<HostRecord, 'host' | 'node' | 'stats' | 'statusReason' | 'livenessReason' | 'gone'> {
  /** Place in `hostStatuses`. */
  readonly status: number
  /** Place in `livenessStates`. */
  readonly liveness: number
}

/** A record to be written, with its claims and what kinds keep of it; all else in it is replaced. */
export type OwnHostRecord = Own<Omit<HostRecord, 'claims' | 'ofKinds'>> & { claims: Set<Claim>; ofKinds: unknown[] }

/** The namespace of this service's own data about hosts. */
export const COMPUTE = 'compute'

/** Nova's default_availability_zone. */
export const DEFAULT_ZONE = 'nova'

/** The key of a host in maps and messages: `host`, or `host/node` where the node has a name of its own. */
export const hostKey = ({ host, node }: HostName): string => (host === node ? host : `${host}/${node}`)

/** How a host is addressed: with its node too where its name alone would mean other nodes that are there. */
export const hostAddress = (hosts: Pick<HostTable, 'nodesOf'>, name: HostName): string =>
  hosts.nodesOf(name.host).length > 1 ? `${name.host}/${name.node}` : hostKey(name)

/** The host of a key, there or gone: names of older data may have slashes in them. */
export function hostOfKey(hosts: HostTable, key: string): HostRecord | undefined {
  for (let slash = -1; ; slash = key.indexOf('/', slash + 1)) {
    const name = slash < 0 ? { host: key, node: key } : { host: key.slice(0, slash), node: key.slice(slash + 1) }
    const found = hosts.findEver(name)
    if (found !== undefined && hostKey(name) === key) return found
    if (key.indexOf('/', slash + 1) < 0) return undefined
  }
}

/** Hosts that the columns have room for at first. */
const LEAST_SIZE = 64
const MOST_TRAIT_SETS = 1_000
/** Characters of the traits of all of them: hosts choose how many and how long. */
const MOST_TRAIT_CHARACTERS = 4_000_000

/** A claim that moves, or is rebuilt where it is. */
export interface Mover extends Pick<Claim, 'host' | 'grants'> {
  /** What it holds counts as free on its own host, and no more than that needs no free room. False: it is held twice until the move ends. */
  readonly isFree: boolean
}

/** All hosts in the order of first sight: records, columns, and the index by name. */
export class HostTable {
  /** The feature level of the fleet: kinds and filters ask it where a rule depends on it (levels.ts). */
  featureLevel = 1
  /** What counts on hosts whose document in Nova's form says nothing itself. */
  fleetAllocation: FleetAllocation = NO_ALLOCATION
  /** The claim whose move is being decided or judged. Set by the ledger's `lift` alone, from feature level STRICT_CLAIMS on; null otherwise. */
  mover: Mover | null = null
  readonly columns: HostColumns = createHostColumns(LEAST_SIZE)
  readonly classes = new Map<string, ClassColumns>()
  readonly pools = new Pools()
  /**
   * How the hosts were that reports, operators and signs of life changed with the last entry; null: it was not there. For those who tell
   * what happened: no part of the state, and gone with the next entry.
   */
  readonly before = new Map<HostIndex, HostBefore | null>()
  readonly #tellers = new Map<string, Tellers>()
  /** By the traits as a line; never more than MOST_TRAIT_SETS. */
  #traitCharacters = 0
  readonly #traitSets = new Map<string, { readonly traits: readonly string[]; readonly set: ReadonlySet<string> }>()
  /** Numbers of zones' names, in the order in which they were first met. */
  readonly #zones = new Map([[DEFAULT_ZONE, 0]])
  #records: HostRecord[] = []
  #names = new HostNames()
  /** Of those that are there; undefined: not worked out since one came or went. */
  #present: Int32Array | undefined
  #goneCount = 0
  #renames = 0
  #size = LEAST_SIZE
  #omitting = 0
  /** Classes of which another table may read the inventory's columns too. */
  readonly #sharedInventories = new Set<string>()
  #owner: Owner = {}
  readonly #copyKinds: (from: HostRecord, to: OwnHostRecord) => void

  /** `copyKinds`: gives a clone of a record what kinds keep of the host beside the columns. */
  constructor(copyKinds: (from: HostRecord, to: OwnHostRecord) => void) {
    this.#copyKinds = copyKinds
  }

  /** All that ever were, by index; those that are gone included. */
  get records(): readonly HostRecord[] {
    return this.#records
  }

  /** How many records there are: the length of every column that is used. */
  get count(): number {
    return this.#records.length
  }

  /** Whether no host has left, so that all records are of hosts that are there. */
  get isWhole(): boolean {
    return this.#goneCount === 0
  }

  /** Raised by whatever gives a host another name, or takes one out or back in. */
  get renames(): number {
    return this.#renames
  }

  get presentCount(): number {
    return this.#records.length - this.#goneCount
  }

  /** Those that are there, in the order of first sight. */
  get present(): readonly HostRecord[] {
    return this.isWhole ? this.#records : this.#records.filter(({ gone }) => gone === null)
  }

  /** Indexes of those that are there, in order: not to be written. Worked out once for as long as none comes or goes. */
  get presentIndexes(): Int32Array {
    this.#present ??= Int32Array.from(this.present, ({ index }) => index)
    return this.#present
  }

  /** How many hosts leave something out of their reports. */
  get omitting(): number {
    return this.#omitting
  }

  /** Takes over what the columns say of a host's report: the fields that it leaves out, and whether it tells against the service. */
  setTold(host: HostIndex, stats: HostStats): void {
    const { omits, serviceSuspect } = this.columns
    const bits = bitsOf(stats.omitted)
    this.#omitting += Number(bits !== 0) - Number(omits[host] !== 0)
    omits[host] = bits
    serviceSuspect[host] = Number(isServiceSuspect(stats))
  }

  /** Takes over in which zone a host is. */
  setZone(record: OwnHostRecord, zone: string): void {
    record.zone = zone
    const known = this.#zones.get(zone)
    if (known === undefined) this.#zones.set(zone, this.#zones.size)
    this.columns.zone[record.index] = known ?? this.#zones.size - 1
  }

  /** What the column `zone` has for hosts of this zone; undefined where no host was ever in it. */
  zoneOf(name: string): number | undefined {
    return this.#zones.get(name)
  }

  /** Undefined when no host of that name is there. */
  find(name: HostName): HostRecord | undefined {
    const index = this.#names.find(name)
    return index === undefined ? undefined : this.#records[index]
  }

  /** What is left of a forgotten host of that name. */
  findForgotten(name: HostName): HostRecord | undefined {
    const index = this.#names.findForgotten(name)
    return index === undefined ? undefined : this.#records[index]
  }

  /** The host that had that name before it was replaced. */
  findRenamed(name: HostName): HostRecord | undefined {
    const index = this.#names.findRenamed(name)
    return index === undefined ? undefined : this.#records[index]
  }

  get(index: HostIndex): HostRecord {
    const record = this.#records[index]
    if (record === undefined) throw new RangeError(`host index ${index} is out of range; there are ${this.count} hosts`)
    return record
  }

  /** Whether the claim of an instance goes on to count on a host once it has ended: the host lists the instance still. */
  isStillListed({ stats, present }: HostRecord, instance: string | null): boolean {
    // a report without a list keeps what was listed before: for filters, and below the level for claims too
    if (stats.instances === null && this.featureLevel >= ENDED_CLAIMS) return false
    return instance !== null && present.has(instance)
  }

  /** A host's record to be written: a clone in its place, where the record may be another fleet's too. */
  own(index: HostIndex): OwnHostRecord {
    const record = this.get(index)
    return (ifOwn(record, this.#owner) as OwnHostRecord | undefined) ?? this.#clone(record)
  }

  /** The host that a name from the past means: that is there by this name, was forgotten by it, or had it before it was replaced. */
  findEver(name: HostName): HostRecord | undefined {
    return this.find(name) ?? this.findForgotten(name) ?? this.findRenamed(name)
  }

  /**
   * Why a report under a name is refused that no present host has; undefined where it may bring a host. Where all nodes of a host left, so did
   * the name of the host: no other node may take it either, until it is readmitted.
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

  /** All nodes of a host name that are there, in the order of first sight. */
  nodesOf(host: string): readonly HostIndex[] {
    return this.#names.nodesOf(host)
  }

  /** Forgotten nodes of a host name. */
  forgottenNodesOf(host: string): readonly HostIndex[] {
    return this.#names.forgottenNodesOf(host)
  }

  /** Hosts of which a node had that host name before it was replaced. */
  renamedNodesOf(host: string): readonly HostIndex[] {
    return this.#names.renamedNodesOf(host)
  }

  /** Gives a host other names, or says that it left or came back. */
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

  /** Adds a host that is seen for the first time; of a checkpoint with what it says of its past. */
  add(
    name: HostName,
    stats: HostStats,
    revision: number,
    { gone = null, formerNames = [] }: Partial<Pick<HostRecord, 'gone' | 'formerNames'>> = {},
  ): OwnHostRecord {
    const index = this.#records.length as HostIndex
    if (index >= this.#size) this.#grow()
    const record: OwnHostRecord = {
      index,
      host: name.host,
      node: name.node,
      firstSeen: revision,
      stats,
      statusReason: '',
      livenessReason: '',
      usedFrom: 'REPORT',
      usedFromReason: '',
      allocation: {},
      reportedAt: 0,
      revision,
      gone,
      formerNames,
      reporters: new Map(),
      namespaces: new Map(),
      aggregates: [],
      zone: DEFAULT_ZONE,
      aggregateRatios: NO_RATIOS,
      diskPools: [],
      traits: new Set(),
      present: new Set(),
      cells: [],
      gpus: [],
      claims: new Set(),
      ofKinds: [],
      [OWNER]: this.#owner,
    }
    this.#records.push(record)
    this.#goneCount += Number(gone !== null)
    this.columns.gone[index] = Number(gone !== null)
    this.#names.enter(record)
    this.#present = undefined
    return record
  }

  /** Its traits as a set, which hosts that tell the same share: many of a fleet do, and who reads them all looks through each set once. */
  traitsOf({ traits }: HostStats): ReadonlySet<string> {
    const key = traits.join()
    const known = this.#traitSets.get(key)
    // a name may have a comma in it
    if (known?.traits.length === traits.length && known.traits.every((trait, i) => trait === traits[i])) return known.set
    // where each host has others there is nothing to share
    if (this.#traitSets.size >= MOST_TRAIT_SETS || this.#traitCharacters + key.length > MOST_TRAIT_CHARACTERS) {
      this.#traitSets.clear()
      this.#traitCharacters = 0
    }
    this.#traitCharacters += key.length
    const set = new Set(traits)
    this.#traitSets.set(key, { traits, set })
    return set
  }

  /** Whether any host that is there has a document of a namespace. */
  isToldOf(namespace: string): boolean {
    return this.present.some(({ namespaces }) => namespaces.has(namespace))
  }

  /** Whose documents of a namespace tell of what. */
  tellersOf(namespace: string): Tellers {
    const known = this.#tellers.get(namespace)
    if (known !== undefined) return known
    const tellers = new Tellers()
    this.#tellers.set(namespace, tellers)
    return tellers
  }

  /** The columns of a resource class, made when first needed. */
  classColumns(resourceClass: string): ClassColumns {
    const known = this.classes.get(resourceClass)
    if (known !== undefined) return known
    const columns = createClassColumns(this.#size)
    this.classes.set(resourceClass, columns)
    return columns
  }

  /** What a host has of a class. What stays as it was stays shared with copies of the fleet. */
  setInventory(resourceClass: string, host: HostIndex, inventory: InventoryRow): void {
    const columns = this.classColumns(resourceClass)
    if (hasInventory(columns, host, inventory)) return
    if (this.#sharedInventories.delete(resourceClass)) copyInventory(columns)
    setInventory(columns, host, inventory)
  }

  /**
   * An empty table becomes a copy of another: what changes with every claim is copied, records and inventories are shared until one side
   * writes them. A spare table loses its columns to it.
   */
  takeCopy(from: HostTable, spare?: HostTable): void {
    this.featureLevel = from.featureLevel
    this.fleetAllocation = from.fleetAllocation
    this.#size = from.#size
    this.#omitting = from.#omitting
    takeColumns(this.columns, from.columns, spare?.columns)
    for (const [resourceClass, columns] of from.classes) {
      this.classes.set(resourceClass, shareInventory(columns, spare?.classes.get(resourceClass)))
      for (const table of [this, from]) table.#sharedInventories.add(resourceClass)
    }
    this.#records = from.#records.slice()
    this.#names = from.#names.copy()
    this.#goneCount = from.#goneCount
    this.#present = from.#present
    for (const [name, zone] of from.#zones) this.#zones.set(name, zone)
    this.pools.takeCopy(from.pools)
    for (const [namespace, tellers] of from.#tellers) this.tellersOf(namespace).takeCopy(tellers)
    from.#owner = {}
  }

  /** Keeps how a host is before the entry that is being applied changes it; of many changes in one entry the first. */
  keepBefore(index: HostIndex): void {
    if (this.before.has(index)) return
    const { host, node, stats, statusReason, livenessReason, gone } = this.get(index)
    const { status, liveness } = this.columns
    const [of, is] = [at(status, index), at(liveness, index)]
    this.before.set(index, { host, node, stats, statusReason, livenessReason, gone, status: of, liveness: is })
  }

  /** Marks that the host, or what it holds, changed. */
  touch(host: HostIndex): void {
    const { version } = this.columns
    version[host] = (version[host] as number) + 1
  }

  #clone(record: HostRecord): OwnHostRecord {
    // in the order of `add`, so that all records have one shape in memory
    const clone: OwnHostRecord = {
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
      [OWNER]: this.#owner,
    }
    this.#copyKinds(record, clone)
    this.#records[record.index] = clone
    return clone
  }

  #grow(): void {
    this.#size *= 2
    growColumns(this.columns, this.#size)
    for (const columns of this.classes.values()) growColumns(columns, this.#size)
    this.#sharedInventories.clear()
  }
}
