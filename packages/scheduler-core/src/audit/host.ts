import type { Fleet } from '../fleet/fleet.ts'
import { countedStats } from '../hosts/allocation.ts'
import { classRow } from '../hosts/classes/sparse-columns.ts'
import { at, type ClassColumns } from '../hosts/columns.ts'
import { type HostRecord, hostKey } from '../hosts/hosts.ts'
import { maxUnitOf } from '../kinds/classes/room.ts'
import { allKinds } from '../kinds/index.ts'
import type { CellState } from '../kinds/numa/numa.ts'
import { isLive } from '../records/claim.ts'
import { statsToCount } from '../records/used-from.ts'
import { isServiceSuspect } from '../report/reported-service.ts'
import type { HostStats } from '../report/stats.ts'
import type { HostIndex } from '../values/host-index.ts'
import { PLAIN_IN_CELLS, STRICT_CLAIMS } from '../values/levels.ts'
import type { AuditCode, Finding } from './finding.ts'
import { floorOf } from './floor.ts'
import { auditPlainMemory } from './plain-memory.ts'
import { auditCells, auditGpus } from './strict-units.ts'
import { type CellSums, type Held, type HostSums, heldUncounted, sumClaims } from './sums.ts'

/**
 * Checks the promises I1 and I13 (docs/promises.md) for one host and its indexes. The columns of the host must have the values that follow
 * from its report and its claims, and no resource may be allocated twice.
 */
export function auditHost(fleet: Fleet, index: HostIndex): Finding[] {
  const record = fleet.hosts.records[index]
  if (record === undefined) return []
  const findings: Finding[] = []
  const name = hostKey(record)
  const report: Report = (code, field, expected, actual, claim = null) =>
    findings.push({ code, subject: 'host', name, host: name, claim, field, expected: String(expected), actual: String(actual) })
  const sums = sumClaims(fleet, record)
  checkName(fleet, record, report)
  checkClasses(fleet, record, sums, report)
  if (fleet.featureLevel < STRICT_CLAIMS) {
    checkGpus(fleet, record, sums, report)
    checkCells(record, sums, report)
  } else {
    const stats = countedStats(fleet.hosts, record)
    checkGpuSums(fleet, record, report)
    if (record.cells.length !== stats.numaCells.length) report('state.column', 'cells', stats.numaCells.length, record.cells.length)
    for (const { code, field, expected, actual, claim } of [...auditGpus(record, stats, sums), ...auditCells(record, stats, sums)])
      report(code, field, expected, actual, claim)
  }
  if (fleet.featureLevel >= PLAIN_IN_CELLS) checkPlainMemory(fleet, record, sums, report)
  for (const kind of allKinds)
    for (const { code, field, expected, actual, claim } of kind.audit?.(fleet.hosts, record.index, sums.grants.get(kind.name) ?? []) ?? [])
      report(code, field, expected, actual, claim)
  checkCounts(fleet, record, sums, report)
  checkClaims(fleet, record, report)
  checkGroups(fleet, record, sums, report)
  return findings
}

type Report = (code: AuditCode, field: string, expected: string | number, actual: string | number, claim?: string | null) => void

const listedText = (isListed: boolean): string => (isListed ? 'listed' : 'not listed')

function checkName({ hosts, aggregates }: Fleet, record: HostRecord, report: Report): void {
  const isThere = record.gone === null
  if (at(hosts.columns.gone, record.index) !== Number(!isThere))
    report('state.column', 'gone', Number(!isThere), at(hosts.columns.gone, record.index))
  if ((hosts.find(record) === record) !== isThere)
    report('state.orphan_entry', 'index by name', isThere ? record.index : 'none', hosts.find(record)?.index ?? 'none')
  const isListed = hosts.nodesOf(record.host).includes(record.index)
  if (isListed !== isThere) report('state.orphan_entry', 'nodes of the host', listedText(isThere), listedText(isListed))
  const uuids = isThere ? aggregates.of(record.host).map(({ uuid }) => uuid) : []
  if (uuids.join() !== record.aggregates.join()) report('state.orphan_entry', 'aggregates', uuids.join(' '), record.aggregates.join(' '))
  const { zone, serviceSuspect } = hosts.columns
  const numberOf = hosts.zoneOf(record.zone)
  if (at(zone, record.index) !== numberOf) report('state.column', 'zone', numberOf ?? 'none', at(zone, record.index))
  const isSuspect = Number(isServiceSuspect(record.stats))
  if (at(serviceSuspect, record.index) !== isSuspect) report('state.column', 'serviceSuspect', isSuspect, at(serviceSuspect, record.index))
}

/**
 * Recomputes the columns of every resource class from the host's report and claims, in integer arithmetic without overflow, and reports
 * each column that differs.
 */
function checkClasses({ hosts, featureLevel }: Fleet, record: HostRecord, { classes }: HostSums, report: Report): void {
  const { index } = record
  const reported = inventoriesOf(countedStats(hosts, record))
  for (const [name, columns] of hosts.classes) {
    const inventory = reported.get(name)
    const countsUse = inventory !== undefined && inventory.used !== null
    const held = classes.get(name)
    const { covered, claimed } = claimedOf(held, inventory, featureLevel)
    const ratioMilli = inventory === undefined ? 0 : ratioOf(inventory)
    const capacity = inventory === undefined ? 0 : floorOf(inventory.total - inventory.reserved, ratioMilli)
    const used = inventory?.used ?? 0
    const expected: Readonly<Record<keyof ClassColumns, number>> = {
      total: inventory?.total ?? 0,
      reserved: inventory?.reserved ?? 0,
      ratioMilli,
      minUnit: inventory?.minUnit ?? 0,
      maxUnit: inventory === undefined ? 0 : maxUnitOf(inventory.maxUnit, inventory.total, inventory.reserved, hosts.featureLevel),
      stepSize: inventory?.stepSize ?? 0,
      capacity,
      used,
      claimed,
      covered,
      free: capacity - used - claimed,
      reported: inventory === undefined ? 0 : 1,
      countsUse: countsUse ? 1 : 0,
    }
    const stored = classRow(columns, index)
    let column: keyof ClassColumns
    for (column in expected)
      if (stored[column] !== expected[column]) report('state.column', `${name}.${column}`, expected[column], stored[column])
    if (expected.free < 0 && held?.late !== undefined) report('state.over_capacity', name, capacity, used + claimed, held.late.id)
  }
  // Every class of which the claims reserve an amount must have columns. A class of which they reserve 0 in total needs none.
  for (const [name, held] of classes)
    if (!hosts.classes.has(name) && (held.always !== 0 || held.unlessCounted !== 0))
      report('state.column', `${name}.claimed`, 'columns', 'none')
}

/**
 * Returns two amounts of a class. `covered`: granted to materialised claims whose use the report includes. `claimed`: granted to claims and
 * not included in the report.
 */
function claimedOf(held: Held | undefined, inventory: Inventory | undefined, featureLevel: number) {
  const countsUse = inventory !== undefined && inventory.used !== null
  const covered = featureLevel >= STRICT_CLAIMS && countsUse ? (held?.unlessCounted ?? 0) : 0
  return { covered, claimed: heldUncounted(held, countsUse) + Math.max(0, covered - (inventory?.used ?? 0)) }
}

const ratioOf = ({ allocationRatio }: Inventory): number => Math.round(allocationRatio * 1_000)

function checkPlainMemory({ hosts }: Fleet, record: HostRecord, sums: HostSums, report: Report): void {
  const stats = countedStats(hosts, record)
  const inventory = inventoriesOf(stats).get('MEMORY_MB') as Inventory
  const { total, reserved, used } = inventory
  for (const { code, field, expected, actual, claim } of auditPlainMemory(
    stats,
    { total, reserved, ratioMilli: ratioOf(inventory), used: used ?? 0 },
    sums,
  ))
    report(code, field, expected, actual, claim)
}

function checkGpus({ hosts }: Fleet, { index, stats, gpus }: HostRecord, sums: HostSums, report: Report): void {
  let free = 0
  let most = stats.gpus.length === 0 ? 0 : Number.NEGATIVE_INFINITY
  for (const { index: number, usedMilli } of stats.gpus) {
    const held = sums.gpus.get(number)
    const used = (usedMilli ?? 0) + heldUncounted(held, usedMilli !== null)
    const gpu = gpus.find((device) => device.index === number)
    free += 1_000 - used
    most = Math.max(most, 1_000 - used)
    if (gpu?.freeMilli !== 1_000 - used) report('state.column', `GPU ${number} freeMilli`, 1_000 - used, gpu?.freeMilli ?? 'none')
    if (used > 1_000 && held?.late !== undefined) report('state.over_capacity', `GPU ${number}`, 1_000, used, held.late.id)
  }
  if (gpus.length !== stats.gpus.length) report('state.column', 'GPUs', stats.gpus.length, gpus.length)
  if (at(hosts.columns.gpuFreeMilli, index) !== free) report('state.column', 'gpuFreeMilli', free, at(hosts.columns.gpuFreeMilli, index))
  if (at(hosts.columns.gpuMostFreeMilli, index) !== most)
    report('state.column', 'gpuMostFreeMilli', most, at(hosts.columns.gpuMostFreeMilli, index))
}

/** Checks the columns that contain sums over all GPUs of a host. */
function checkGpuSums({ hosts: { columns } }: Fleet, { index, gpus, stats }: HostRecord, report: Report): void {
  const free = gpus.map(({ freeMilli }) => freeMilli)
  const sum = free.reduce((total, milli) => total + milli, 0)
  const most = free.length === 0 ? 0 : Math.max(...free)
  if (gpus.length !== stats.gpus.length) report('state.column', 'GPUs', stats.gpus.length, gpus.length)
  if (at(columns.gpuFreeMilli, index) !== sum) report('state.column', 'gpuFreeMilli', sum, at(columns.gpuFreeMilli, index))
  if (at(columns.gpuMostFreeMilli, index) !== most) report('state.column', 'gpuMostFreeMilli', most, at(columns.gpuMostFreeMilli, index))
}

function checkCells({ stats, cells }: HostRecord, sums: HostSums, report: Report): void {
  if (cells.length !== stats.numaCells.length) report('state.column', 'cells', stats.numaCells.length, cells.length)
  const cpuRatio = Math.round(stats.cpuAllocationRatio * 1_000)
  const memoryRatio = Math.round(stats.ramAllocationRatio * 1_000)
  for (const reported of stats.numaCells) {
    const where = `cell ${reported.id}`
    const cell = cells.find(({ id }) => id === reported.id)
    if (cell === undefined) {
      report('state.column', where, 'there', 'none')
      continue
    }
    const held = sums.cells.get(reported.id)
    const cpuCapacity = floorOf(reported.cpuset.length, cpuRatio)
    const memoryCapacity = floorOf(reported.memoryMb, memoryRatio)
    const cpus = (reported.cpuUsage ?? 0) + heldUncounted(held?.cpus, reported.cpuUsage !== null)
    const memoryMb = (reported.memoryUsageMb ?? 0) + heldUncounted(held?.memoryMb, reported.memoryUsageMb !== null)
    if (cell.cpuFree !== cpuCapacity - cpus) report('state.column', `${where} cpuFree`, cpuCapacity - cpus, cell.cpuFree)
    if (cell.memoryFree !== memoryCapacity - memoryMb)
      report('state.column', `${where} memoryFree`, memoryCapacity - memoryMb, cell.memoryFree)
    if (memoryMb > memoryCapacity && held?.memoryMb.late !== undefined)
      report('state.over_capacity', `${where} memory`, memoryCapacity, memoryMb, held.memoryMb.late.id)
    checkPins(cell, held?.pinned, reported.pinnedCpus, report)
    checkPages(cell, held?.pages, reported.pages, report)
    const pins = new Set([...(reported.pinnedCpus ?? []), ...cell.pinnedByClaims.keys()])
    // Pinned CPUs reduce the CPUs that can be shared. If the cell has a separate set of dedicated CPUs, only pinned CPUs in `cpuset` reduce
    // them.
    const pinned = reported.dedicatedCpuset === null ? pins.size : cell.cpuset.filter((cpu) => pins.has(cpu)).length
    const shareable = cell.cpuset.length === 0 ? 0 : Math.floor(((cell.cpuset.length - pinned) * cpuCapacity) / cell.cpuset.length)
    if (cpus > shareable && held?.cpus.late !== undefined)
      report('state.over_capacity', `${where} CPUs`, shareable, cpus, held.cpus.late.id)
  }
}

function checkPages(
  cell: CellState,
  sums: CellSums['pages'] | undefined,
  reported: HostStats['numaCells'][number]['pages'],
  report: Report,
): void {
  if ((cell.pages ?? []).length !== reported.length)
    report('state.column', `cell ${cell.id} page sizes`, reported.length, (cell.pages ?? []).length)
  for (const { sizeKib, total, used, reserved } of reported) {
    const held = sums?.get(sizeKib)
    const capacity = total - reserved
    const taken = (used ?? 0) + heldUncounted(held, used !== null)
    const free = cell.pages?.find((pages) => pages.sizeKib === sizeKib)?.free
    const where = `cell ${cell.id} pages of ${sizeKib} KiB`
    if (free !== capacity - taken) report('state.column', `${where} free`, capacity - taken, free ?? 'none')
    if (taken > capacity && held?.late !== undefined) report('state.over_capacity', where, capacity, taken, held.late.id)
  }
}

function checkPins(cell: CellState, pins: CellSums['pinned'] | undefined, reported: readonly number[] | null, report: Report): void {
  const own = new Set(reported ?? [])
  for (const cpu of new Set([...(pins?.keys() ?? []), ...cell.pinnedByClaims.keys()])) {
    const held = pins?.get(cpu)
    const holders = heldUncounted(held, reported !== null)
    const actual = cell.pinnedByClaims.get(cpu) ?? 0
    if (actual !== holders) report('state.column', `cell ${cell.id} CPU ${cpu}`, holders, actual)
    if (held?.late !== undefined && holders + (own.has(cpu) ? 1 : 0) > 1)
      report('state.over_capacity', `cell ${cell.id} CPU ${cpu}`, 1, holders + (own.has(cpu) ? 1 : 0), held.late.id)
  }
}

function checkCounts({ hosts: { columns } }: Fleet, record: HostRecord, { newcomers }: HostSums, report: Report): void {
  const { index } = record
  const stats = statsToCount(record)
  const instances = stats.runningVms + newcomers
  const ioOps = stats.numIoOps + newcomers
  if (at(columns.instances, index) !== instances) report('state.column', 'instances', instances, at(columns.instances, index))
  if (at(columns.ioOps, index) !== ioOps) report('state.column', 'ioOps', ioOps, at(columns.ioOps, index))
}

/** Checks that every claim on the host's list of claims is in the ledger and belongs to this host. */
function checkClaims({ hosts, ledger }: Fleet, record: HostRecord, report: Report): void {
  const { claims, index } = record
  for (const claim of claims) {
    const known = ledger.claims.get(claim.id)
    if (known === undefined) report('state.orphan_entry', 'claims', 'a claim of the ledger', claim.id, claim.id)
    else if (known !== claim) report('state.duplicate', 'claims', `one claim ${claim.id}`, 'two', claim.id)
    else if (claim.host !== index) report('state.orphan_entry', 'claims', `a claim on host ${index}`, `on host ${claim.host}`, claim.id)
    else if (!isLive(claim) && claim.extra === null && !hosts.isStillListed(record, claim.instance))
      report('state.orphan_entry', 'claims', 'a live claim, or an ended claim whose instance the host lists', claim.state, claim.id)
  }
}

function checkGroups({ groups }: Fleet, { index }: HostRecord, { members }: HostSums, report: Report): void {
  for (const [uuid, count] of members) {
    const counted = groups.find(uuid)?.members.get(index) ?? 0
    if (counted !== count) report('state.group_count', `members of ${uuid}`, count, counted)
  }
}

type Inventory = HostStats['inventories'][number]

/** The resource classes of a report: VCPU, MEMORY_MB and DISK_GB from its own fields, and the classes in its list. */
function inventoriesOf(stats: HostStats): ReadonlyMap<string, Inventory> {
  const standard: readonly (readonly [string, number, number, number])[] = [
    ['VCPU', stats.vcpus, stats.cpuAllocationRatio, stats.vcpusUsed],
    ['MEMORY_MB', stats.memoryMb, stats.ramAllocationRatio, stats.memoryMbUsed],
    ['DISK_GB', stats.localGb, stats.diskAllocationRatio, stats.localGbUsed],
  ]
  const found = new Map<string, Inventory>()
  for (const [resourceClass, total, allocationRatio, used] of standard)
    found.set(resourceClass, { resourceClass, total, reserved: 0, allocationRatio, minUnit: 1, maxUnit: null, stepSize: 1, used })
  for (const given of stats.inventories)
    found.set(given.resourceClass, { ...given, used: given.used ?? found.get(given.resourceClass)?.used ?? null })
  return found
}
