import { countedStats } from '../../hosts/allocation.ts'
import type { Column } from '../../hosts/column-memory.ts'
import { at } from '../../hosts/columns.ts'
import type { HostRecord } from '../../hosts/hosts.ts'
import { cpusOf } from '../../kinds/numa/pin.ts'
import { poolKey, poolsOf } from '../../kinds/pci/pool.ts'
import type { Grants } from '../../records/change.ts'
import { type Claim, isLive } from '../../records/claim.ts'
import { canonicalJson } from '../../values/canonical-json.ts'
import type { Fleet } from '../fleet.ts'

/**
 * Columns whose values can differ between equal fleets: versions of hosts and indexes of zones. Zones are compared by their names in the
 * host records.
 */
const ownNumbers = ['version', 'zone']

/** The data that decisions read and that checkpoints do not contain, as canonical JSON: columns, classes, cells, GPUs, group members. */
export function columnsOf({ hosts, groups, ledger }: Fleet): string {
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
    lapsing: [...ledger.lapsing.keys()].sort(),
  })
}

/**
 * The free resources of a host, computed independently of the fleet's sums, from the claims and the report. Capacities are computed with
 * BigInt.
 */
export function expectedOf({ ledger }: Fleet, record: HostRecord, lingering: ReadonlySet<string>) {
  const { stats } = record
  const isInPlace = ({ source, host }: Claim) => source !== null && ledger.claims.get(source)?.host === host
  const isCounted = (claim: Claim) => (isLive(claim) ? claim.state === 'MATERIALISED' : lingering.has(claim.id))
  /** The grants of claims on the host: for resources whose use the report includes (`counted` is true), or for all other resources. */
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

/** The free resources of a host according to the fleet's sums, for the comparison with `expectedOf`. */
export function actualOf({ hosts }: Fleet, record: HostRecord) {
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
 * Returns a sentence for each kind of units of which a host has more free than its report and its claims allow. The used amount is the
 * larger of two amounts: the reported usage and the grants of materialised claims. The grants of every other claim are added to it in full.
 */
export function promisedTooMuch({ hosts, ledger }: Fleet, record: HostRecord): readonly string[] {
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
  /** Checks one sort of units. The report includes the usage only if every element of `used` has a value. */
  const sort = (
    name: string,
    total: number,
    used: readonly (number | null)[],
    free: readonly number[],
    read: (grants: Grants) => number,
  ) => {
    const reported = used.every((amount) => amount !== null)
    const uncounted = held(read, false) + (reported ? 0 : held(read, true))
    const inUse = reported ? Math.max(sumOf(used as number[]), held(read, true)) : sumOf(used.map((amount) => amount ?? 0))
    const left = Math.max(0, total - inUse - uncounted)
    const promised = sumOf(free.map((amount) => Math.max(0, amount)))
    // if the use exceeds the total, a single unit can be over-used while further units are free, so this case is not checked
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

/** All free amounts that claims must not make negative, and -1 for each CPU that is granted to two claims. */
export function roomOf(fleet: Fleet): number[] {
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
