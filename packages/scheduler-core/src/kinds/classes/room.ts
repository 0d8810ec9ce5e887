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
 * The largest amount of a class that one instance may have on a host: the limit in the report or, if the report has no limit, the total
 * minus the reserved amount. Overcommit lets instances share the total, but no single instance gets more than the total. Placement's
 * `max_unit` has the same meaning in the reports of Nova's hosts. Below feature level STRICT_CLAIMS, only a limit in the report applies.
 */
export function maxUnitOf(stated: number | null, total: number, reserved: number, featureLevel: number): number {
  if (featureLevel < STRICT_CLAIMS) return stated ?? Number.MAX_SAFE_INTEGER
  return isLimit(stated) ? stated : inAll(total, reserved)
}

/** Whether the report limits one instance to less than the total. */
const isLimit = (stated: number | null): stated is number => stated !== null && stated !== UNSTATED

/** Whether the report limits the amount for one instance, so that a larger total would not help. */
const isMaxStated = (hosts: HostTable, host: HostIndex, resourceClass: string): boolean =>
  hosts.get(host).stats.inventories.some((one) => one.resourceClass === resourceClass && isLimit(one.maxUnit))

/** The total without the reserved amount. */
const inAll = (total: number, reserved: number): number => Math.max(0, total - reserved)

/** The total of the class minus the reserved amount. One instance can have more only if the report states a larger limit. */
export const inAllOf = (columns: ClassColumns, host: HostIndex): number => inAll(at(columns.total, host), at(columns.reserved, host))

/**
 * Whether an amount exceeds the total of the host, so that it would not fit even without other instances. A reported limit that equals the
 * total has the same effect.
 */
export const isBeyondAll = (columns: ClassColumns, host: HostIndex, amount: number): boolean =>
  amount > at(columns.maxUnit, host) && at(columns.maxUnit, host) === inAllOf(columns, host)

/** Whether an amount exceeds both the total and the reported limit. */
const isMoreThanAll = (columns: ClassColumns, host: HostIndex, amount: number): boolean =>
  amount > inAllOf(columns, host) && amount > at(columns.maxUnit, host)

/**
 * Whether the unit rules refuse an amount that the instance already holds on the host, because it exceeds a reported maximum. Placement
 * checks the maximum at each write.
 */
export const isBeyondStatedMaximum = (hosts: HostTable, host: HostIndex, { resourceClass, amount }: AskedAmount): boolean =>
  hosts.featureLevel >= STATED_MAXIMA &&
  amount > at(hosts.classColumns(resourceClass).maxUnit, host) &&
  isMaxStated(hosts, host, resourceClass)

/**
 * Whether an instance that is rebuilt keeps an amount. Nova makes no request to Placement for a rebuild, so no unit rule of Placement's
 * writes applies.
 */
export const isKeptByRebuild = (hosts: HostTable, host: HostIndex, amount: number, held: number): boolean =>
  hosts.featureLevel >= STATED_MAXIMA && hosts.mover?.isRebuild === true && hosts.mover.host === host && amount <= held

/** Why a class refuses an amount: it exceeds the total, it violates the unit rules, or too little is free. */
export type ClassLack = 'in all' | 'unit' | 'free'

/** An amount of a class that an instance asks for. */
interface AskedAmount {
  readonly resourceClass: string
  readonly amount: number
}

/**
 * All causes of a refusal, permanent ones first. `held` is the amount that the same instance already holds on the host. Below feature
 * level UNITS_BEFORE_FREE an amount above a stated maximum violates only the unit rules, and a maximum equal to the total has no effect.
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
  if (isInAll && !isCovered) lacks.push('in all')
  if (isOfNoUnit || (amount > at(columns.maxUnit, host) && (!isBeyond || isBeyondStated))) lacks.push('unit')
  if (at(columns.free, host) >= amount || isCovered) return lacks
  return hosts.featureLevel >= UNITS_BEFORE_FREE ? [...lacks, 'free'] : ['free', ...lacks]
}

/** The amounts that a host can give to one instance, as text: multiples of the step from the smallest to the largest amount. */
export function unitRule(columns: ClassColumns, host: HostIndex): string {
  const step = at(columns.stepSize, host)
  const least = Math.ceil(at(columns.minUnit, host) / step) * step
  const max = at(columns.maxUnit, host)
  const most = max === Number.MAX_SAFE_INTEGER ? max : Math.floor(max / step) * step
  if (least > most) return 'no amount'
  if (least === most) return `only ${least}`
  return `${least} to ${most === Number.MAX_SAFE_INTEGER ? 'any' : most} in steps of ${step}`
}

/** The facts for each cause for which an amount of a class is refused. */
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
 * Whether an amount fits on a host, including the unit rules of the class. `held` is the amount that the same instance already holds on the
 * host. An amount up to `held` needs no free capacity, and may exceed the host's present total, but reported unit rules apply to it.
 */
export function hasRoom(columns: ClassColumns | undefined, host: HostIndex, amount: number, held = 0): boolean {
  if (columns === undefined || columns.reported[host] !== 1) return false
  if (amount < at(columns.minUnit, host) || amount % at(columns.stepSize, host) !== 0) return false
  if (amount <= at(columns.maxUnit, host) && at(columns.free, host) >= amount) return true
  return amount <= held && (amount <= at(columns.maxUnit, host) || isBeyondAll(columns, host, amount))
}

/** Whether an amount of memory fits outside of the huge pages of the host. */
export function hasPlainMemory(hosts: HostTable, host: HostIndex, mib: number, held = 0): boolean {
  if (mib <= 0 || at(hosts.columns.hugePageMib, host) === 0 || hosts.featureLevel < STRICT_CLAIMS) return true
  return mib <= held || mib <= plainMemoryLeft(hosts, host)
}

/** The memory that an instance holds on its own host outside of huge pages, in MiB. */
export const plainHeld = (hosts: HostTable, host: HostIndex, mib: number): number =>
  hosts.featureLevel < OWN_UNITS ? mib : Math.max(0, mib - hugeMibOf(hosts.get(host).cells, heldByMover(hosts, host)?.numa))

/** The memory outside of huge pages that one instance can still have, in MiB. Negative if more is in use than exists. */
export function plainMemoryLeft(hosts: HostTable, host: HostIndex): number {
  const columns = hosts.classColumns('MEMORY_MB')
  const taken = plainTaken(hosts, host)
  const rest = at(columns.total, host) - at(columns.reserved, host) - at(hosts.columns.hugePageMib, host)
  // Huge pages and the reserved amount together may exceed the total. The excess must then be added before an instance fits.
  if (rest < 0 && hosts.featureLevel >= PLAIN_IN_CELLS) return rest - taken
  const plain = Math.max(0, rest)
  return Math.min(plain, capacityOf(plain, 0, at(columns.ratioMilli, host)) - taken)
}

/**
 * The memory outside of huge pages that is used or claimed, in MiB. For instances that the report counts, this is the larger of the
 * reported usage without huge pages and the amount that their claims hold. The amounts of all other claims are added. Below feature level
 * PLAIN_IN_CELLS, huge pages in use are subtracted from the whole sum.
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

/** The reserved memory, if the amount would fit outside of huge pages without the reserve, or if an operator set the reserve. */
export const plainReserveOf = (hosts: HostTable, host: HostIndex, need: number): Pick<Reason, 'reserved'> =>
  reserveOf(hosts, host, 'MEMORY_MB', 'MiB', { missing: need - plainMemoryLeft(hosts, host) })

/** The fact about memory outside of huge pages: total, reserved, huge-page and used amounts. */
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
