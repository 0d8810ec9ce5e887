import { isInUse } from '../../hosts/classes/class-table.ts'
import { classValue, SparseColumns, setClassValue } from '../../hosts/classes/sparse-columns.ts'
import { at, type ClassColumns, type InventoryRow } from '../../hosts/columns.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { hugeMibOf } from '../../hosts/plain-memory.ts'
import { freeFact, reserveOf } from '../../hosts/sources.ts'
import type { Amounts } from '../../records/grants.ts'
import type { HostStats } from '../../report/stats.ts'
import { classFields } from '../../report/stats-fields.ts'
import { demandOf } from '../../request/request-spec.ts'
import { amountFrom } from '../../request/sources.ts'
import type { Fact } from '../../text/evidence.ts'
import { byCodeUnit } from '../../values/canonical-json.ts'
import { capacityOf, toRatioMilli } from '../../values/capacity.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { OWN_UNITS, PLAIN_IN_CELLS, STRICT_CLAIMS, USUAL_CLASSES } from '../../values/levels.ts'
import type { ResourceKind } from '../kind.ts'
import { heldByMover } from '../mover.ts'
import {
  factsOfLacks,
  hasPlainMemory,
  hasRoom,
  inAllOf,
  isBeyondStatedMaximum,
  isKeptByRebuild,
  lacksOf,
  maxUnitOf,
  plainHeld,
  plainMemoryFact,
  plainMemoryLeft,
  plainReserveOf,
  unitRule,
} from './room.ts'
import { isUsual, wordsOf } from './usual.ts'

export interface AmountAsk {
  readonly resourceClass: string
  readonly amount: number
  /** For MEMORY_MB: the MiB that the guest's NUMA cells contain. */
  readonly inCells?: number
  /** For MEMORY_MB: the MiB that can be in huge pages, depending on which host cells are chosen. */
  readonly inPages?: number
}

const MEMORY = 'MEMORY_MB'

/** The reason codes that all classes have below feature level USUAL_CLASSES. */
const others = { short: 'class.short', tooLittle: 'class.too_little' } as const

/** Countable resources: VCPU, MEMORY_MB, DISK_GB and custom classes, each with a total, a reserved amount, a ratio and unit rules. */
export const classesKind: ResourceKind<readonly AmountAsk[], Amounts> = {
  name: 'classes',
  filter: {
    name: 'ResourceClassFilter',
    description: 'The host has enough free of every requested resource class, within the unit rules of the class.',
    reads: Object.values(classFields).flat(),
  },
  rules: ['sum'],
  isPlain: true,

  ask(spec) {
    const amounts = Object.entries(demandOf(spec).amounts)
    if (amounts.length === 0) return undefined
    const cells = spec.numaTopology?.cells
    const [inCells, inPages] = [memoryOf(cells), memoryOf(cells?.filter(({ pageSize }) => pageSize !== null))]
    return amounts.map(([resourceClass, amount]) => ({
      resourceClass,
      amount,
      ...(resourceClass === MEMORY && inCells > 0 && { inCells }),
      ...(resourceClass === MEMORY && inPages > 0 && { inPages }),
    }))
  },

  canGive(hosts, host, ask) {
    const held = heldByMover(hosts, host)?.classes
    for (const one of ask) if (!canHave(hosts, host, one, held)) return false
    return true
  },

  prepareCanGive(hosts, ask) {
    const wanted = ask.map(({ resourceClass, amount }) => ({ columns: hosts.classes.get(resourceClass), amount }))
    const memory = ask.find(({ resourceClass }) => resourceClass === MEMORY)
    const plain = memory === undefined ? 0 : plainIn(hosts, memory)
    const { hugePageMib } = hosts.columns
    return (host) => {
      if (hosts.mover?.host === host) return this.canGive(hosts, host, ask)
      for (let i = 0; i < wanted.length; i++) {
        const { columns, amount } = wanted[i] as (typeof wanted)[number]
        if (!hasRoom(columns, host, amount)) return false
      }
      return at(hugePageMib, host) === 0 || hasPlainMemory(hosts, host, plain)
    }
  },

  createAssign(setting) {
    if (setting !== undefined && setting.rule !== 'sum')
      throw new RangeError(`the resource kind classes has no assignment rule ${setting.rule}; it must be sum`)
    return (hosts, host, ask) =>
      this.canGive(hosts, host, ask) ? Object.fromEntries(ask.map(({ resourceClass, amount }) => [resourceClass, amount])) : undefined
  },

  fits(hosts, host, grant, held, otherGrants) {
    const [inCells, inPages] = [memoryOf(otherGrants?.numa), hugeMibOf(hosts.get(host).cells, otherGrants?.numa)]
    for (const resourceClass in grant) {
      const one = { resourceClass, amount: grant[resourceClass] as number, inCells, inPages }
      if (!canHave(hosts, host, one, held)) return false
    }
    return true
  },

  hold: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, 1),
  drop: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, -1),

  takeInventory(hosts, host, stats) {
    const inventories = inventoriesOf(stats)
    for (const [resourceClass, columns] of hosts.classes)
      if (!inventories.has(resourceClass) && isInUse(columns, host))
        hosts.writeClass(resourceClass, host, () => use(columns, host, 0), NOTHING)
    for (const [resourceClass, { total, reserved, allocationRatio, minUnit, maxUnit, stepSize, used }] of inventories) {
      const ratioMilli = toRatioMilli(allocationRatio)
      hosts.writeClass(resourceClass, host, (columns) => use(columns, host, used ?? 0), {
        total,
        reserved,
        ratioMilli,
        minUnit,
        maxUnit: maxUnitOf(maxUnit, total, reserved, hosts.featureLevel),
        stepSize,
        capacity: capacityOf(total, reserved, ratioMilli),
        reported: 1,
        countsUse: used === null ? 0 : 1,
      })
    }
  },

  countsUse(hosts, host, grant, deltaClasses) {
    for (const resourceClass in grant)
      if (classValue(hosts.classes.get(resourceClass), 'countsUse', host) === 1 && !deltaClasses.has(resourceClass)) return true
    return false
  },

  usedBelowClaims: ({ classes }, host) =>
    [...classes].flatMap(([subject, columns]) => {
      const [reported, held] = [classValue(columns, 'used', host), classValue(columns, 'covered', host)]
      return held > reported ? [{ subject, reported, held }] : []
    }),

  capacityBelowClaims({ classes }, host, grants) {
    // claims are included in `used` or `claimed`, so claims can exceed the capacity only if the free amount is negative
    const full = [...classes].filter(([, columns]) => classValue(columns, 'free', host) < 0)
    return full.flatMap(([subject, columns]) => {
      const held = grants.reduce((sum, grant) => sum + (grant[subject] ?? 0), 0)
      const reported = classValue(columns, 'capacity', host)
      return held > reported ? [{ subject, reported, held }] : []
    })
  },

  reason(hosts, host, ask) {
    const held = heldByMover(hosts, host)?.classes
    for (const one of ask) {
      if (canHave(hosts, host, one, held)) continue
      const { resourceClass, amount: need } = one
      const columns = hosts.classes.get(resourceClass)
      const words = hosts.featureLevel < USUAL_CLASSES ? { ...others, unit: resourceClass } : wordsOf(resourceClass)
      const asked = { subject: resourceClass, need, unit: words.unit } as const
      if (columns === undefined || columns.reported[host] === 0) return { ...asked, code: 'class.not_reported', have: 0 }
      const reserve = (missing: number | 'in total') => reserveOf(hosts, host, resourceClass, words.unit, { missing })
      switch (lacksOf(hosts, host, one, held?.[resourceClass])[0]) {
        case 'in total':
          return { ...asked, code: words.tooLittle, have: inAllOf(columns, host), ...reserve('in total') }
        case 'free':
          return { ...asked, code: words.short, have: at(columns.free, host), ...reserve(need - at(columns.free, host)) }
        case 'unit':
          return { ...asked, code: 'class.unit', have: unitRule(columns, host) }
        default:
          return {
            ...{ code: 'memory.huge_pages', subject: MEMORY, need: plainIn(hosts, one), have: plainMemoryLeft(hosts, host), unit: 'MiB' },
            ...plainReserveOf(hosts, host, plainIn(hosts, one)),
          }
      }
    }
    throw new Error('the reason of a refusal was requested, but the host has enough free resources')
  },

  havers(hosts, ask) {
    // the usual classes (vCPUs, memory and disk) are left out, because every host has them
    const special = ask.filter(({ resourceClass }) => !isUsual(resourceClass)).sort((a, b) => byCodeUnit(a.resourceClass, b.resourceClass))
    if (special.length === 0) return undefined
    const each = special.map(({ resourceClass }) => {
      const column = hosts.classes.get(resourceClass)
      return { which: `with resource class ${resourceClass}`, passes: (host: HostIndex) => column?.reported[host] === 1 }
    })
    return {
      which: `with resource ${special.length === 1 ? 'class' : 'classes'} ${special.map(({ resourceClass }) => resourceClass).join(' and ')}`,
      has: (host) => each.every(({ passes }) => passes(host)),
      lacks(host) {
        const first = special.find((_, i) => each[i]?.passes(host) === false) ?? special[0]
        const unit = first && wordsOf(first.resourceClass).unit
        return { code: 'class.not_reported', ...(first && { subject: first.resourceClass, need: first.amount, unit }), have: 0 }
      },
      each,
    }
  },

  facts(hosts, host, ask, request) {
    const held = heldByMover(hosts, host)?.classes
    return ask
      .filter((one) => !canHave(hosts, host, one, held))
      .flatMap((one): readonly Fact[] => {
        const { resourceClass, amount } = one
        const columns = hosts.classes.get(resourceClass)
        const requiredFrom = amountFrom(request, resourceClass)
        const unit = hosts.featureLevel < USUAL_CLASSES ? resourceClass : wordsOf(resourceClass).unit
        const asked = { subject: resourceClass, required: amount, unit, requiredFrom }
        if (columns === undefined || columns.reported[host] === 0) return [freeFact(hosts, host, resourceClass, asked)]
        const own = held?.[resourceClass] ?? 0
        const isPlainShort =
          resourceClass === MEMORY && !hasPlainMemory(hosts, host, plainIn(hosts, one), plainHeld(hosts, host, held?.[MEMORY] ?? 0))
        return [
          ...factsOfLacks(hosts, host, asked, lacksOf(hosts, host, one, own)),
          ...(isPlainShort ? [plainMemoryFact(hosts, host, { ...asked, required: plainIn(hosts, one), unit: 'MiB' })] : []),
        ]
      })
  },
}

/** True if a host can give this amount to an instance. `held` contains the amounts that the instance already holds on the host. */
function canHave(hosts: HostTable, host: HostIndex, one: AmountAsk, held: Amounts | undefined): boolean {
  const own = held?.[one.resourceClass] ?? 0
  const columns = hosts.classes.get(one.resourceClass)
  // If the host does not report the class, only an instance that already holds at least this amount can have it. No unit rules apply.
  if (columns?.reported[host] !== 1) return hosts.featureLevel >= OWN_UNITS && one.amount > 0 && one.amount <= own
  const isKept = isKeptByRebuild(hosts, host, one.amount, own)
  if (!isKept && (!hasRoom(columns, host, one.amount, own) || isBeyondStatedMaximum(hosts, host, one))) return false
  return one.resourceClass !== MEMORY || hasPlainMemory(hosts, host, plainIn(hosts, one), plainHeld(hosts, host, own))
}

/**
 * The requested memory that cannot be in huge pages, in MiB. Below feature level PLAIN_IN_CELLS, memory in the guest's NUMA cells is
 * subtracted instead of memory that can be in huge pages.
 */
const plainIn = ({ featureLevel }: HostTable, { amount, inCells = 0, inPages = 0 }: AmountAsk): number =>
  Math.max(0, amount - (featureLevel < PLAIN_IN_CELLS ? inCells : inPages))

const memoryOf = (cells: readonly { readonly memoryMb: number }[] = []): number => cells.reduce((sum, { memoryMb }) => sum + memoryMb, 0)

type Inventory = HostStats['inventories'][number]

const standardInventory = (resourceClass: string, total: number, allocationRatio: number, used: number): Inventory => ({
  resourceClass,
  total,
  reserved: 0,
  allocationRatio,
  minUnit: 1,
  maxUnit: null,
  stepSize: 1,
  used,
})

/** The inventory of each class in a report. An entry in `inventories` overrides the plain fields, such as `vcpus`, of a standard class. */
function inventoriesOf(stats: HostStats): Map<string, Inventory> {
  const inventories = new Map<string, Inventory>()
  inventories.set('VCPU', standardInventory('VCPU', stats.vcpus, stats.cpuAllocationRatio, stats.vcpusUsed))
  inventories.set('MEMORY_MB', standardInventory('MEMORY_MB', stats.memoryMb, stats.ramAllocationRatio, stats.memoryMbUsed))
  inventories.set('DISK_GB', standardInventory('DISK_GB', stats.localGb, stats.diskAllocationRatio, stats.localGbUsed))
  for (const given of stats.inventories)
    inventories.set(given.resourceClass, { ...given, used: given.used ?? inventories.get(given.resourceClass)?.used ?? null })
  return inventories
}

/** The used amount of each resource class in a report. Classes whose use the report does not state are left out. */
export const usedAmounts = (stats: HostStats): ReadonlyMap<string, number> =>
  new Map([...inventoriesOf(stats)].flatMap(([resourceClass, { used }]) => (used === null ? [] : [[resourceClass, used] as const])))

function add(hosts: HostTable, host: HostIndex, grant: Amounts, materialised: boolean, sign: 1 | -1): void {
  for (const resourceClass in grant) {
    const amount = sign * (grant[resourceClass] as number)
    const isCovered = materialised && classValue(hosts.classes.get(resourceClass), 'countsUse', host) === 1
    if (isCovered && hosts.featureLevel < STRICT_CLAIMS) continue
    hosts.writeClass(resourceClass, host, (columns) => {
      const added = isCovered ? cover(columns, host, amount) : amount
      setClassValue(columns, 'claimed', host, classValue(columns, 'claimed', host) + added)
      refresh(columns, host)
    })
  }
}

/**
 * Adds an amount to the sum of the claims whose instances are in the report. Returns by how much this increases the excess of the sum over
 * the reported usage.
 */
function cover(columns: ClassColumns, host: HostIndex, amount: number): number {
  const [covered, used] = [classValue(columns, 'covered', host), classValue(columns, 'used', host)]
  setClassValue(columns, 'covered', host, covered + amount)
  return Math.max(0, covered + amount - used) - Math.max(0, covered - used)
}

function refresh(columns: ClassColumns, host: HostIndex): void {
  const taken = classValue(columns, 'used', host) + classValue(columns, 'claimed', host)
  setClassValue(columns, 'free', host, classValue(columns, 'capacity', host) - taken)
}

/** Sets the used amount from a report. Sets the claimed amount to 0, because the caller holds all claims again. */
function use(columns: ClassColumns, host: HostIndex, used: number): void {
  if (!(columns instanceof SparseColumns)) {
    columns.used[host] = used
    columns.claimed[host] = 0
    columns.covered[host] = 0
    columns.free[host] = at(columns.capacity, host) - used
    return
  }
  setClassValue(columns, 'used', host, used)
  setClassValue(columns, 'claimed', host, 0)
  setClassValue(columns, 'covered', host, 0)
  refresh(columns, host)
}

const NOTHING: InventoryRow = {
  total: 0,
  reserved: 0,
  ratioMilli: 0,
  minUnit: 0,
  maxUnit: 0,
  stepSize: 0,
  capacity: 0,
  reported: 0,
  countsUse: 0,
}
