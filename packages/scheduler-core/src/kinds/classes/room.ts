import { type Fact, FOR_ONE_INSTANCE, type Term } from '../../evidence.ts'
import { capacityOf } from '../../fleet/capacity.ts'
import { at, type ClassColumns } from '../../fleet/columns.ts'
import type { HostTable } from '../../fleet/hosts.ts'
import { OWN_UNITS, PLAIN_IN_CELLS, STRICT_CLAIMS, UNITS_BEFORE_FREE } from '../../fleet/levels.ts'
import { allocationTerms, freeFact, inAllFact, leftOf, reportOf, reserveOf } from '../../fleet/sources.ts'
import type { HostIndex } from '../../host-index.ts'
import type { Reason } from '../../reason.ts'
import { heldByMover } from '../mover.ts'
import { hugeHeld } from '../numa/huge-held.ts'
import { hugeMibOf, hugeMibUsed, plainMibReported } from '../numa/plain-memory.ts'

/** Placement's word for "no largest amount was stated". */
const UNSTATED = 2_147_483_647

/**
 * The most of a class that one instance may have of a host: what the report says, else all that there is and is not kept back, so that
 * overcommit lets instances share and never gives one more than there is (Placement's `max_unit`, as Nova's hosts report it). Below
 * feature level STRICT_CLAIMS there is no limit but a stated one.
 */
export function maxUnitOf(stated: number | null, total: number, reserved: number, featureLevel: number): number {
  if (featureLevel < STRICT_CLAIMS) return stated ?? Number.MAX_SAFE_INTEGER
  return stated === null || stated === UNSTATED ? inAll(total, reserved) : stated
}

/** All that there is and is not kept back. */
const inAll = (total: number, reserved: number): number => Math.max(0, total - reserved)

/** Of the class, all that the host has; less than one instance may have only where the report says so. */
export const inAllOf = (columns: ClassColumns, host: HostIndex): number => inAll(at(columns.total, host), at(columns.reserved, host))

/** Whether an amount is more than the host has in all: no other instance is in its way. */
export const isBeyondAll = (columns: ClassColumns, host: HostIndex, amount: number): boolean =>
  amount > at(columns.maxUnit, host) && at(columns.maxUnit, host) === inAllOf(columns, host)

/** Whether neither the host has so much in all, nor the report says that one instance may have more than that. */
const isMoreThanAll = (columns: ClassColumns, host: HostIndex, amount: number): boolean =>
  amount > inAllOf(columns, host) && amount > at(columns.maxUnit, host)

/** What of a class refuses an amount: more than there is in all, the unit rules, or too little that is free. */
export type ClassLack = 'in all' | 'unit' | 'free'

/**
 * All of these, what nobody can wait for first. `held`: what the same instance holds there already. Below feature level UNITS_BEFORE_FREE an
 * amount beyond a stated largest one breaks the unit rules alone.
 */
export function lacksOf(hosts: HostTable, host: HostIndex, columns: ClassColumns, amount: number, held = 0): readonly ClassLack[] {
  if (at(columns.reported, host) !== 1) return ['free']
  const isCovered = amount <= held
  const isStrict = hosts.featureLevel >= STRICT_CLAIMS
  const isBeyond = isStrict && isBeyondAll(columns, host, amount)
  const isInAll = isBeyond || (hosts.featureLevel >= UNITS_BEFORE_FREE && isMoreThanAll(columns, host, amount))
  const isOfNoUnit = amount < at(columns.minUnit, host) || amount % at(columns.stepSize, host) !== 0
  const lacks: ClassLack[] = []
  if (isInAll && !isCovered) lacks.push('in all')
  if (isOfNoUnit || (amount > at(columns.maxUnit, host) && !isBeyond)) lacks.push('unit')
  if (at(columns.free, host) >= amount || isCovered) return lacks
  return hosts.featureLevel >= UNITS_BEFORE_FREE ? [...lacks, 'free'] : ['free', ...lacks]
}

/** The amounts that a host gives to one instance: whole steps from the smallest unit to the largest. */
export function unitRule(columns: ClassColumns, host: HostIndex): string {
  const step = at(columns.stepSize, host)
  const least = Math.ceil(at(columns.minUnit, host) / step) * step
  const max = at(columns.maxUnit, host)
  const most = max === Number.MAX_SAFE_INTEGER ? max : Math.floor(max / step) * step
  if (least > most) return 'no amount'
  if (least === most) return `only ${least}`
  return `${least} to ${most === Number.MAX_SAFE_INTEGER ? 'any' : most} in steps of ${step}`
}

/** What of a class refuses an amount, as facts. */
export const factsOfLacks = (
  hosts: HostTable,
  host: HostIndex,
  asked: Parameters<typeof freeFact>[3],
  lacks: readonly ClassLack[],
): readonly Fact[] =>
  lacks.map((lack) => {
    if (lack === 'in all') return inAllFact(hosts, host, asked.subject, asked)
    if (lack === 'free') return freeFact(hosts, host, asked.subject, asked)
    const actual = unitRule(hosts.classColumns(asked.subject), host)
    return { ...asked, amountOf: FOR_ONE_INSTANCE, actual, actualFrom: reportOf(hosts.get(host)) }
  })

/**
 * Whether a host has room for an amount, by the unit rules of the class. `held`: what the same instance holds there already. No more than
 * that needs no free room, and may be more than the host has in all by now; the unit rules that a report states hold for it too.
 */
export function hasRoom(columns: ClassColumns | undefined, host: HostIndex, amount: number, held = 0): boolean {
  if (columns === undefined || columns.reported[host] !== 1) return false
  if (amount < at(columns.minUnit, host) || amount % at(columns.stepSize, host) !== 0) return false
  if (amount <= at(columns.maxUnit, host) && at(columns.free, host) >= amount) return true
  return amount <= held && (amount <= at(columns.maxUnit, host) || isBeyondAll(columns, host, amount))
}

/** Whether memory that is not huge pages finds room beside the memory that the host sets aside as huge pages. */
export function hasPlainMemory(hosts: HostTable, host: HostIndex, mib: number, held = 0): boolean {
  if (mib <= 0 || at(hosts.columns.hugePageMib, host) === 0 || hosts.featureLevel < STRICT_CLAIMS) return true
  return mib <= held || mib <= plainMemoryLeft(hosts, host)
}

/** Of so much memory that an instance holds on its own host, MiB outside of huge pages. */
export const plainHeld = (hosts: HostTable, host: HostIndex, mib: number): number =>
  hosts.featureLevel < OWN_UNITS ? mib : Math.max(0, mib - hugeMibOf(hosts.get(host).cells, heldByMover(hosts, host)?.numa))

/** MiB outside of huge pages that one instance may still have; below 0 where more is taken. */
export function plainMemoryLeft(hosts: HostTable, host: HostIndex): number {
  const columns = hosts.classColumns('MEMORY_MB')
  const taken = plainTaken(hosts, host)
  const rest = at(columns.total, host) - at(columns.reserved, host) - at(hosts.columns.hugePageMib, host)
  // pages and what is kept back may be more than there is: as much more memory is needed before anybody finds room
  if (rest < 0 && hosts.featureLevel >= PLAIN_IN_CELLS) return rest - taken
  const plain = Math.max(0, rest)
  return Math.min(plain, capacityOf(plain, 0, at(columns.ratioMilli, host)) - taken)
}

/**
 * MiB outside of huge pages that are in use or held: what the report shows beyond the huge pages in use, at least what claims hold of
 * instances that it counts, and what the other claims hold. Below feature level PLAIN_IN_CELLS huge pages in use were taken off all of it.
 */
function plainTaken(hosts: HostTable, host: HostIndex): number {
  const columns = hosts.classColumns('MEMORY_MB')
  const [used, covered, claimed] = [at(columns.used, host), at(columns.covered, host), at(columns.claimed, host)]
  const record = hosts.get(host)
  if (hosts.featureLevel < PLAIN_IN_CELLS) {
    const huge = record.cells.reduce((sum, cell) => sum + hugeMibUsed(cell), 0)
    return Math.max(0, used + claimed - huge)
  }
  const { reported, counted, beside } = hugeHeld.of(record)
  const shown = Math.max(plainMibReported({ memoryMb: used, hugeMb: reported }, counted), covered - counted)
  const besideReport = claimed - Math.max(0, covered - used)
  return Math.max(0, shown + besideReport - beside)
}

/** What of the memory is kept back, where without it so much would find room outside of huge pages, or an operator set it. */
export const plainReserveOf = (hosts: HostTable, host: HostIndex, need: number): Pick<Reason, 'reserved'> =>
  reserveOf(hosts, host, 'MEMORY_MB', 'MiB', { missing: need - plainMemoryLeft(hosts, host) })

/** That memory as a fact: what there is, what is set aside, and what is taken. */
export function plainMemoryFact(hosts: HostTable, host: HostIndex, asked: Omit<Fact, 'actual' | 'actualFrom' | 'terms'>): Fact {
  const columns = hosts.classColumns('MEMORY_MB')
  const record = hosts.get(host)
  const from = leftOf(record)
  const taken = at(columns.used, host) + at(columns.claimed, host)
  const { reserved, ratio } = allocationTerms(hosts, host, 'MEMORY_MB')
  const term = (name: string, value: number): Term => ({ name, value, from })
  return {
    ...asked,
    amountOf: 'outside of huge pages',
    actual: plainMemoryLeft(hosts, host),
    ...plainReserveOf(hosts, host, Number(asked.required)),
    actualFrom: from,
    terms: [
      term('total', at(columns.total, host)),
      reserved,
      term('set aside as huge pages', at(hosts.columns.hugePageMib, host)),
      ratio,
      term('used or claimed', taken),
      term('of that in huge pages', taken - plainTaken(hosts, host)),
    ],
  }
}
