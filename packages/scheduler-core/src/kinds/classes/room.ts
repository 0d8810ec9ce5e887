import { at, type ClassColumns } from '../../hosts/columns.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { hugeMibOf, hugeMibUsed, plainMibReported } from '../../hosts/plain-memory.ts'
import { allocationTerms, freeFact, inAllFact, leftOf, reportOf, reserveOf } from '../../hosts/sources.ts'
import { type Fact, FOR_ONE_INSTANCE, type Term } from '../../text/evidence.ts'
import type { Reason } from '../../text/reason.ts'
import { capacityOf } from '../../values/capacity.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { OWN_UNITS, PLAIN_IN_CELLS, STATED_MAXIMA, STRICT_CLAIMS, UNITS_BEFORE_FREE } from '../../values/levels.ts'
import { heldByMover } from '../mover.ts'
import { hugeHeld } from '../numa/huge-held.ts'

/** The `max_unit` that Placement assumes if an inventory has none. */
const UNSTATED = 2_147_483_647

/**
 * The largest amount of a class that one instance can have on a host. This is the `max_unit` in the report. If the report has no
 * `max_unit`, the limit is the total minus the reserved amount: overcommit lets several instances share the total, but no single instance
 * gets more than the total. Below feature level STRICT_CLAIMS, only a `max_unit` in the report limits the amount.
 */
export function maxUnitOf(stated: number | null, total: number, reserved: number, featureLevel: number): number {
  if (featureLevel < STRICT_CLAIMS) return stated ?? Number.MAX_SAFE_INTEGER
  return isLimit(stated) ? stated : inAll(total, reserved)
}

/** True if the `max_unit` in a report is a limit, and not the value that Placement uses for no limit. */
const isLimit = (stated: number | null): stated is number => stated !== null && stated !== UNSTATED

/** True if the host's report has a `max_unit` for the class. A larger total then does not raise the amount for one instance. */
const isMaxStated = (hosts: HostTable, host: HostIndex, resourceClass: string): boolean =>
  hosts.get(host).stats.inventories.some((one) => one.resourceClass === resourceClass && isLimit(one.maxUnit))

/** The total without the reserved amount. */
const inAll = (total: number, reserved: number): number => Math.max(0, total - reserved)

/** The total of the class minus the reserved amount. One instance can have more only if the report has a larger `max_unit`. */
export const inAllOf = (columns: ClassColumns, host: HostIndex): number => inAll(at(columns.total, host), at(columns.reserved, host))

/**
 * True if an amount exceeds the total minus the reserved amount, and this difference is the limit for one instance. Such an amount would
 * not fit even on an empty host.
 */
export const isBeyondAll = (columns: ClassColumns, host: HostIndex, amount: number): boolean =>
  amount > at(columns.maxUnit, host) && at(columns.maxUnit, host) === inAllOf(columns, host)

/** True if an amount exceeds both the total minus the reserved amount and the limit for one instance. */
const isMoreThanAll = (columns: ClassColumns, host: HostIndex, amount: number): boolean =>
  amount > inAllOf(columns, host) && amount > at(columns.maxUnit, host)

/**
 * True if an amount exceeds the `max_unit` in the host's report. The amount is refused even if the instance already holds it, because
 * Placement checks `max_unit` at each write.
 */
export const isBeyondStatedMaximum = (hosts: HostTable, host: HostIndex, { resourceClass, amount }: AskedAmount): boolean =>
  hosts.featureLevel >= STATED_MAXIMA &&
  amount > at(hosts.classColumns(resourceClass).maxUnit, host) &&
  isMaxStated(hosts, host, resourceClass)

/**
 * True if an instance that is being rebuilt already holds the amount on the host. No unit rule applies then, because Nova sends no request
 * to Placement for a rebuild.
 */
export const isKeptByRebuild = (hosts: HostTable, host: HostIndex, amount: number, held: number): boolean =>
  hosts.featureLevel >= STATED_MAXIMA && hosts.mover?.isRebuild === true && hosts.mover.host === host && amount <= held

/** Why an amount is refused: it exceeds the total ('in total'), it violates the unit rules ('unit'), or too little is free ('free'). */
export type ClassLack = 'in total' | 'unit' | 'free'

/** An amount of a class that an instance asks for. */
interface AskedAmount {
  readonly resourceClass: string
  readonly amount: number
}

/**
 * All values of `ClassLack` that apply to an amount. The values that would also apply on an empty host come first. `held` is the amount
 * that the instance already holds on the host. Below feature level UNITS_BEFORE_FREE, 'free' comes first, and an amount above a reported
 * `max_unit` has only one of the values 'in total' and 'unit'.
 */
export function lacksOf(hosts: HostTable, host: HostIndex, asked: AskedAmount, held = 0): readonly ClassLack[] {
  const { resourceClass, amount } = asked
  const columns = hosts.classColumns(resourceClass)
  if (at(columns.reported, host) !== 1) return ['free']
  if (isKeptByRebuild(hosts, host, amount, held)) return []
  const isCovered = amount <= held
  const isStrict = hosts.featureLevel >= STRICT_CLAIMS
  const isBeyond = isStrict && isBeyondAll(columns, host, amount)
  const isInAll = isBeyond || (hosts.featureLevel >= UNITS_BEFORE_FREE && isMoreThanAll(columns, host, amount))
  const isBeyondStated =
    isBeyond &&
    (isCovered
      ? isBeyondStatedMaximum(hosts, host, asked)
      : hosts.featureLevel >= UNITS_BEFORE_FREE && isMaxStated(hosts, host, resourceClass))
  const isOfNoUnit = amount < at(columns.minUnit, host) || amount % at(columns.stepSize, host) !== 0
  const lacks: ClassLack[] = []
  if (isInAll && !isCovered) lacks.push('in total')
  if (isOfNoUnit || (amount > at(columns.maxUnit, host) && (!isBeyond || isBeyondStated))) lacks.push('unit')
  if (at(columns.free, host) >= amount || isCovered) return lacks
  return hosts.featureLevel >= UNITS_BEFORE_FREE ? [...lacks, 'free'] : ['free', ...lacks]
}

/** The amounts that the unit rules allow for one instance, as text: multiples of `step_size` from `min_unit` to `max_unit`. */
export function unitRule(columns: ClassColumns, host: HostIndex): string {
  const step = at(columns.stepSize, host)
  const least = Math.ceil(at(columns.minUnit, host) / step) * step
  const max = at(columns.maxUnit, host)
  const most = max === Number.MAX_SAFE_INTEGER ? max : Math.floor(max / step) * step
  if (least > most) return 'no amount'
  if (least === most) return `only ${least}`
  return `${least} to ${most === Number.MAX_SAFE_INTEGER ? 'any' : most} in steps of ${step}`
}

/** One fact for each entry of `lacks`, the result of `lacksOf`. */
export const factsOfLacks = (
  hosts: HostTable,
  host: HostIndex,
  asked: Parameters<typeof freeFact>[3],
  lacks: readonly ClassLack[],
): readonly Fact[] =>
  lacks.map((lack) => {
    if (lack === 'in total') return inAllFact(hosts, host, asked.subject, asked)
    if (lack === 'free') return freeFact(hosts, host, asked.subject, asked)
    const actual = unitRule(hosts.classColumns(asked.subject), host)
    return { ...asked, amountOf: FOR_ONE_INSTANCE, actual, actualFrom: reportOf(hosts.get(host)) }
  })

/**
 * True if an amount fits on a host and satisfies the unit rules of the class. `held` is the amount that the instance already holds on the
 * host. An amount up to `held` needs no free capacity, and is accepted even if it exceeds the host's present total.
 */
export function hasRoom(columns: ClassColumns | undefined, host: HostIndex, amount: number, held = 0): boolean {
  if (columns === undefined || columns.reported[host] !== 1) return false
  if (amount < at(columns.minUnit, host) || amount % at(columns.stepSize, host) !== 0) return false
  if (amount <= at(columns.maxUnit, host) && at(columns.free, host) >= amount) return true
  return amount <= held && (amount <= at(columns.maxUnit, host) || isBeyondAll(columns, host, amount))
}

/**
 * True if an amount of memory fits outside of the huge pages of the host. `held` is the memory that the instance already holds outside of
 * huge pages.
 */
export function hasPlainMemory(hosts: HostTable, host: HostIndex, mib: number, held = 0): boolean {
  if (mib <= 0 || at(hosts.columns.hugePageMib, host) === 0 || hosts.featureLevel < STRICT_CLAIMS) return true
  return mib <= held || mib <= plainMemoryLeft(hosts, host)
}

/**
 * The memory that a moving instance holds on the host outside of huge pages, in MiB. `mib` is all memory that the instance holds on the
 * host.
 */
export const plainHeld = (hosts: HostTable, host: HostIndex, mib: number): number =>
  hosts.featureLevel < OWN_UNITS ? mib : Math.max(0, mib - hugeMibOf(hosts.get(host).cells, heldByMover(hosts, host)?.numa))

/** The memory outside of huge pages that is free for one instance, in MiB. Negative if more is in use than exists. */
export function plainMemoryLeft(hosts: HostTable, host: HostIndex): number {
  const columns = hosts.classColumns('MEMORY_MB')
  const taken = plainTaken(hosts, host)
  const rest = at(columns.total, host) - at(columns.reserved, host) - at(hosts.columns.hugePageMib, host)
  // Huge pages and the reserved amount together can exceed the total. The result then includes this excess as a negative amount.
  if (rest < 0 && hosts.featureLevel >= PLAIN_IN_CELLS) return rest - taken
  const plain = Math.max(0, rest)
  return Math.min(plain, capacityOf(plain, 0, at(columns.ratioMilli, host)) - taken)
}

/**
 * The memory outside of huge pages that is used or claimed, in MiB. It has two parts. For instances in the report, it is the reported usage
 * without huge pages or the amount that their claims hold, whichever is larger. The amounts of all other claims are added. Below feature
 * level PLAIN_IN_CELLS, it is the used and claimed memory minus the huge pages in use.
 */
function plainTaken(hosts: HostTable, host: HostIndex): number {
  const columns = hosts.classColumns('MEMORY_MB')
  const [used, covered, claimed] = [at(columns.used, host), at(columns.covered, host), at(columns.claimed, host)]
  const record = hosts.get(host)
  if (hosts.featureLevel < PLAIN_IN_CELLS) {
    const huge = record.cells.reduce((sum, cell) => sum + hugeMibUsed(cell), 0)
    return Math.max(0, used + claimed - huge)
  }
  const { reported, counted, uncounted } = hugeHeld.of(record)
  const shown = Math.max(plainMibReported({ memoryMb: used, hugeMb: reported }, counted), covered - counted)
  const beyondReport = claimed - Math.max(0, covered - used)
  return Math.max(0, shown + beyondReport - uncounted)
}

/**
 * The reserved memory as text for a reason. Left out if the amount would not fit outside of huge pages even without reserved memory, unless
 * an operator set the reserved amount.
 */
export const plainReserveOf = (hosts: HostTable, host: HostIndex, need: number): Pick<Reason, 'reserved'> =>
  reserveOf(hosts, host, 'MEMORY_MB', 'MiB', { missing: need - plainMemoryLeft(hosts, host) })

/** The free memory outside of huge pages as a fact, with the terms of its calculation, for example the total and the huge pages. */
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
