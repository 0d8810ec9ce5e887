import { restated } from '../../../contracts/restated.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { reservedOf } from '../../../hosts/allocation.ts'
import { at } from '../../../hosts/columns.ts'
import { hostAddress } from '../../../hosts/host-address.ts'
import type { HostRecord } from '../../../hosts/hosts.ts'
import type { Claim } from '../../../records/claim.ts'
import { demandOf } from '../../../request/request-spec.ts'
import type { Code } from '../../../text/codes.ts'
import { capacityOf } from '../../../values/capacity.ts'
import type { HostName } from '../../../values/host-name.ts'
import { withAmount } from '../change-request.ts'
import { anotherHost } from './another-host.ts'
import { endingClaims, type HeldRoom } from './ending-claims.ts'
import { smallerPages } from './guest-cells.ts'
import { hasPages } from './page-steps.ts'
import type { NumberRange, ProposedChange, Refusal, Remedy } from './remedy.ts'

const standard: Partial<Record<Code, string>> = {
  'memory.short': 'MEMORY_MB',
  'memory.too_little': 'MEMORY_MB',
  'memory.huge_pages': 'MEMORY_MB',
  'memory.not_exact': 'MEMORY_MB',
  'cpu.short': 'VCPU',
  'cpu.too_few': 'VCPU',
  'cpu.not_exact': 'VCPU',
  'disk.short': 'DISK_GB',
  'disk.too_little': 'DISK_GB',
  'disk.not_exact': 'DISK_GB',
  'pool.short': 'DISK_GB',
  'pool.too_little': 'DISK_GB',
  'pool.not_told': 'DISK_GB',
  'pool.ambiguous': 'DISK_GB',
}

const MIB_PER_GIB = 1_024
/** Ratios above 16 are not proposed. The unit is thousandths. */
const HIGHEST_RATIO_MILLI = 16_000

/** For hosts with too little of a resource class: proposes to request less, wait, raise the ratio, reduce the reserve, or add a host. */
export const amountsRemedy: Remedy = {
  name: 'amounts',
  codes: [
    'memory.short',
    'memory.too_little',
    'memory.huge_pages',
    'memory.not_exact',
    'cpu.short',
    'cpu.too_few',
    'cpu.not_exact',
    'disk.short',
    'disk.too_little',
    'disk.not_exact',
    'pool.short',
    'pool.too_little',
    'pool.not_told',
    'pool.ambiguous',
    'class.short',
    'class.too_little',
    'class.not_reported',
    'class.unit',
  ],
  propose: (refusal) => [...smallerRoot(refusal), ...otherAmounts(refusal)],
}

function otherAmounts(refusal: Refusal): ProposedChange[] {
  const resourceClass = standard[refusal.reason.code] ?? refusal.reason.subject ?? ''
  const need = demandOf(refusal.request).amounts[resourceClass]
  if (need === undefined) return []
  const askFor = askIn(refusal.fleet)
  if (refusal.reason.code.startsWith('pool.')) return [askFor(resourceClass, need, leftInPool(refusal.reason))]
  const room = roomOf(refusal, resourceClass, need)
  if (refusal.reason.code === 'class.unit') return inUnits(refusal, resourceClass, need)
  if (room === undefined) return [askFor(resourceClass, need, 0)]
  if (refusal.reason.code.endsWith('.not_exact')) return room.shown > 0 ? [askFor(resourceClass, need, room.shown)] : []
  const less = Math.min(room.have, need - 1)
  const isPages = resourceClass === 'MEMORY_MB' && hasPages(refusal.request)
  return [
    ...(isPages ? smallerPages(refusal) : less > 0 ? [askFor(resourceClass, need, less)] : []),
    ...lowerReserve(refusal, resourceClass, need, room.shortfall),
    ...(refusal.reason.code.endsWith('.short') ? moreRoom(refusal, resourceClass, need, room.shortfall) : []),
  ]
}

/**
 * Proposes a smaller root disk for an instance that boots from a volume, if a filter counts that disk. Nova's disk filters count it,
 * although it takes no space on the host, so it is no part of the amount that `otherAmounts` reduces.
 */
function smallerRoot({ request, reason }: Refusal): ProposedChange[] {
  const { rootGb } = request.flavor
  const { code, need, have, unit } = reason
  if (!request.isBfv || !code.startsWith('disk.') || typeof need !== 'number' || typeof have !== 'number') return []
  const perGib = unit === 'MiB' ? MIB_PER_GIB : 1
  const isCounted = Math.ceil(need / perGib) > (demandOf(request).amounts.DISK_GB ?? 0)
  const to = Math.max(0, rootGb - Math.ceil((need - have) / perGib))
  return isCounted && to < rootGb ? [rootDisk(rootGb, to)] : []
}

const rootDisk = (now: number, to: number): ProposedChange => ({
  kind: 'REQUEST',
  subject: 'root disk of the flavor',
  from: `${now} GiB`,
  to: `${to} GiB`,
  effort: 1 + (4 * (now - to)) / now,
  request: (request) => restated(request, { flavor: { ...request.flavor, rootGb: to } }),
  number: { from: now, to, at: (other) => rootDisk(now, other) },
})

/** The free space of a disk pool, in GiB. 0 if it is unknown. */
const leftInPool = ({ have }: Refusal['reason']): number => (typeof have === 'number' ? Math.max(0, have) : 0)

/**
 * For several instances: proposes the smallest amount of the class, and the ratio and the reserve with which the host has enough for all
 * instances. If such a change suffices, the search looks for the number that is nearest to the present value.
 */
export function amountForSeveral(refusal: Refusal): ProposedChange[] {
  const { fleet, host, request, reason } = refusal
  if (!amountsRemedy.codes.includes(reason.code)) return []
  const resourceClass = standard[reason.code] ?? reason.subject ?? ''
  const need = demandOf(request).amounts[resourceClass] ?? 0
  const isPages = resourceClass === 'MEMORY_MB' && hasPages(request)
  const least = need > 1 && !isPages ? [askIn(fleet)(resourceClass, need, 1)] : []
  if (!reason.code.endsWith('.short') || reason.code === 'pool.short' || roomOf(refusal, resourceClass, need) === undefined) return least
  const shortfall = need * request.numInstances - at(fleet.hosts.classColumns(resourceClass).free, host)
  return [
    ...least,
    ...lowerReserve(refusal, resourceClass, need, shortfall),
    ...higherRatio(refusal, fleet.hosts.get(host), resourceClass, shortfall),
  ]
}

/**
 * The amount of the class that the host has, in the units of the class: `shown` is the amount in the filter's reason, and `have` is smaller
 * if less is free by the rules for claims. `shortfall` is the amount that is missing according to the reason. Undefined if the host does
 * not report the class.
 */
function roomOf({ fleet, host, reason }: Refusal, resourceClass: string, need: number) {
  const columns = fleet.hosts.classes.get(resourceClass)
  if (columns === undefined || columns.reported[host] === 0) return undefined
  const shown = typeof reason.have === 'number' ? reason.have : at(columns.free, host)
  const have = Math.floor(resourceClass === 'DISK_GB' && reason.unit === 'MiB' ? shown / MIB_PER_GIB : shown)
  // a filter can compute a different free amount than the rules for claims, so the smaller of the two amounts is used
  const least = Math.min(have, Math.max(at(columns.free, host), have - need))
  return { have: least, shown: have, shortfall: need - have }
}

type AskFor = (resourceClass: string, need: number, amount: number) => ProposedChange

/** Returns a function that proposes another amount of a resource class. */
function askIn(fleet: Fleet): AskFor {
  // The unit rules of all hosts are read at most once for each resource class, and only if they are needed.
  const units = new Map<string, ReturnType<typeof unitsOf>>()
  const unitsFor = (resourceClass: string) => {
    if (!units.has(resourceClass)) units.set(resourceClass, unitsOf(fleet, resourceClass))
    return units.get(resourceClass)
  }
  const askFor: AskFor = (resourceClass, need, amount) => {
    const unit = unitOf(resourceClass)
    return {
      kind: 'REQUEST',
      subject: names[resourceClass] ?? resourceClass,
      from: `${need}${unit}`,
      to: `${amount}${unit}`,
      effort: amount === 0 ? 5 : 1 + (4 * Math.abs(need - amount)) / Math.max(need, amount),
      request: (request) => withAmount(request, resourceClass, amount),
      number: {
        ...{ from: need, to: amount },
        // computed on demand, because many amounts are proposed, but only few of them are optimised
        get among() {
          return unitsFor(resourceClass)
        },
        at: (other) => askFor(resourceClass, need, other),
        of: (request) => {
          // the memory of a guest in huge pages is not changed here, because it must be changed by whole pages in each guest cell
          if (resourceClass === 'MEMORY_MB' && hasPages(request)) return undefined
          const now = demandOf(request).amounts[resourceClass]
          return now === undefined || now === amount ? undefined : askFor(resourceClass, now, amount)
        },
      },
    }
  }
  return askFor
}

/** The different unit rules that hosts have for a class. Undefined if every host allows any amount. */
function unitsOf({ hosts }: Fleet, resourceClass: string): readonly NumberRange[] | undefined {
  const columns = hosts.classes.get(resourceClass)
  if (columns === undefined) return undefined
  const ranges = new Map<string, NumberRange>()
  for (const { index: host } of hosts.present) {
    if (columns.reported[host] !== 1) continue
    const step = at(columns.stepSize, host)
    // The range has no upper end. An amount above `maxUnit` is a shortfall, as an amount above the free amount is.
    const least = Math.max(1, Math.ceil(at(columns.minUnit, host) / step)) * step
    ranges.set(`${step} ${least}`, { step, least })
  }
  return [...ranges.values()].every(({ least }) => least === 1) ? undefined : [...ranges.values()]
}

const unitOf = (resourceClass: string): string => (resourceClass === 'MEMORY_MB' ? ' MiB' : resourceClass === 'DISK_GB' ? ' GiB' : '')

const names: Readonly<Record<string, string>> = { VCPU: 'vCPUs', MEMORY_MB: 'memory', DISK_GB: 'disk' }

/** Proposes the nearest smaller amount that the unit rules of the host allow. If there is none, proposes the nearest larger amount. */
function inUnits({ fleet, host }: Refusal, resourceClass: string, need: number): ProposedChange[] {
  const { minUnit, maxUnit, stepSize } = fleet.hosts.classColumns(resourceClass)
  const step = at(stepSize, host)
  const least = Math.ceil(at(minUnit, host) / step) * step
  const most = Math.floor(at(maxUnit, host) / step) * step
  const below = Math.min(most, Math.floor(need / step) * step)
  const amount = Math.max(below, least)
  return amount > 0 && amount <= most && amount !== need ? [askIn(fleet)(resourceClass, need, amount)] : []
}

function moreRoom(refusal: Refusal, resourceClass: string, need: number, shortfall: number): ProposedChange[] {
  const record = refusal.fleet.hosts.get(refusal.host)
  return [
    ...endingClaims(refusal.fleet.hosts, record, heldOf(resourceClass, shortfall)),
    ...higherRatio(refusal, record, resourceClass, shortfall),
    // one more host is proposed only if an empty host with this capacity has enough
    ...(at(refusal.fleet.hosts.classColumns(resourceClass).capacity, refusal.host) < need ? [] : [anotherHost(record)]),
  ]
}

/** How much of a resource class each claim holds, and whether the end of claims resolves the shortfall. */
function heldOf(resourceClass: string, shortfall: number): HeldRoom {
  const sizeOf = ({ grants }: Claim): number => grants.classes?.[resourceClass] ?? 0
  return { sizeOf, isEnough: (ended) => ended.reduce((sum, claim) => sum + sizeOf(claim), 0) >= shortfall }
}

/**
 * Proposes the smallest ratio with which the host has enough. The ratio is set for this host only. It overrides the ratios of the host's
 * aggregates, and does not affect other hosts.
 */
function higherRatio({ fleet, host }: Refusal, record: HostRecord, resourceClass: string, shortfall: number): ProposedChange[] {
  const { total, reserved, ratioMilli, capacity } = fleet.hosts.classColumns(resourceClass)
  const rest = at(total, host) - at(reserved, host)
  const now = at(ratioMilli, host)
  if (rest <= 0) return []
  const wanted = at(capacity, host) + shortfall
  let milli = Math.max(now + 1, Math.floor((wanted * 1_000) / rest))
  while (capacityOf(at(total, host), at(reserved, host), milli) < wanted) milli++
  return milli > HIGHEST_RATIO_MILLI
    ? []
    : [raiseRatio({ ...nameOf(record), address: hostAddress(fleet.hosts, record) }, resourceClass, now, milli)]
}

/**
 * Proposes the largest reserved amount with which the host has enough. Only a reserved amount that an operator set for this host is
 * reduced. It is never reduced below the amount that would apply without the operator's value, because the host itself possibly needs that
 * amount.
 */
function lowerReserve({ fleet: { hosts }, host }: Refusal, resourceClass: string, need: number, shortfall: number): ProposedChange[] {
  const record = hosts.get(host)
  const now = reservedOf(hosts, record, resourceClass)
  const { [resourceClass]: _, ...allocation } = record.allocation
  const least = reservedOf(hosts, { ...record, allocation }, resourceClass).value
  if (now.source !== 'HOST' || now.value <= least) return []
  const columns = hosts.classColumns(resourceClass)
  const [total, ratio] = [at(columns.total, host), at(columns.ratioMilli, host)]
  const wanted = at(columns.capacity, host) + Math.max(0, shortfall)
  // `total - need` is included, because one instance never gets more than the total minus the reserved amount
  let reserved = Math.min(now.value - 1, total - need, total - Math.floor((wanted * 1_000) / ratio))
  while (reserved >= least && capacityOf(total, reserved, ratio) < wanted) reserved--
  return reserved < least
    ? []
    : [keepBack({ ...nameOf(record), address: hostAddress(hosts, record) }, resourceClass, { now: now.value, least }, reserved)]
}

/** A host, and the text that names it in proposals. */
interface Addressed extends HostName {
  readonly address: string
}

const nameOf = ({ host, node }: HostName): HostName => ({ host, node })

/** The present reserved amount, and the smallest that may be proposed. */
interface Reserved {
  readonly now: number
  readonly least: number
}

function keepBack(addressed: Addressed, resourceClass: string, known: Reserved, reserved: number): ProposedChange {
  const { address, host, node } = addressed
  const { now, least } = known
  return {
    kind: 'POLICY',
    subject: `reserved ${resourceClass} of host ${address}`,
    from: `${now}${unitOf(resourceClass)}`,
    to: `${reserved}${unitOf(resourceClass)}`,
    effort: 5 + (5 * (now - reserved)) / now,
    edits: { reserves: [{ host, node, resourceClass, reserved }] },
    number: { from: now, to: reserved, least, at: (other) => keepBack(addressed, resourceClass, known, other) },
  }
}

function raiseRatio({ address, host, node }: Addressed, resourceClass: string, now: number, milli: number): ProposedChange {
  return {
    kind: 'POLICY',
    subject: `${resourceClass} allocation ratio of host ${address}`,
    from: String(now / 1_000),
    to: String(milli / 1_000),
    effort: Math.min(10, 5 + (5 * (milli - now)) / now),
    edits: { ratios: [{ host, node, aggregate: null, resourceClass, allocationRatio: milli / 1_000 }] },
    number: { from: now, to: milli, at: (other) => raiseRatio({ address, host, node }, resourceClass, now, other) },
  }
}
