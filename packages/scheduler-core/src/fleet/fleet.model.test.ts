import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { audit } from '../audit/audit.ts'
import { canonicalJson } from '../canonical-json.ts'
import { type Claim, isLive } from '../claims/claim.ts'
import type { Void } from '../claims/judge.ts'
import { grantsFit } from '../claims/ledger.ts'
import type { HostIndex } from '../host-index.ts'
import { cpusOf } from '../kinds/numa/pin.ts'
import { poolKey, poolsOf } from '../kinds/pci/pool.ts'
import { aUuid } from '../testing/index.ts'
import { countedStats } from './allocation.ts'
import { type ClaimPart, FEATURE_LEVEL, type Grants, type GroupBinding, isProposal, type LogEntry } from './change.ts'
import { checkpointOf, restoreFleet } from './checkpoint.ts'
import { at, type Column } from './columns.ts'
import { Fleet, PLACE_WINDOW } from './fleet.ts'
import { grantsOf, Historian, histories, isAlone, type Step } from './history.suite.ts'
import type { HostRecord } from './hosts.ts'
import { ALLOCATION_RULES, ENDED_CLAIMS, STRICT_CLAIMS } from './levels.ts'
import { openOverlay } from './overlay.ts'

const stored = (fleet: Fleet): string => canonicalJson(checkpointOf(fleet))
const restored = (fleet: Fleet): Fleet => restoreFleet(JSON.parse(stored(fleet)))

/** Columns that say the same with other numbers on another copy; records have the zone's name. */
const ownNumbers = ['version', 'zone']

/** Everything that decisions read beside the checkpoint: columns, classes, cells, GPUs, members. */
function columnsOf({ hosts, groups, ledger }: Fleet): string {
  const valuesOf = (columns: object) =>
    Object.fromEntries(
      (Object.entries(columns) as [string, Column][])
        .filter(([name]) => !ownNumbers.includes(name))
        .map(([name, column]) => [name, [...column.slice(0, hosts.count)]]),
    )
  return canonicalJson({
    host: valuesOf(hosts.columns),
    classes: Object.fromEntries(
      [...hosts.classes]
        .map(([name, columns]) => [name, valuesOf(columns)] as const)
        .filter(([, { reported, claimed }]) => [...(reported ?? []), ...(claimed ?? [])].some((value) => value !== 0)),
    ),
    records: hosts.records.map(({ index, cells, gpus, claims, present, traits, aggregates, zone }) => ({
      cells: cells.map((cell) => ({
        ...cell,
        pinnedByReport: [...cell.pinnedByReport],
        pinnedByClaims: [...cell.pinnedByClaims].sort(([a], [b]) => a - b),
      })),
      gpus,
      pools: poolsOf(hosts.get(index)),
      claims: [...claims].map(({ id }) => id),
      present: [...present],
      traits: [...traits],
      aggregates,
      zone,
    })),
    members: [...groups.byUuid].map(([uuid, { members }]) => [uuid, [...members].sort(([a], [b]) => a - b)]),
    reserved: [...ledger.reserved.values()].map(({ id }) => id),
  })
}

/** What a host's claims hold, worked out anew from claims and report alone, with big integers for capacity. */
function expectedOf({ ledger }: Fleet, record: HostRecord, lingering: ReadonlySet<string>) {
  const { stats } = record
  const isInPlace = ({ source, host }: Claim) => source !== null && ledger.claims.get(source)?.host === host
  const isCounted = (claim: Claim) => (isLive(claim) ? claim.state === 'MATERIALISED' : lingering.has(claim.id))
  /** What the claims hold where the report counts use itself, or does not. */
  const holding = (counted: boolean): Grants[] =>
    [...record.claims].flatMap((claim) => {
      const extra = claim.extra === null ? [] : [claim.extra]
      if (isInPlace(claim)) return claim.extra === null ? [claim.grants] : extra
      if (!isLive(claim) && !lingering.has(claim.id)) return extra
      return isCounted(claim) && counted ? extra : [claim.grants, ...extra]
    })
  const newcomers = [...record.claims].filter((claim) => isLive(claim) && claim.state !== 'MATERIALISED' && !isInPlace(claim))
  const floor = (total: number, ratio: number) => Number((BigInt(total) * BigInt(Math.round(ratio * 1_000))) / 1_000n)
  const sum = (held: readonly Grants[], read: (grants: Grants) => number) => held.reduce((total, grants) => total + read(grants), 0)
  const given = new Map(stats.inventories.map((inventory) => [inventory.resourceClass, inventory]))
  const standard = {
    VCPU: [stats.vcpus, stats.cpuAllocationRatio, stats.vcpusUsed],
    MEMORY_MB: [stats.memoryMb, stats.ramAllocationRatio, stats.memoryMbUsed],
  } as const
  const custom = given.get('CUSTOM_X')
  const classes = {
    ...Object.fromEntries(
      Object.entries(standard).map(([name, [total, ratio, used]]) => [
        name,
        floor(total, ratio) - used - sum(holding(true), (grants) => grants.classes?.[name] ?? 0),
      ]),
    ),
    CUSTOM_X:
      (custom === undefined ? 0 : floor(custom.total - custom.reserved, custom.allocationRatio) - (custom.used ?? 0)) -
      sum(holding(custom !== undefined && custom.used !== null), (grants) => grants.classes?.CUSTOM_X ?? 0),
  }
  const gpus = stats.gpus.map(({ index, usedMilli }) => {
    const milli = (grants: Grants) => (grants.gpu ?? []).reduce((total, grant) => total + (grant.index === index ? grant.milli : 0), 0)
    return [index, 1_000 - (usedMilli ?? 0) - sum(holding(usedMilli !== null), milli)]
  })
  const cells = stats.numaCells.map(({ id, cpuset, memoryMb, cpuUsage, memoryUsageMb, pinnedCpus, pages }) => {
    const parts = (counted: boolean) => holding(counted).flatMap((grants) => (grants.numa ?? []).filter(({ cell }) => cell === id))
    return {
      id,
      cpuFree:
        floor(cpuset.length, stats.cpuAllocationRatio) -
        (cpuUsage ?? 0) -
        parts(cpuUsage !== null).reduce((total, { cpus }) => total + cpus, 0),
      memoryFree:
        floor(memoryMb, stats.ramAllocationRatio) -
        (memoryUsageMb ?? 0) -
        parts(memoryUsageMb !== null).reduce((total, part) => total + part.memoryMb, 0),
      pinned: parts(pinnedCpus !== null)
        .flatMap(({ pinned = [], siblings = [], emulator }) => [...pinned, ...siblings, ...(emulator === undefined ? [] : [emulator])])
        .sort((a, b) => a - b),
      pages: pages.map(({ sizeKib, total, reserved, used }) => [
        sizeKib,
        total -
          reserved -
          (used ?? 0) -
          parts(used !== null).reduce((sum, part) => sum + (part.pages?.sizeKib === sizeKib ? part.pages.count : 0), 0),
      ]),
    }
  })
  const devices = stats.pciPools.map((reported) => {
    const { total, used } = reported
    const name = poolKey(reported)
    const taken = (grants: Grants) => (grants.pci ?? []).reduce((count, grant) => count + (grant.pool === name ? grant.count : 0), 0)
    return [name, total - (used ?? 0) - sum(holding(used !== null), taken)]
  })
  return { classes, gpus, cells, devices, instances: stats.runningVms + newcomers.length }
}

/** The same of the fleet itself. */
function actualOf({ hosts }: Fleet, record: HostRecord) {
  const free = (resourceClass: string) => hosts.classes.get(resourceClass)?.free[record.index] ?? 0
  return {
    classes: { VCPU: free('VCPU'), MEMORY_MB: free('MEMORY_MB'), CUSTOM_X: free('CUSTOM_X') },
    gpus: record.gpus.map(({ index, freeMilli }) => [index, freeMilli]),
    devices: poolsOf(record).list.map(({ key, free: left }) => [key, left]),
    cells: record.cells.map(({ id, cpuFree, memoryFree, pinnedByClaims, pages = [] }) => ({
      id,
      cpuFree,
      memoryFree,
      pinned: [...pinnedByClaims].flatMap(([cpu, holders]) => new Array<number>(holders).fill(cpu)).sort((a, b) => a - b),
      pages: pages.map((state) => [state.sizeKib, state.free]),
    })),
    instances: at(hosts.columns.instances, record.index),
  }
}

/**
 * Sorts of units of which a host has more free than its report and its claims leave: what is used is the larger of what is
 * reported and what materialised claims hold, and every other claim counts in full, whichever units the report shows in use.
 */
function promisedTooMuch({ hosts, ledger }: Fleet, record: HostRecord): readonly string[] {
  const { gpus, pciPools, numaCells, cpuAllocationRatio, ramAllocationRatio } = countedStats(hosts, record)
  const live = [...record.claims].filter(isLive)
  const counted = (claim: Claim) => claim.state === 'MATERIALISED' && record.usedFrom === 'REPORT'
  const inPlace = ({ source, host }: Claim) => source !== null && ledger.claims.get(source)?.host === host
  const held = (read: (grants: Grants) => number, isCounted: boolean) =>
    live
      .filter((claim) => counted(claim) === isCounted && !(inPlace(claim) && claim.extra !== null))
      .reduce((sum, { grants }) => sum + read(grants), 0)
  const cellsOf = (grants: Grants) => grants.numa ?? []
  const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0)
  const floor = (total: number, ratio: number) => Math.floor((total * Math.round(ratio * 1_000)) / 1_000)
  /** A sort that the report counts everywhere or nowhere. */
  const sort = (
    name: string,
    total: number,
    used: readonly (number | null)[],
    free: readonly number[],
    read: (grants: Grants) => number,
  ) => {
    const reported = used.every((amount) => amount !== null)
    const beside = held(read, false) + (reported ? 0 : held(read, true))
    const inUse = reported ? Math.max(sumOf(used as number[]), held(read, true)) : sumOf(used.map((amount) => amount ?? 0))
    const left = Math.max(0, total - inUse - beside)
    const promised = sumOf(free.map((amount) => Math.max(0, amount)))
    // what a report says is used beyond a unit's size takes nothing of another
    return used.length > 0 && promised > left && total >= inUse ? [`${name}: ${promised} free, ${left} left`] : []
  }
  return [
    ...sort(
      'GPU',
      1_000 * gpus.length,
      gpus.map(({ usedMilli }) => usedMilli),
      record.gpus.map(({ freeMilli }) => freeMilli),
      (grants) => sumOf((grants.gpu ?? []).map(({ milli }) => milli)),
    ),
    ...sort(
      'PCI',
      sumOf(pciPools.map(({ total }) => total)),
      pciPools.map(({ used }) => used),
      poolsOf(record).list.map(({ free }) => free),
      (grants) => sumOf((grants.pci ?? []).map(({ count }) => count)),
    ),
    ...sort(
      'cell memory',
      sumOf(numaCells.map(({ memoryMb }) => floor(memoryMb, ramAllocationRatio))),
      numaCells.map(({ memoryUsageMb }) => memoryUsageMb),
      record.cells.map(({ memoryFree }) => memoryFree),
      (grants) => sumOf(cellsOf(grants).map(({ memoryMb }) => memoryMb)),
    ),
    ...sort(
      'cell CPUs',
      sumOf(numaCells.map(({ cpuset }) => floor(cpuset.length, cpuAllocationRatio))),
      numaCells.map(({ cpuUsage }) => cpuUsage),
      record.cells.map(({ cpuFree }) => cpuFree),
      (grants) => sumOf(cellsOf(grants).map(({ cpus }) => cpus)),
    ),
    ...sort(
      'dedicated CPUs',
      sumOf(numaCells.map(({ cpuset }) => cpuset.length)),
      numaCells.map(({ pinnedCpus }) => pinnedCpus?.length ?? null),
      record.cells.map(({ freeCpus }) => freeCpus.free),
      (grants) => sumOf(cellsOf(grants).map((part) => cpusOf(part).length)),
    ),
  ]
}

/** Every number that may not fall below 0 by a claim, and -1 for each CPU that two hold. */
function roomOf(fleet: Fleet): number[] {
  return fleet.hosts.records.flatMap((record) => {
    const { classes, gpus, cells, devices } = actualOf(fleet, record)
    const counted = [...gpus, ...devices, ...cells.flatMap(({ pages }) => pages)]
    const shared = record.cells.map(({ cpuset, cpuCapacity, cpuFree, pinnedByReport, pinnedByClaims }) => {
      const pinned = new Set([...pinnedByReport, ...pinnedByClaims.keys()]).size
      return Math.floor(((cpuset.length - pinned) * cpuCapacity) / Math.max(1, cpuset.length)) - (cpuCapacity - cpuFree)
    })
    return [
      ...Object.values(classes),
      ...counted.map(([, left]) => left as number),
      ...cells.map(({ memoryFree }) => memoryFree),
      ...shared,
    ]
  })
}

class Checker {
  readonly fleet = new Fleet()
  readonly historian: Historian
  /** Ended claims whose instance has been there since. */
  readonly #lingering = new Set<string>()
  readonly #ended = new Set<string>()
  /** Sources of moves on one host by destination. */
  readonly #inPlace = new Map<string, string>()
  readonly #settled = new Set<string>()
  readonly #twins: Fleet[] = []
  readonly #level: number

  constructor(level: number) {
    this.#level = level
    this.historian = new Historian(level)
  }

  step(step: Step, position: number): void {
    const { fleet } = this
    const entry = this.historian.next(fleet, step)
    const [before, room] = [columnsOf(fleet), roomOf(fleet)]
    const verdicts = fleet.apply(entry)
    this.#follow()
    this.#checkRoom(entry, verdicts, room)
    this.#checkParts(entry, verdicts)
    this.#checkConservation()
    this.#checkGroups()
    this.#checkPresence()
    if (verdicts.every((verdict) => verdict !== undefined)) expect(columnsOf(fleet)).toBe(before)
    for (const twin of this.#twins) {
      expect(twin.apply(entry)).toEqual(verdicts)
      expect(stored(twin)).toBe(stored(fleet))
      expect(columnsOf(twin)).toBe(columnsOf(fleet))
    }
    // from here on a restored fleet goes along
    const twin = restored(fleet)
    expect(stored(twin)).toBe(stored(fleet))
    expect(columnsOf(twin)).toBe(columnsOf(fleet))
    if (position % 10 === 0) this.#twins.push(twin)
    this.#checkOverlay(position)
  }

  end(): void {
    const scratch = new Fleet()
    for (const entry of this.historian.entries) scratch.apply(structuredClone(entry))
    expect(stored(scratch)).toBe(stored(this.fleet))
    expect(columnsOf(scratch)).toBe(columnsOf(this.fleet))
  }

  #live(): Claim[] {
    return [...this.fleet.ledger.claims.values()].filter(isLive)
  }

  #follow(): void {
    const { hosts } = this.fleet
    const isPresent = ({ host, instance }: Claim) => {
      const { present, stats } = hosts.get(host)
      return instance !== null && present.has(instance) && (stats.instances !== null || this.fleet.featureLevel < ENDED_CLAIMS)
    }
    for (const claim of this.fleet.ledger.claims.values()) {
      if (claim.source !== null && this.fleet.ledger.isInPlace(claim)) this.#inPlace.set(claim.id, claim.source)
      if (isLive(claim) || this.#ended.has(claim.id)) continue
      this.#ended.add(claim.id)
      if (claim.reason === 'moved') this.#settled.add(claim.id)
      if (isPresent(claim) && !this.#isOthers(claim)) this.#lingering.add(claim.id)
    }
    for (const id of this.#lingering) {
      const claim = this.fleet.ledger.claims.get(id)
      if (claim === undefined || !isPresent(claim) || this.#isReplaced(claim)) this.#lingering.delete(id)
    }
  }

  /** Whether another claim of its instance is counted on its host. */
  #isReplaced({ host, instance }: Claim): boolean {
    if (this.fleet.featureLevel < ENDED_CLAIMS) return false
    return [...this.fleet.hosts.get(host).claims].some((other) => other.instance === instance && other.state === 'MATERIALISED')
  }

  /** Whether an instance on its host belongs to the other end of a move there when this one ends. */
  #isOthers({ id, reason }: Claim): boolean {
    const source = this.#inPlace.get(id)
    if (source !== undefined) return !this.#settled.has(source)
    return reason === 'moved' && [...this.#inPlace.values()].includes(id)
  }

  /** I1, I2: claims make nothing less than nothing, and make no excess larger. */
  #checkRoom(entry: LogEntry, verdicts: readonly Void[], before: readonly number[]): void {
    if (entry.changes.some(isAlone)) return
    // whoever sets a ratio below what is held leaves it held
    const mayLower = entry.changes.some(({ type }) => ['hostAllocation', 'fleetAllocation', 'aggregate'].includes(type))
    if (mayLower && this.fleet.featureLevel >= ALLOCATION_RULES) return
    for (const [i, room] of roomOf(this.fleet).entries()) expect(room).toBeGreaterThanOrEqual(Math.min(0, before[i] as number))
    for (const [i, change] of entry.changes.entries()) {
      if (!isProposal(change) || verdicts[i] !== undefined) continue
      for (const { grants } of change.parts) {
        const amount = grants.classes?.CUSTOM_X ?? 2
        expect([amount % 2, amount <= 4]).toEqual([0, true])
      }
    }
  }

  /** I5: all parts of a proposal or none. */
  #checkParts(entry: LogEntry, verdicts: readonly Void[]): void {
    for (const [i, change] of entry.changes.entries()) {
      if (!isProposal(change)) continue
      const made = change.parts.map(({ claim }) => this.fleet.ledger.claims.get(claim)?.fence)
      if (verdicts[i] === undefined) for (const fence of made) expect(Math.floor((fence ?? 0) / 65_536)).toBe(entry.revision)
      else
        expect(
          made.some((fence) => Math.floor((fence ?? 0) / 65_536) === entry.revision && !this.#countsElsewhere(entry, verdicts, i)),
        ).toBe(false)
    }
  }

  /** Whether the same claims were made by another proposal of the entry. */
  #countsElsewhere(entry: LogEntry, verdicts: readonly Void[], place: number): boolean {
    return entry.changes.some((change, i) => i !== place && isProposal(change) && verdicts[i] === undefined)
  }

  /** I13: what is held is what claims hold. */
  #checkConservation(): void {
    const { hosts, ledger } = this.fleet
    for (const record of hosts.records) {
      if (this.#level < STRICT_CLAIMS) expect(actualOf(this.fleet, record)).toEqual(expectedOf(this.fleet, record, this.#lingering))
      else expect(promisedTooMuch(this.fleet, record)).toEqual([])
    }
    if (this.#level >= STRICT_CLAIMS) expect([...audit(this.fleet)].flatMap(({ findings }) => findings)).toEqual([])
    const claims = [...ledger.claims.values()]
    expect([...ledger.reserved.values()].map(({ id }) => id)).toEqual(
      claims.filter(({ state }) => state === 'RESERVED').map(({ id }) => id),
    )
    for (const claim of claims) {
      expect(hosts.get(claim.host).claims.has(claim)).toBe(isLive(claim) || this.#lingering.has(claim.id))
      expect(claim.expiresAt !== null && isLive(claim)).toBe(claim.state === 'RESERVED')
    }
    for (const { claims: ids, forgottenAt } of ledger.keys()) {
      const lives = ids.some((id) => claims.some((claim) => claim.id === id && isLive(claim)))
      expect(forgottenAt === null).toBe(lives)
    }
  }

  /** I7: claims live on hosts that are there alone, and what has left has no room, no instance and no part in anything. */
  #checkPresence(): void {
    const { hosts, aggregates, groups } = this.fleet
    for (const claim of this.#live()) expect(hosts.get(claim.host).gone).toBeNull()
    expect(hosts.present.map(({ index }) => index)).toEqual([...hosts.presentIndexes])
    expect(hosts.presentCount).toBe(hosts.present.length)
    for (const record of hosts.records) {
      const isThere = record.gone === null
      expect([hosts.find(record) === record, hosts.nodesOf(record.host).includes(record.index)]).toEqual([isThere, isThere])
      if (isThere) continue
      expect(Object.values(actualOf(this.fleet, record).classes)).toEqual([0, 0, 0])
      expect([record.present.size, record.namespaces.size, record.claims.size, record.aggregates.length]).toEqual([0, 0, 0, 0])
      for (const { uuid } of aggregates.byUuid.values()) expect(aggregates.members(uuid)[record.index] ?? 0).toBe(0)
      for (const { members } of groups.byUuid.values()) expect(members.has(record.index)).toBe(false)
    }
  }

  /** I6: hard group rules hold among live claims. */
  #checkGroups(): void {
    for (const [uuid, { policy, maxServerPerHost, members }] of this.fleet.groups.byUuid) {
      const counted = new Map<HostIndex, number>()
      for (const claim of this.#live())
        if (claim.group === uuid && !this.fleet.ledger.isInPlace(claim)) counted.set(claim.host, (counted.get(claim.host) ?? 0) + 1)
      expect(new Map([...members].sort())).toEqual(new Map([...counted].sort()))
      // the only member may be on its way to another host
      const moving = this.#live().filter(({ group, source }) => group === uuid && source !== null).length
      if (policy === 'AFFINITY') expect(members.size).toBeLessThanOrEqual(1 + moving)
      if (policy === 'ANTI_AFFINITY') for (const count of members.values()) expect(count).toBeLessThanOrEqual(maxServerPerHost ?? 1)
    }
  }

  /** What an overlay held is taken back to the last bit. */
  #checkOverlay(position: number): void {
    const { fleet } = this
    const [json, columns] = [stored(fleet), columnsOf(fleet)]
    const overlay = openOverlay(fleet)
    const group: GroupBinding = { uuid: aUuid(0x61 + (position % 5)), policy: 'SOFT_AFFINITY', maxServerPerHost: null }
    for (const record of fleet.hosts.records) {
      const grants = grantsOf(fleet, record.index, position)
      if (grants === undefined || !grantsFit(fleet.hosts, record, grants)) continue
      const part: ClaimPart = { claim: 'overlay', instance: null, host: record.host, node: record.node, grants }
      overlay.hold(part, position % 2 === 0 ? group : null)
    }
    overlay.rollback(Math.floor(overlay.size / 2))
    overlay.discard()
    expect(stored(fleet)).toBe(json)
    expect(columnsOf(fleet)).toBe(columns)
  }
}

function run(level: number, steps: readonly Step[], prefix = 0): void {
  const checker = new Checker(level)
  for (let revision = 1; revision <= prefix; revision++) {
    const entry: LogEntry = {
      format: 1,
      id: `p${revision}`,
      writer: 'history',
      basis: checker.fleet.place,
      changes: [],
      revision,
      at: 1_000,
    }
    checker.historian.entries.push(entry)
    checker.fleet.apply(entry)
  }
  checker.fleet.apply(checker.historian.first(checker.fleet))
  for (const [i, step] of steps.entries()) checker.step(step, i)
  checker.end()
}

describe.each([3, FEATURE_LEVEL])('at feature level %i random histories keep every invariant, restored and from scratch', (level) => {
  test.each(byExtent([1, 2], [1, 2, 3, 4, 5, 6, 7, 8]))(
    'seed %i',
    (seed) => {
      fc.assert(
        fc.property(histories, (steps) => run(level, steps)),
        { seed, numRuns: 10 },
      )
    },
    60_000,
  )

  test('seed 9, where the first places of the log fall out of the window', () => {
    fc.assert(
      fc.property(histories, (steps) => run(level, steps, 2 * PLACE_WINDOW - 5)),
      { seed: 9, numRuns: 2 },
    )
  })
})
