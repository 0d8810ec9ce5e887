import type { Fact } from '../../evidence.ts'
import { at, type ClassColumns, type HostIndex, type InventoryRow } from '../../fleet/columns.ts'
import type { HostTable } from '../../fleet/hosts.ts'
import { STRICT_CLAIMS } from '../../fleet/levels.ts'
import { freeFact, reportOf } from '../../fleet/sources.ts'
import type { HostStats } from '../../fleet/stats.ts'
import { classFields } from '../../fleet/stats-fields.ts'
import { demandOf } from '../../request/request-spec.ts'
import { amountFrom } from '../../request/sources.ts'
import type { ResourceKind } from '../kind.ts'
import { capacityOf, toRatioMilli } from './capacity.ts'

/** Whole units per resource class. */
export type Amounts = Readonly<Record<string, number>>

interface AmountAsk {
  readonly resourceClass: string
  readonly amount: number
}

/** Countable resources: VCPU, MEMORY_MB, DISK_GB and custom classes, with total, reserved, ratio and unit rules. */
export const classesKind: ResourceKind<readonly AmountAsk[], Amounts> = {
  name: 'classes',
  filter: {
    name: 'ResourceClassFilter',
    description: 'The host has the amounts asked for left, class by class, within their unit rules.',
    reads: Object.values(classFields).flat(),
  },
  rules: ['sum'],
  isPlain: true,

  ask(spec) {
    const amounts = Object.entries(demandOf(spec).amounts)
    return amounts.length === 0 ? undefined : amounts.map(([resourceClass, amount]) => ({ resourceClass, amount }))
  },

  canGive(hosts, host, ask) {
    for (const { resourceClass, amount } of ask) if (!hasRoom(hosts, host, resourceClass, amount)) return false
    return true
  },

  prepareCanGive(hosts, ask) {
    const wanted = ask.map(({ resourceClass, amount }) => ({ columns: hosts.classes.get(resourceClass), amount }))
    return (host) => {
      for (let i = 0; i < wanted.length; i++) {
        const { columns, amount } = wanted[i] as (typeof wanted)[number]
        if (!columnsHaveRoom(columns, host, amount)) return false
      }
      return true
    }
  },

  createAssign(setting) {
    if (setting !== undefined && setting.rule !== 'sum')
      throw new RangeError(`classes has no assignment rule ${setting.rule}; it must be sum`)
    return (hosts, host, ask) =>
      this.canGive(hosts, host, ask) ? Object.fromEntries(ask.map(({ resourceClass, amount }) => [resourceClass, amount])) : undefined
  },

  fits(hosts, host, grant) {
    for (const resourceClass in grant) if (!hasRoom(hosts, host, resourceClass, grant[resourceClass] as number)) return false
    return true
  },

  hold: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, 1),
  drop: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, -1),

  takeInventory(hosts, host, stats) {
    const inventories = inventoriesOf(stats)
    for (const [resourceClass, columns] of hosts.classes)
      if (!inventories.has(resourceClass)) {
        hosts.setInventory(resourceClass, host, NOTHING)
        use(columns, host, 0)
      }
    for (const [resourceClass, { total, reserved, allocationRatio, minUnit, maxUnit, stepSize, used }] of inventories) {
      const ratioMilli = toRatioMilli(allocationRatio)
      hosts.setInventory(resourceClass, host, {
        total,
        reserved,
        ratioMilli,
        minUnit,
        maxUnit: maxUnit ?? Number.MAX_SAFE_INTEGER,
        stepSize,
        capacity: capacityOf(total, reserved, ratioMilli),
        reported: 1,
        countsUse: used === null ? 0 : 1,
      })
      use(hosts.classColumns(resourceClass), host, used ?? 0)
    }
  },

  countsUse(hosts, host, grant, told) {
    for (const resourceClass in grant) if (hosts.classes.get(resourceClass)?.countsUse[host] === 1 && !told.has(resourceClass)) return true
    return false
  },

  usedBelowClaims: ({ classes }, host) =>
    [...classes].flatMap(([subject, { covered, used }]) => {
      const [reported, held] = [at(used, host), at(covered, host)]
      return held > reported ? [{ subject, reported, held }] : []
    }),

  reason(hosts, host, ask) {
    for (const { resourceClass, amount } of ask) {
      if (hasRoom(hosts, host, resourceClass, amount)) continue
      const columns = hosts.classes.get(resourceClass)
      if (columns === undefined || columns.reported[host] === 0)
        return { code: 'class.not_reported', subject: resourceClass, need: amount, have: 0, unit: resourceClass }
      const have = at(columns.free, host)
      if (have < amount) return { code: 'class.short', subject: resourceClass, need: amount, have, unit: resourceClass }
      return { code: 'class.unit', subject: resourceClass, need: amount, have: unitRule(columns, host), unit: resourceClass }
    }
    throw new Error('reason was asked for a host that can give what is asked')
  },

  facts(hosts, host, ask, request) {
    return ask
      .filter(({ resourceClass, amount }) => !hasRoom(hosts, host, resourceClass, amount))
      .map(({ resourceClass, amount }): Fact => {
        const columns = hosts.classes.get(resourceClass)
        const requiredFrom = amountFrom(request, resourceClass)
        const asked = { subject: resourceClass, required: amount, unit: resourceClass, requiredFrom }
        const isThere = columns !== undefined && columns.reported[host] === 1 && at(columns.free, host) >= amount
        if (!isThere) return freeFact(hosts, host, resourceClass, asked)
        return { ...asked, actual: unitRule(columns, host), actualFrom: reportOf(hosts.get(host)) }
      })
  },
}

/** The inventory of every class in a report: the standard three, with what `inventories` says about them, and the others. */
function inventoriesOf(stats: HostStats): Map<string, HostStats['inventories'][number]> {
  const standard = (resourceClass: string, total: number, allocationRatio: number, used: number) =>
    [resourceClass, { resourceClass, total, reserved: 0, allocationRatio, minUnit: 1, maxUnit: null, stepSize: 1, used }] as const
  const inventories = new Map<string, HostStats['inventories'][number]>([
    standard('VCPU', stats.vcpus, stats.cpuAllocationRatio, stats.vcpusUsed),
    standard('MEMORY_MB', stats.memoryMb, stats.ramAllocationRatio, stats.memoryMbUsed),
    standard('DISK_GB', stats.localGb, stats.diskAllocationRatio, stats.localGbUsed),
  ])
  for (const given of stats.inventories)
    inventories.set(given.resourceClass, { ...given, used: given.used ?? inventories.get(given.resourceClass)?.used ?? null })
  return inventories
}

function hasRoom(hosts: HostTable, host: HostIndex, resourceClass: string, amount: number): boolean {
  return columnsHaveRoom(hosts.classes.get(resourceClass), host, amount)
}

function columnsHaveRoom(columns: ClassColumns | undefined, host: HostIndex, amount: number): boolean {
  return (
    columns !== undefined &&
    columns.reported[host] === 1 &&
    at(columns.free, host) >= amount &&
    amount >= at(columns.minUnit, host) &&
    amount <= at(columns.maxUnit, host) &&
    amount % at(columns.stepSize, host) === 0
  )
}

function add(hosts: HostTable, host: HostIndex, grant: Amounts, materialised: boolean, sign: 1 | -1): void {
  for (const resourceClass in grant) {
    const columns = hosts.classColumns(resourceClass)
    let beyond = sign * (grant[resourceClass] as number)
    if (materialised && columns.countsUse[host] === 1) {
      if (hosts.featureLevel < STRICT_CLAIMS) continue
      beyond = cover(columns, host, beyond)
    }
    columns.claimed[host] = at(columns.claimed, host) + beyond
    refresh(columns, host)
  }
}

/** So much more is held by claims whose use is reported; returns how much more of it the report does not count. */
function cover({ covered, used }: ClassColumns, host: HostIndex, amount: number): number {
  const before = Math.max(0, at(covered, host) - at(used, host))
  covered[host] = at(covered, host) + amount
  return Math.max(0, at(covered, host) - at(used, host)) - before
}

function refresh(columns: ClassColumns, host: HostIndex): void {
  columns.free[host] = at(columns.capacity, host) - at(columns.used, host) - at(columns.claimed, host)
}

/** So much is used, and nothing claimed. */
function use(columns: ClassColumns, host: HostIndex, used: number): void {
  columns.used[host] = used
  columns.claimed[host] = 0
  columns.covered[host] = 0
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

const unitRule = (columns: ClassColumns, host: HostIndex): string => {
  const max = at(columns.maxUnit, host)
  return `${at(columns.minUnit, host)} to ${max === Number.MAX_SAFE_INTEGER ? 'any' : max} in steps of ${at(columns.stepSize, host)}`
}
