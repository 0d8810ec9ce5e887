import type { HostTable } from '../../hosts/hosts.ts'
import { leftOf } from '../../hosts/sources.ts'
import type { CellGrant, PciGrant } from '../../records/grants.ts'
import { statsToCount } from '../../records/used-from.ts'
import { fromRequest, NEAR_CELLS } from '../../text/evidence.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { KEPT_DEVICES, OWN_UNITS, STRICT_CLAIMS } from '../../values/levels.ts'
import { ClaimCount } from '../claim-count.ts'
import { elsewhereOn } from '../elsewhere.ts'
import { createHostState } from '../host-state.ts'
import type { ResourceKind } from '../kind.ts'
import { ownUnits } from '../mover.ts'
import { allot, devicesFor, farDevices, type Place, shortWishes } from './allot.ts'
import { type PciAsk, type PciGroup, pciAskOf } from './ask.ts'
import { auditPools, auditSorts } from './audit.ts'
import { keepDevices } from './keep.ts'
import { productOf, vendorOf } from './likeness.ts'
import { socketsOf } from './near.ts'
import { copyPools, poolsOf, sumByPool, takePools, toPools, totalByPool, usedByPool } from './pool.ts'
import { type PoolPiece, PoolUnits } from './units.ts'

/** For each host, the object that counts the claims on its PCI pools. Undefined below feature level STRICT_CLAIMS, and without pools. */
const counts = createHostState<ClaimCount<PoolPiece, PoolUnits> | undefined>(undefined)

/** The resource kind for PCI devices. The NUMA policy of a request says how near its devices must be to the guest's NUMA cells. */
export const pciKind: ResourceKind<PciAsk, readonly PciGrant[]> = {
  name: 'pci',
  filter: {
    name: 'PciPassthroughFilter',
    description: 'The host has enough free PCI devices of the requested kinds, as near to the NUMA cells of the guest as required.',
    reads: ['pciPools', 'numaCells'],
  },
  rules: ['nearest'],

  ask: pciAskOf,

  // This only checks that enough devices are near some NUMA cells of the host. The NUMA kind chooses the cells of the guest, and checks
  // that devices are near them.
  canGive(hosts, host, ask) {
    if (ownUnits(this, hosts, host, ask) !== undefined) return true
    const pools = poolsOf(hosts.get(host))
    const place = ask.hasCells ? anywhereOn(hosts, host) : undefined
    const groups = ask.groupsOn(pools)
    for (const group of groups) if (devicesFor(pools, group, place) < group.count) return false
    return groups.length === 1 || allot(pools, ask, place).ok
  },

  createAssign(setting) {
    if (setting !== undefined && setting.rule !== 'nearest')
      throw new RangeError(`the resource kind pci has no assignment rule ${setting.rule}; it must be nearest`)
    return (hosts, host, ask, others) => {
      const own = ownUnits(this, hosts, host, ask, others)
      if (own !== undefined) return own
      const place = !ask.hasCells ? undefined : others?.numa === undefined ? anywhereOn(hosts, host) : placeOf(hosts, host, others.numa)
      const allotted = allot(poolsOf(hosts.get(host)), ask, place)
      return allotted.ok ? allotted.grants() : undefined
    }
  },

  keep(hosts, host, ask, held, cells) {
    const place = ask.hasCells ? { ...anywhereOn(hosts, host), ...(cells !== undefined && { cells }) } : undefined
    return keepDevices(hosts, host, ask, held, place)
  },

  isPartOf(grant, held) {
    const own = sumByPool(held)
    for (const [pool, count] of sumByPool(grant)) if (count > (own.get(pool) ?? 0)) return false
    return true
  },

  fits(hosts, host, grant, held) {
    if (hosts.featureLevel >= OWN_UNITS && held !== undefined && this.isPartOf?.(grant, held) === true) return true
    const { list } = poolsOf(hosts.get(host))
    for (const [pool, count] of sumByPool(grant)) if ((list.find(({ key }) => key === pool)?.free ?? 0) < count) return false
    return true
  },

  hold: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, 1),
  drop: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, -1),

  lift(hosts, host, grant, materialised) {
    const held = counts.of(hosts.own(host))
    if (held === undefined) {
      add(hosts, host, grant, false, -1)
      return () => add(hosts, host, grant, false, 1)
    }
    const restore = grant.map(({ pool, count }) => held.lift({ pool, count }, materialised && held.units.countsUse(pool)))
    return () => {
      for (const undo of restore.reverse()) undo()
    }
  },

  takeInventory(hosts, host, stats) {
    const record = hosts.own(host)
    takePools(record, stats.pciPools)
    const { list } = poolsOf(record)
    if (hosts.featureLevel < STRICT_CLAIMS || list.length === 0) {
      counts.set(record, undefined)
      return
    }
    const totals = hosts.featureLevel < KEPT_DEVICES ? undefined : totalByPool(stats.pciPools)
    counts.set(record, new ClaimCount(new PoolUnits(list, usedByPool(stats.pciPools), totals)))
  },

  copy(from, to) {
    copyPools(from, to)
    const count = counts.of(from)
    counts.set(to, count?.copy(count.units.copy(poolsOf(to).list)))
  },

  countsUse: (hosts, host) => poolsOf(hosts.get(host)).list.some(({ countsUse }) => countsUse),

  usedBelowClaims: (hosts, host) => counts.of(hosts.get(host))?.units.below() ?? [],

  // Claims and reports are compared by product, because tags, types and cells of the same devices can change between reports. A shortfall
  // of a product is not reported if the host has spare devices of the same vendor, which are possibly the same devices under another name.
  capacityBelowClaims(hosts, host, grants) {
    // the totals are unknown, because the pools in Nova's document contain only the free devices
    if (hosts.get(host).stats.nova !== null) return []
    const held = sumBy(productOf, sumByPool(grants.flat()))
    const there = sumBy(productOf, totalByPool(hosts.get(host).stats.pciPools))
    const left = sumBy(
      vendorOf,
      [...there].map(([product, total]) => [product, Math.max(0, total - (held.get(product) ?? 0))] as const),
    )
    return [...held].flatMap(([product, count]) => {
      const found = Math.min(Math.max(0, count - (there.get(product) ?? 0)), left.get(vendorOf(product)) ?? 0)
      left.set(vendorOf(product), (left.get(vendorOf(product)) ?? 0) - found)
      const reported = (there.get(product) ?? 0) + found
      return count > reported ? [{ subject: `PCI ${product}`, reported, held: count }] : []
    })
  },

  reason(hosts, host, ask) {
    const pools = poolsOf(hosts.get(host))
    const place = ask.hasCells ? anywhereOn(hosts, host) : undefined
    const allotted = allot(pools, ask, place)
    if (allotted.ok) throw new Error('the reason of a refusal was requested, but the host has enough free resources')
    const { wish } = allotted
    const request = ask.requests.indexOf(wish)
    const group = ask.groupsOn(pools).find(({ requests }) => requests.includes(request)) as PciGroup
    const refusal = (code: 'pci.not_reported' | 'pci.short' | 'pci.numa' | 'pci.unasked', have: number) =>
      ({ code, subject: wish.subject, need: wish.count, have, unit: 'devices' }) as const
    if (pools.list.length === 0) return refusal('pci.not_reported', 0)
    const have = devicesFor(pools, group, place)
    // the host has enough devices for this request alone, but other requests of the instance need the same devices
    if (have >= wish.count) return refusal('pci.short', allotted.have)
    const anywhere = devicesFor(pools, group, undefined)
    if (anywhere >= wish.count) return { ...refusal('pci.numa', have), ...elsewhereOn(hosts, farDevices(pools, group, place)) }
    const unasked = pools.list.reduce((sum, pool) => sum + (ask.isUnasked(pool, request) ? Math.max(0, pool.free) : 0), 0)
    return anywhere + unasked >= wish.count ? refusal('pci.unasked', anywhere) : refusal('pci.short', anywhere)
  },

  havers: (hosts, ask) => ({
    which: `with PCI devices for ${ask.requests.map(({ subject }) => subject).join(' and ')}`,
    has(host) {
      const { list } = poolsOf(hosts.get(host))
      return ask.requests.every((_, request) => list.some((pool) => ask.isOfKind(pool, request)))
    },
    each: ask.requests.map(({ subject }, request) => ({
      which: `with PCI devices for ${subject}`,
      passes: (host) => poolsOf(hosts.get(host)).list.some((pool) => ask.isOfKind(pool, request)),
    })),
    lacks(host) {
      const { list } = poolsOf(hosts.get(host))
      const first = ask.requests.find((_, request) => !list.some((pool) => ask.isOfKind(pool, request)))
      const code = list.length === 0 ? 'pci.not_reported' : 'pci.short'
      return { code, ...(first && { subject: first.subject, need: first.count }), have: 0, unit: 'devices' }
    },
  }),

  facts(hosts, host, ask) {
    const pools = poolsOf(hosts.get(host))
    const { code, subject = 'PCI', need = 0, have = 0 } = this.reason(hosts, host, ask)
    const alone = shortWishes(pools, ask, ask.hasCells ? anywhereOn(hosts, host) : undefined)
    const from = leftOf(hosts.get(host))
    const shorts = alone.map(({ there, ...short }) =>
      there < short.need ? { ...short, have: there, isNear: false } : { ...short, isNear: true },
    )
    // the request in the reason is not in `shorts` if it has enough devices alone, but other requests need the same devices
    const named = shorts.find((short) => short.subject === subject) ?? { subject, need, have, isNear: code === 'pci.numa' }
    return [named, ...shorts.filter((short) => short.subject !== subject)].map((short) => ({
      subject: short.subject,
      required: short.need,
      actual: short.have,
      unit: 'devices',
      ...(short.isNear && { amountOf: NEAR_CELLS }),
      requiredFrom: fromRequest('pciRequests'),
      actualFrom: from,
      terms: pools.list.map(({ key, free }) => ({ name: `pool ${key} free`, value: free, from })),
    }))
  },

  view(hosts, host) {
    const { list } = poolsOf(hosts.get(host))
    return list.length === 0 ? undefined : list.map(({ key, free }) => [key, free])
  },

  audit(hosts, host, held) {
    const { pciPools } = statsToCount(hosts.get(host))
    const { list } = poolsOf(hosts.get(host))
    if (hosts.featureLevel < STRICT_CLAIMS) return auditPools(list, toPools(pciPools), held)
    return auditSorts(list, pciPools, held, hosts.featureLevel >= KEPT_DEVICES)
  },
}

function sumBy(nameOf: (pool: string) => string, counts: Iterable<readonly [string, number]>): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [pool, count] of counts) sums.set(nameOf(pool), (sums.get(nameOf(pool)) ?? 0) + count)
  return sums
}

/** The location of a guest that has all cells of the host. No other choice of cells has more devices near it. */
const anywhereOn = (hosts: HostTable, host: HostIndex): Place => {
  const { cells } = hosts.get(host)
  return { cells: cells.map(({ id }) => id), sockets: socketsOf(cells) }
}

const placeOf = (hosts: HostTable, host: HostIndex, grant: readonly CellGrant[]): Place => ({
  cells: grant.map(({ cell }) => cell),
  sockets: socketsOf(hosts.get(host).cells),
})

function add(hosts: HostTable, host: HostIndex, grant: readonly PciGrant[], materialised: boolean, sign: 1 | -1): void {
  const record = hosts.own(host)
  const { list } = poolsOf(record)
  const held = counts.of(record)
  for (const { pool: key, count } of grant) {
    if (held !== undefined) {
      const isCounted = materialised && held.units.countsUse(key)
      if (sign === 1) held.hold({ pool: key, count }, isCounted)
      else held.drop({ pool: key, count }, isCounted)
      continue
    }
    const pool = list.find((state) => state.key === key)
    // if the host does not report the pool, there is no free count to change
    if (pool !== undefined && !(materialised && pool.countsUse)) pool.free -= sign * count
  }
}
