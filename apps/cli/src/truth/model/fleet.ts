import type { HostStats } from '@gantt/scheduler-core'

/**
 * The fleet as plain objects, in slow and obvious lines: nothing is kept that can be added up, and not one line is shared
 * with the core, which must say the same. Covers this service's own resources but PCI devices, threads of cells, and requests for pages:
 * cells report huge pages, which no request of the model gets.
 */
export interface ModelFleet {
  /** In the order of first sight. */
  readonly hosts: ModelHost[]
  readonly aggregates: readonly ModelAggregate[]
  /** In the order in which they were made. */
  readonly claims: ModelClaim[]
}

export interface ModelHost {
  readonly host: string
  readonly node: string
  stats: HostStats
  /** The instances that it last listed: a report that lists none at all leaves them. */
  present: readonly string[]
  readonly status: string
  readonly liveness: string
}

export interface ModelAggregate {
  readonly uuid: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  readonly hosts: readonly string[]
}

export interface ModelGroup {
  readonly uuid: string
  readonly policy: string
  readonly most: number | null
}

export interface ModelClaim {
  readonly host: ModelHost
  readonly instance: string | null
  readonly group: ModelGroup | null
  readonly takes: Takes
  /** A report has listed its instance since the claim was made. */
  isListed: boolean
  /** It is in the log; false: a pick that is not there yet. */
  readonly isLogged: boolean
}

/** What an instance takes from its host. */
export interface Takes {
  readonly classes?: Readonly<Record<string, number>>
  readonly numa?: readonly CellTaken[]
  readonly gpu?: readonly { readonly index: number; readonly milli: number }[]
}

export interface CellTaken {
  readonly guest: number
  readonly cell: number
  readonly cpus: number
  readonly memoryMb: number
  readonly pinned?: readonly number[]
}

/** A host's new report: instances that it lists are counted by it from now on. */
export function report(fleet: ModelFleet, host: ModelHost, stats: HostStats): void {
  host.stats = stats
  // a report that lists nothing shows nobody
  if (stats.instances === null) for (const claim of fleet.claims) if (claim.host === host) claim.isListed = false
  if (stats.instances === null) return
  host.present = stats.instances
  for (const claim of fleet.claims)
    if (claim.host === host && claim.instance !== null) claim.isListed = stats.instances.includes(claim.instance)
}

export const claimsOn = (fleet: ModelFleet, host: ModelHost): ModelClaim[] => fleet.claims.filter((claim) => claim.host === host)

export interface Inventory {
  readonly capacity: number
  readonly total: number
  readonly used: number | null
  readonly least: number
  readonly most: number | null
  readonly step: number
  /** All that there is and is not kept back: where no largest amount is stated, one instance gets no more. */
  readonly inAll: number
}

/** What a host says of a class; undefined: nothing. */
export function inventoryOf({ stats }: ModelHost, resourceClass: string): Inventory | undefined {
  const plain: Record<string, [total: number, ratio: number, used: number]> = {
    VCPU: [stats.vcpus, stats.cpuAllocationRatio, stats.vcpusUsed],
    MEMORY_MB: [stats.memoryMb, stats.ramAllocationRatio, stats.memoryMbUsed],
    DISK_GB: [stats.localGb, stats.diskAllocationRatio, stats.localGbUsed],
  }
  const given = stats.inventories.find((inventory) => inventory.resourceClass === resourceClass)
  const standard = plain[resourceClass]
  if (given !== undefined)
    return {
      capacity: capacityOf(given.total - given.reserved, given.allocationRatio),
      total: given.total,
      used: given.used ?? standard?.[2] ?? null,
      least: given.minUnit,
      most: given.maxUnit,
      step: given.stepSize,
      inAll: given.total - given.reserved,
    }
  if (standard === undefined) return undefined
  const [total, ratio, used] = standard
  return { capacity: capacityOf(total, ratio), total, used, least: 1, most: null, step: 1, inAll: total }
}

/** One instance asks for more than there is, and no stated amount is what stops it. */
export const isMoreThanAll = ({ most, inAll }: Inventory, need: number): boolean => need > inAll && (most === null || most === inAll)

const setAsideIn = ({ memoryMb, pages }: HostStats['numaCells'][number]): number => {
  const huge = hugePagesOf(pages).reduce((mib, { total, sizeKib }) => mib + (total * sizeKib) / 1_024, 0)
  if (huge === 0) return 0
  const small = pages.find(({ sizeKib }) => sizeKib === 4)
  const left = small === undefined ? memoryMb - huge : Math.min(memoryMb - huge, (small.total - small.reserved) / 256)
  return memoryMb - Math.max(0, Math.floor(left))
}

const hugePagesOf = (pages: HostStats['numaCells'][number]['pages']) => pages.filter(({ sizeKib }) => sizeKib > 4)

const hugeUsedIn = ({ pages }: HostStats['numaCells'][number]): number =>
  hugePagesOf(pages).reduce((mib, { used, sizeKib }) => mib + ((used ?? 0) * sizeKib) / 1_024, 0)

/** Memory of the host outside of huge pages that one instance may still have; undefined where nothing is set aside. */
export function plainMemoryOf(fleet: ModelFleet, host: ModelHost): number | undefined {
  const setAside = host.stats.numaCells.reduce((mib, cell) => mib + setAsideIn(cell), 0)
  const inventory = inventoryOf(host, 'MEMORY_MB')
  if (setAside === 0 || inventory === undefined) return undefined
  const { inAll } = inventory
  const given = host.stats.inventories.find(({ resourceClass }) => resourceClass === 'MEMORY_MB')
  const plain = Math.max(0, inAll - setAside)
  const taken = inventory.capacity - free(fleet, host, 'MEMORY_MB') - host.stats.numaCells.reduce((mib, cell) => mib + hugeUsedIn(cell), 0)
  return Math.min(plain, capacityOf(plain, given?.allocationRatio ?? host.stats.ramAllocationRatio) - Math.max(0, taken))
}

export const capacity = (host: ModelHost, resourceClass: string): number => inventoryOf(host, resourceClass)?.capacity ?? 0

/**
 * What is left of a class: less what is in use, which is what the report says or what claims of listed instances hold, if
 * that is more; less the claims that no report shows.
 */
export function free(fleet: ModelFleet, host: ModelHost, resourceClass: string): number {
  const inventory = inventoryOf(host, resourceClass)
  const reportCounts = inventory !== undefined && inventory.used !== null
  let shown = 0
  let beside = 0
  for (const { takes, isListed } of claimsOn(fleet, host)) {
    const amount = takes.classes?.[resourceClass] ?? 0
    if (isListed && reportCounts) shown += amount
    else beside += amount
  }
  return (inventory?.capacity ?? 0) - Math.max(inventory?.used ?? 0, shown) - beside
}

const capacityOf = (total: number, ratio: number): number =>
  Number((BigInt(Math.max(0, total)) * BigInt(Math.round(ratio * 1_000))) / 1_000n)

const unlisted = (fleet: ModelFleet, host: ModelHost): number => claimsOn(fleet, host).filter(({ isListed }) => !isListed).length

export const instancesOn = (fleet: ModelFleet, host: ModelHost): number => host.stats.runningVms + unlisted(fleet, host)
export const ioOpsOn = (fleet: ModelFleet, host: ModelHost): number => host.stats.numIoOps + unlisted(fleet, host)

/** Aggregates of a host, in order of uuid. */
export const aggregatesOf = ({ aggregates }: ModelFleet, { host }: ModelHost): ModelAggregate[] =>
  aggregates.filter(({ hosts }) => hosts.includes(host)).sort((a, b) => (a.uuid < b.uuid ? -1 : 1))

export const zoneOf = (fleet: ModelFleet, host: ModelHost): string =>
  aggregatesOf(fleet, host).find(({ metadata }) => metadata.availability_zone !== undefined)?.metadata.availability_zone ?? 'nova'

/** The report lists the instance, or a claim in the log is for it. */
export const holds = (fleet: ModelFleet, host: ModelHost, instance: string): boolean =>
  host.present.includes(instance) || claimsOn(fleet, host).some((claim) => claim.isLogged && claim.instance === instance)

/** Whether a claim in the log is for the instance: it gets no second one. */
export const isClaimed = ({ claims }: ModelFleet, instance: string): boolean =>
  claims.some((claim) => claim.isLogged && claim.instance === instance)

/** The rule of a group as its first claim bound it; undefined while it has none. */
export const boundGroup = ({ claims }: ModelFleet, uuid: string): ModelGroup | undefined =>
  claims.find(({ group }) => group?.uuid === uuid)?.group ?? undefined

export const membersOn = (fleet: ModelFleet, host: ModelHost, uuid: string): number =>
  claimsOn(fleet, host).filter(({ group }) => group?.uuid === uuid).length

export interface ModelGpu {
  readonly index: number
  readonly model: string | null
  readonly free: number
}

/** The GPUs of a host by number, with the thousandths that are free. */
export function gpusOf(fleet: ModelFleet, host: ModelHost): ModelGpu[] {
  const reported = [...host.stats.gpus].sort((a, b) => a.index - b.index)
  const gpus = reported.map(({ index, model, usedMilli }) => ({ index, model, free: 1_000 - (usedMilli ?? 0) }))
  const at = (index: number) => gpus.find((gpu) => gpu.index === index)
  const anyCounts = reported.some(({ usedMilli }) => usedMilli !== null)
  const counts = (index: number) => (at(index) === undefined ? anyCounts : reported.find((gpu) => gpu.index === index)?.usedMilli !== null)
  const held = claimsOn(fleet, host).flatMap(({ takes, isListed }) => (takes.gpu ?? []).map((taken) => ({ ...taken, isListed })))
  const shown = held.filter(({ index, isListed }) => isListed && counts(index))
  const waiting = held.filter((taken) => !shown.includes(taken))
  /** Thousandths one by one from these GPUs, as long as they have any; what none has is returned. */
  const drain = (from: readonly ModelGpuState[], milli: number): number => {
    let open = milli
    for (const gpu of from) for (; open > 0 && gpu.free > 0; open--) gpu.free--
    return open
  }
  // claims of listed instances hold more than is reported: from the GPUs that they name first
  let hidden = shown.reduce((sum, { milli }) => sum + milli, 0) - reported.reduce((sum, { usedMilli }) => sum + (usedMilli ?? 0), 0)
  for (const gpu of gpus) {
    const missing = shown.reduce((sum, { index, milli }) => (index === gpu.index ? sum + milli : sum), 0) - (1_000 - gpu.free)
    const part = Math.max(0, Math.min(hidden, missing, gpu.free))
    gpu.free -= part
    hidden -= part
  }
  if (hidden > 0) {
    const open = drain(gpus, hidden)
    if (gpus[0] !== undefined) gpus[0].free -= open
  }
  // each of the others has the GPU that it names, the largest first, or another, of its own model rather
  const homeless: { readonly index: number; readonly milli: number }[] = []
  for (const taken of waiting.sort((a, b) => b.milli - a.milli || a.index - b.index)) {
    const named = at(taken.index)
    if (named !== undefined && named.free >= taken.milli) named.free -= taken.milli
    else homeless.push(taken)
  }
  for (const { index, milli } of homeless) {
    const named = at(index)
    const order = [...gpus].sort((a, b) => Number(b.model === named?.model) - Number(a.model === named?.model) || a.index - b.index)
    const whole = (named === undefined ? gpus : order).find(({ free: left }) => left >= milli)
    if (whole !== undefined) whole.free -= milli
    else {
      const open = drain(named === undefined ? gpus : order, milli)
      const last = named ?? gpus[0]
      if (last !== undefined) last.free -= open
    }
  }
  return gpus
}

interface ModelGpuState {
  readonly index: number
  readonly model: string | null
  free: number
}

export interface ModelCell {
  readonly id: number
  readonly cpus: readonly number[]
  readonly pinned: readonly number[]
  readonly cpuCapacity: number
  readonly sharedUsed: number
  readonly memoryCapacity: number
  readonly memoryFree: number
  /** All memory, and what of it is not set aside as huge pages. */
  readonly memory: number
  readonly plain: number
  /** Plain memory that may be given, and that is taken. */
  readonly plainCapacity: number
  readonly plainUsed: number
}

interface CellHold {
  readonly cell: number
  readonly cpus: number
  readonly memoryMb: number
  readonly pinned: readonly number[]
}

interface CellTally {
  readonly id: number
  readonly cpus: readonly number[]
  pinned: number[]
  readonly cpuCapacity: number
  sharedUsed: number
  readonly memoryCapacity: number
  memoryFree: number
}

/** Shared CPUs that a cell may still give next to those that are pinned. */
const sharedLeft = ({ cpus, pinned, cpuCapacity, sharedUsed }: CellTally): number =>
  (pinned.length === 0 ? cpuCapacity : Math.floor(((cpus.length - pinned.length) * cpuCapacity) / cpus.length)) - sharedUsed

function hasPlace(cell: CellTally, { cpus, memoryMb, pinned }: CellHold): boolean {
  if (memoryMb > 0 && memoryMb > cell.memoryFree) return false
  if (new Set(pinned).size < pinned.length || pinned.some((cpu) => !cell.cpus.includes(cpu) || cell.pinned.includes(cpu))) return false
  if (cpus === 0 && pinned.length === 0) return true
  const unpinned = cell.cpus.length - cell.pinned.length - pinned.length
  return unpinned >= 0 && cell.sharedUsed + cpus <= Math.floor((unpinned * cell.cpuCapacity) / cell.cpus.length)
}

function give(cell: CellTally, { cpus, memoryMb, pinned }: CellHold): void {
  cell.sharedUsed += cpus
  cell.memoryFree -= memoryMb
  cell.pinned.push(...pinned)
}

/** One amount from cells in an order, each as far as it has any; what none has is on the first. */
function spread(
  cells: readonly CellTally[],
  amount: number,
  left: (cell: CellTally) => number,
  take: (cell: CellTally, by: number) => void,
): void {
  let open = Math.max(0, amount)
  for (const cell of cells) {
    const part = Math.min(open, Math.max(0, left(cell)))
    take(cell, part)
    open -= part
  }
  if (cells[0] !== undefined && open > 0) take(cells[0], open)
}

const takeShared = (cell: CellTally, by: number): void => {
  cell.sharedUsed += by
}

const takeMemory = (cell: CellTally, by: number): void => {
  cell.memoryFree -= by
}

const isOpen =
  (cell: CellTally) =>
  (cpu: number): boolean =>
    !cell.pinned.includes(cpu)

/** So many CPUs of these cells, lowest first, as long as any is left. */
function pinSome(cells: readonly CellTally[], count: number): void {
  for (let n = 0; n < count; n++) {
    const cell = cells.find((one) => one.cpus.some(isOpen(one)))
    const cpu = cell?.cpus.find(isOpen(cell))
    if (cell !== undefined && cpu !== undefined) cell.pinned.push(cpu)
  }
}

/** The NUMA cells of a host by number, with what is taken of them. */
export function cellsOf(fleet: ModelFleet, host: ModelHost): ModelCell[] {
  const { stats } = host
  const reported = [...stats.numaCells].sort((a, b) => a.id - b.id)
  const cells = reported.map((cell): CellTally => {
    const memoryCapacity = capacityOf(cell.memoryMb, stats.ramAllocationRatio)
    return {
      id: cell.id,
      cpus: [...cell.cpuset].sort((a, b) => a - b),
      pinned: [...(cell.pinnedCpus ?? [])],
      cpuCapacity: capacityOf(cell.cpuset.length, stats.cpuAllocationRatio),
      sharedUsed: cell.cpuUsage ?? 0,
      memoryCapacity,
      memoryFree: memoryCapacity - (cell.memoryUsageMb ?? 0),
    }
  })
  const shown: CellHold[] = []
  const waiting: CellHold[] = []
  for (const { takes, isListed } of claimsOn(fleet, host))
    for (const { cell, cpus, memoryMb, pinned = [] } of takes.numa ?? []) {
      const named = reported.filter(({ id }) => id === cell)
      const counting = named.length === 0 ? reported : named
      const counts = {
        cpus: isListed && counting.some(({ cpuUsage }) => cpuUsage !== null),
        memory: isListed && counting.some(({ memoryUsageMb }) => memoryUsageMb !== null),
        pins: isListed && counting.some(({ pinnedCpus }) => pinnedCpus !== null),
      }
      const part = (isShown: boolean): CellHold => ({
        cell,
        cpus: counts.cpus === isShown ? cpus : 0,
        memoryMb: counts.memory === isShown ? memoryMb : 0,
        pinned: counts.pins === isShown ? pinned : [],
      })
      shown.push(part(true))
      waiting.push(part(false))
    }
  const sum = <Of>(all: readonly Of[], read: (one: Of) => number): number => all.reduce((total, one) => total + read(one), 0)
  const inCell = ({ id }: { id: number }) => shown.filter((hold) => hold.cell === id)
  // claims of listed instances hold more than is reported: from where they name it, then from any cell
  let hiddenPins = sum(shown, ({ pinned }) => pinned.length) - sum(reported, ({ pinnedCpus }) => pinnedCpus?.length ?? 0)
  for (const cell of cells)
    for (const cpu of [...new Set(inCell(cell).flatMap(({ pinned }) => pinned))].sort((a, b) => a - b)) {
      if (hiddenPins <= 0 || !cell.cpus.includes(cpu) || cell.pinned.includes(cpu)) continue
      cell.pinned.push(cpu)
      hiddenPins--
    }
  pinSome(cells, hiddenPins)
  let hiddenMemory = sum(shown, ({ memoryMb }) => memoryMb) - sum(reported, ({ memoryUsageMb }) => memoryUsageMb ?? 0)
  for (const [i, cell] of cells.entries()) {
    const missing = sum(inCell(cell), ({ memoryMb }) => memoryMb) - (reported[i]?.memoryUsageMb ?? 0)
    const part = Math.max(0, Math.min(hiddenMemory, missing, cell.memoryFree))
    cell.memoryFree -= part
    hiddenMemory -= part
  }
  spread(cells, hiddenMemory, ({ memoryFree }) => memoryFree, takeMemory)
  let hiddenCpus = sum(shown, ({ cpus }) => cpus) - sum(reported, ({ cpuUsage }) => cpuUsage ?? 0)
  for (const [i, cell] of cells.entries()) {
    const missing = sum(inCell(cell), ({ cpus }) => cpus) - (reported[i]?.cpuUsage ?? 0)
    const part = Math.max(0, Math.min(hiddenCpus, missing, sharedLeft(cell)))
    cell.sharedUsed += part
    hiddenCpus -= part
  }
  spread(cells, hiddenCpus, sharedLeft, takeShared)
  // each of the others has the cell that it names, those with most first, or moves as a whole, or gets what is left of each
  const homeless: CellHold[] = []
  for (const hold of waiting.sort(byAmount)) {
    const named = cells.find(({ id }) => id === hold.cell)
    if (named !== undefined && hasPlace(named, hold)) give(named, hold)
    else homeless.push(hold)
  }
  for (const hold of homeless) {
    const named = cells.filter(({ id }) => id === hold.cell)
    const order = [...named, ...cells.filter(({ id }) => id !== hold.cell)]
    const moved = order.map((cell) => {
      const open = cell.cpus.filter(isOpen(cell))
      const own = cell.id === hold.cell ? open.filter((cpu) => hold.pinned.includes(cpu)) : []
      return { cell, hold: { ...hold, pinned: [...own, ...open.filter((cpu) => !own.includes(cpu))].slice(0, hold.pinned.length) } }
    })
    const place = moved.find((one) => one.hold.pinned.length === hold.pinned.length && hasPlace(one.cell, one.hold))
    if (place !== undefined) {
      give(place.cell, place.hold)
      continue
    }
    pinSome(order, hold.pinned.length)
    spread(order, hold.memoryMb, ({ memoryFree }) => memoryFree, takeMemory)
    spread(order, hold.cpus, sharedLeft, takeShared)
  }
  return cells.map((cell, i): ModelCell => {
    const { memoryMb, memoryUsageMb } = reported[i] as (typeof reported)[number]
    const plain = memoryMb - setAsideIn(reported[i] as (typeof reported)[number])
    // a report without used memory counts the huge pages that are used, and nothing else
    const huge = memoryUsageMb === null ? 0 : hugeUsedIn(reported[i] as (typeof reported)[number])
    return {
      ...cell,
      memory: memoryMb,
      plain,
      plainCapacity: capacityOf(plain, stats.ramAllocationRatio),
      plainUsed: Math.max(0, cell.memoryCapacity - cell.memoryFree - huge),
    }
  })
}

function byAmount(a: CellHold, b: CellHold): number {
  const byFirst = b.pinned.length - a.pinned.length || b.memoryMb - a.memoryMb || b.cpus - a.cpus || a.cell - b.cell
  if (byFirst !== 0) return byFirst
  const differing = a.pinned.findIndex((cpu, i) => cpu !== b.pinned[i])
  return differing < 0 ? 0 : (a.pinned[differing] as number) - (b.pinned[differing] as number)
}
