import type { Claim } from '../../claims/claim.ts'
import type { Code } from '../../codes.ts'
import { reservedOf } from '../../fleet/allocation.ts'
import { capacityOf } from '../../fleet/capacity.ts'
import { at } from '../../fleet/columns.ts'
import type { HostName } from '../../fleet/host-name.ts'
import { type HostRecord, hostKey } from '../../fleet/hosts.ts'
import { demandOf } from '../../request/request-spec.ts'
import { withAmount } from '../change-request.ts'
import { anotherHost } from './another-host.ts'
import { endingClaims, type HeldRoom } from './ending-claims.ts'
import { smallerPages } from './guest-cells.ts'
import { hasPages } from './page-steps.ts'
import type { ProposedChange, Refusal, Remedy } from './remedy.ts'

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
/** Nobody gives a thing away more often. */
const HIGHEST_RATIO_MILLI = 16_000

/** Too little of something that is counted: ask less, wait for room, give it away more often, keep less back, or buy. */
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
  propose(refusal) {
    const resourceClass = standard[refusal.reason.code] ?? refusal.reason.subject ?? ''
    const need = demandOf(refusal.request).amounts[resourceClass]
    if (need === undefined) return []
    if (refusal.reason.code.startsWith('pool.')) return [askFor(resourceClass, need, leftInPool(refusal.reason))]
    const room = roomOf(refusal, resourceClass, need)
    if (refusal.reason.code === 'class.unit') return inUnits(refusal, resourceClass, need)
    if (room === undefined) return [askFor(resourceClass, need, 0)]
    if (refusal.reason.code.endsWith('.not_exact')) return room.told > 0 ? [askFor(resourceClass, need, room.told)] : []
    const less = Math.min(room.have, need - 1)
    const isPages = resourceClass === 'MEMORY_MB' && hasPages(refusal.request)
    return [
      ...(isPages ? smallerPages(refusal) : less > 0 ? [askFor(resourceClass, need, less)] : []),
      ...lowerReserve(refusal, resourceClass, need, room.shortfall),
      ...(refusal.reason.code.endsWith('.short') ? moreRoom(refusal, resourceClass, need, room.shortfall) : []),
    ]
  },
}

/** What a pool has left, whole GiB; none where nobody can say. */
const leftInPool = ({ have }: Refusal['reason']): number => (typeof have === 'number' ? Math.max(0, have) : 0)

/**
 * Where instances of the same request took all that the host had: the least that can be asked, and the ratio and the reserve with which it has
 * enough for all of them. What they may share, and what is enough beside other hosts, is looked for from there.
 */
export function amountForSeveral(refusal: Refusal): ProposedChange[] {
  const { fleet, host, request, reason } = refusal
  if (!amountsRemedy.codes.includes(reason.code)) return []
  const resourceClass = standard[reason.code] ?? reason.subject ?? ''
  const need = demandOf(request).amounts[resourceClass] ?? 0
  const isPages = resourceClass === 'MEMORY_MB' && hasPages(request)
  const least = need > 1 && !isPages ? [askFor(resourceClass, need, 1)] : []
  if (!reason.code.endsWith('.short') || reason.code === 'pool.short' || roomOf(refusal, resourceClass, need) === undefined) return least
  const shortfall = need * request.numInstances - at(fleet.hosts.classColumns(resourceClass).free, host)
  return [
    ...least,
    ...lowerReserve(refusal, resourceClass, need, shortfall),
    ...higherRatio(refusal, fleet.hosts.get(host), resourceClass, shortfall),
  ]
}

/** What the filter says that the host has, in the units of the class; undefined where the host does not have the class. */
function roomOf({ fleet, host, reason }: Refusal, resourceClass: string, need: number) {
  const columns = fleet.hosts.classes.get(resourceClass)
  if (columns === undefined || columns.reported[host] === 0) return undefined
  const told = typeof reason.have === 'number' ? reason.have : at(columns.free, host)
  const have = Math.floor(resourceClass === 'DISK_GB' && reason.unit === 'MiB' ? told / MIB_PER_GIB : told)
  // another filter may count by other numbers than the claims do: the lesser holds
  const least = Math.min(have, Math.max(at(columns.free, host), have - need))
  return { have: least, told: have, shortfall: need - have }
}

function askFor(resourceClass: string, need: number, amount: number): ProposedChange {
  const unit = unitOf(resourceClass)
  return {
    kind: 'REQUEST',
    subject: names[resourceClass] ?? resourceClass,
    from: `${need}${unit}`,
    to: `${amount}${unit}`,
    effort: amount === 0 ? 5 : 1 + (4 * Math.abs(need - amount)) / Math.max(need, amount),
    request: (request) => withAmount(request, resourceClass, amount),
    number: {
      from: need,
      to: amount,
      at: (other) => askFor(resourceClass, need, other),
      of: (request) => {
        // memory in pages is made less by whole pages, cell by cell (guest-cells.ts)
        if (resourceClass === 'MEMORY_MB' && hasPages(request)) return undefined
        const now = demandOf(request).amounts[resourceClass]
        return now === undefined || now === amount ? undefined : askFor(resourceClass, now, amount)
      },
    },
  }
}

const unitOf = (resourceClass: string): string => (resourceClass === 'MEMORY_MB' ? ' MiB' : resourceClass === 'DISK_GB' ? ' GiB' : '')

const names: Readonly<Record<string, string>> = { VCPU: 'vCPUs', MEMORY_MB: 'memory', DISK_GB: 'disk' }

/** The nearest amount below, else above, that the host gives in its steps. */
function inUnits({ fleet, host }: Refusal, resourceClass: string, need: number): ProposedChange[] {
  const { minUnit, maxUnit, stepSize } = fleet.hosts.classColumns(resourceClass)
  const step = at(stepSize, host)
  const least = Math.ceil(at(minUnit, host) / step) * step
  const most = Math.floor(at(maxUnit, host) / step) * step
  const below = Math.min(most, Math.floor(need / step) * step)
  const amount = Math.max(below, least)
  return amount > 0 && amount <= most && amount !== need ? [askFor(resourceClass, need, amount)] : []
}

function moreRoom(refusal: Refusal, resourceClass: string, need: number, shortfall: number): ProposedChange[] {
  const record = refusal.fleet.hosts.get(refusal.host)
  return [
    ...endingClaims(record, heldOf(resourceClass, shortfall)),
    ...higherRatio(refusal, record, resourceClass, shortfall),
    // an empty one has room
    ...(at(refusal.fleet.hosts.classColumns(resourceClass).capacity, refusal.host) < need ? [] : [anotherHost(record)]),
  ]
}

/** What claims hold of a class. */
function heldOf(resourceClass: string, shortfall: number): HeldRoom {
  const sizeOf = ({ grants }: Claim): number => grants.classes?.[resourceClass] ?? 0
  return { sizeOf, isEnough: (ended) => ended.reduce((sum, claim) => sum + sizeOf(claim), 0) >= shortfall }
}

/** The least ratio, in thousandths, by which the host has enough: set for it alone, so that it counts whatever its aggregates say and no other host has less. */
function higherRatio({ fleet, host }: Refusal, record: HostRecord, resourceClass: string, shortfall: number): ProposedChange[] {
  const { total, reserved, ratioMilli, capacity } = fleet.hosts.classColumns(resourceClass)
  const rest = at(total, host) - at(reserved, host)
  const now = at(ratioMilli, host)
  if (rest <= 0) return []
  const wanted = at(capacity, host) + shortfall
  let milli = Math.max(now + 1, Math.floor((wanted * 1_000) / rest))
  while (capacityOf(at(total, host), at(reserved, host), milli) < wanted) milli++
  return milli > HIGHEST_RATIO_MILLI ? [] : [raiseRatio(record, resourceClass, now, milli)]
}

/**
 * The most that the host may keep back and have enough: of what an operator set for it alone, and never less than counts without that, which is
 * what the host itself needs.
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
  // no instance gets more than there is and is not kept back
  let reserved = Math.min(now.value - 1, total - need, total - Math.floor((wanted * 1_000) / ratio))
  while (reserved >= least && capacityOf(total, reserved, ratio) < wanted) reserved--
  return reserved < least ? [] : [keepBack(record, resourceClass, now.value, reserved)]
}

function keepBack({ host, node }: HostName, resourceClass: string, now: number, reserved: number): ProposedChange {
  return {
    kind: 'POLICY',
    subject: `reserved ${resourceClass} of host ${hostKey({ host, node })}`,
    from: `${now}${unitOf(resourceClass)}`,
    to: `${reserved}${unitOf(resourceClass)}`,
    effort: 5 + (5 * (now - reserved)) / now,
    edits: { reserves: [{ host, node, resourceClass, reserved }] },
    number: { from: now, to: reserved, at: (other) => keepBack({ host, node }, resourceClass, now, other) },
  }
}

function raiseRatio({ host, node }: HostName, resourceClass: string, now: number, milli: number): ProposedChange {
  return {
    kind: 'POLICY',
    subject: `${resourceClass} allocation ratio of host ${hostKey({ host, node })}`,
    from: String(now / 1_000),
    to: String(milli / 1_000),
    effort: Math.min(10, 5 + (5 * (milli - now)) / now),
    edits: { ratios: [{ host, node, aggregate: null, resourceClass, allocationRatio: milli / 1_000 }] },
    number: { from: now, to: milli, at: (other) => raiseRatio({ host, node }, resourceClass, now, other) },
  }
}
