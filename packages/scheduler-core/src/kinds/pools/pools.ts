import type { HostTable } from '../../hosts/hosts.ts'
import type { PoolFigure } from '../../hosts/pools.ts'
import { namespaceSource, poolReserveOf } from '../../hosts/sources.ts'
import type { PoolAmounts } from '../../records/grants.ts'
import { demandOf } from '../../request/request-spec.ts'
import { amountFrom } from '../../request/sources.ts'
import type { Fact, Source } from '../../text/evidence.ts'
import { DISK_POOL_KEY } from '../../values/aggregate-keys.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { IN_ALL_BEFORE_FREE, OWN_UNITS, STRICT_CLAIMS } from '../../values/levels.ts'
import { createHostState } from '../host-state.ts'
import type { ResourceKind } from '../kind.ts'
import { heldByMover } from '../mover.ts'

/** For one host, the GiB that its claims hold in each pool. The sums over all hosts are in `hosts.pools`. */
const heldHere = createHostState<ReadonlyMap<string, number>>(new Map())

/**
 * The resource kind for disk space in a pool that hosts share. An aggregate of the host names the pool, and a document of the namespace
 * `storage` contains the pool's size. Materialised claims hold their full amount, because the used space in the document does not include
 * the claims.
 */
export const poolsKind: ResourceKind<number, PoolAmounts> = {
  name: 'pools',
  filter: {
    name: 'DiskPoolFilter',
    description: 'If the disks of the host are in a shared pool, the pool has enough free space for the requested disk.',
    reads: ['storage.pools'],
    readsMetadata: [{ key: DISK_POOL_KEY }],
  },
  unstated: { code: 'pool.not_told', namespace: 'storage', keyOf: ({ diskPools }) => diskPools.join() },
  rules: ['sum'],
  isPlain: true,
  isShared: true,

  isThere: ({ pools }) => pools.users > 0,

  ask: (spec) => demandOf(spec).diskGib || undefined,

  canGive(hosts, host, ask) {
    const { diskPools } = hosts.get(host)
    if (diskPools.length === 0) return true
    const pool = poolFor(hosts, host, ask)
    return pool !== undefined && hasRoom(hosts, host, pool, ask, heldByMover(hosts, host)?.pools?.[pool])
  },

  createAssign(setting) {
    if (setting !== undefined && setting.rule !== 'sum')
      throw new RangeError(`the resource kind pools has no assignment rule ${setting.rule}; it must be sum`)
    return (hosts, host, ask) => {
      if (!this.canGive(hosts, host, ask)) return undefined
      const pool = poolFor(hosts, host, ask)
      return pool === undefined ? {} : { [pool]: ask }
    }
  },

  fits(hosts, host, grant, held) {
    for (const pool in grant) if (!hasRoom(hosts, host, pool, grant[pool] as number, held?.[pool])) return false
    return true
  },

  hold: (hosts, host, grant) => add(hosts, host, Object.entries(grant)),
  drop: (hosts, host, grant) => add(hosts, host, negated(Object.entries(grant))),

  lift: (hosts, host, grant) => hosts.pools.lend(host, grant),

  // A host's report contains no pool sizes, so nothing is set. The amounts of the host's claims are removed, because the caller adds them
  // again afterwards.
  takeInventory: (hosts, host) => add(hosts, host, negated([...heldHere.of(hosts.get(host))])),

  countsUse: () => false,

  capacityBelowClaims({ pools }, host, grants) {
    const concerned = new Set([...pools.reportedBy(host), ...grants.flatMap((grant) => Object.keys(grant))])
    return [...concerned].flatMap((pool) => {
      const { name = pool, capacityGib: reported = 0 } = pools.figure(pool) ?? {}
      const held = pools.held(pool)
      return held > reported ? [{ subject: `disk pool ${name}`, reported, held, isShared: true as const }] : []
    })
  },

  reason(hosts, host, ask) {
    const { diskPools } = hosts.get(host)
    const [pool] = diskPools
    if (pool === undefined) throw new Error('the reason of a refusal was requested, but the host has enough free resources')
    if (diskPools.length > 1)
      return { code: 'pool.ambiguous', subject: DISK_POOL_KEY, need: 'one pool', have: diskPools.join(', '), source: 'its aggregates' }
    const figure = hosts.pools.figure(pool)
    if (figure === undefined) return { code: 'pool.not_told', subject: pool, need: ask, have: 'not told', unit: 'GiB' }
    if (isShortInAll(hosts, host, figure, pool, ask))
      return {
        code: 'pool.too_little',
        subject: figure.name,
        need: ask,
        have: inAllOf(figure),
        unit: 'GiB',
        ...poolReserveOf(hosts, figure, 'in total'),
      }
    const have = hosts.pools.freeFor(host, pool) ?? 0
    return { code: 'pool.short', subject: figure.name, need: ask, have, unit: 'GiB', ...poolReserveOf(hosts, figure, ask - have) }
  },

  facts(hosts, host, ask, request) {
    const { diskPools } = hosts.get(host)
    const requiredFrom = amountFrom(request, 'DISK_GB')
    const saidBy: Source = { kind: 'aggregate', ref: DISK_POOL_KEY }
    const [pool, ...others] = diskPools
    if (pool === undefined) return []
    const where: Fact = { subject: DISK_POOL_KEY, actual: diskPools.join(', '), requiredFrom, actualFrom: saidBy }
    const figure = hosts.pools.figure(pool)
    if (others.length > 0) return [{ ...where, required: 'one pool' }]
    if (figure === undefined)
      return [{ subject: pool, required: ask, actual: 'not told', unit: 'GiB', requiredFrom, actualFrom: saidBy }, where]
    const { name, totalGib, reservedGib, thinRatio, usedGib, reporter } = figure
    const from = namespaceSource('storage', hosts.get(reporter))
    const inAll: Fact = {
      ...poolReserveOf(hosts, figure, 'in total'),
      ...{ subject: name, required: ask, amountOf: 'in total', actual: inAllOf(figure), unit: 'GiB', requiredFrom, actualFrom: from },
      terms: [
        { name: 'total', value: totalGib, from },
        { name: 'reserved', value: reservedGib, from },
      ],
    }
    if (isShortInAll(hosts, host, figure, pool, ask)) return [inAll, where]
    const free = hosts.pools.freeFor(host, pool) ?? 0
    const claims: Source = {
      kind: 'claims',
      ref: 'claims, and earlier placements of the same evaluation, on all hosts that share the pool',
    }
    return [
      {
        ...poolReserveOf(hosts, figure, ask - free),
        subject: name,
        required: ask,
        actual: free,
        unit: 'GiB',
        requiredFrom,
        actualFrom: from,
        terms: [
          { name: 'total', value: totalGib, from },
          { name: 'reserved', value: reservedGib, from },
          { name: 'ratio', value: thinRatio, from },
          { name: 'used', value: usedGib, from },
          { name: 'claimed', value: hosts.pools.heldFor(host, pool), from: claims },
        ],
      },
      where,
    ]
  },

  copy(from, to) {
    heldHere.set(to, heldHere.of(from))
  },

  view(hosts, host) {
    const held = heldHere.of(hosts.get(host))
    return held.size === 0 ? undefined : inOrder(held)
  },

  audit(hosts, host, held) {
    const expected = new Map<string, number>()
    for (const { grant } of held) for (const [pool, gib] of Object.entries(grant)) expected.set(pool, (expected.get(pool) ?? 0) + gib)
    const actual = heldHere.of(hosts.get(host))
    const here = compare('held here of the pool', expected, actual)
    // the sums over all hosts are checked only once, in the call for the first host
    if (host !== 0) return here
    const sums = new Map<string, number>()
    for (const record of hosts.records) for (const [pool, gib] of heldHere.of(record)) sums.set(pool, (sums.get(pool) ?? 0) + gib)
    return [...here, ...compare('held in all of the pool', sums, hosts.pools.allHeld())]
  },
}

/**
 * The pool from which an instance gets its disk. Normally this is the host's only pool. If the host is in several pools by mistake, only a
 * pool in which the instance already holds at least this amount is used.
 */
function poolFor(hosts: HostTable, host: HostIndex, gib: number): string | undefined {
  const { diskPools } = hosts.get(host)
  if (diskPools.length === 1) return diskPools[0]
  const held = hosts.featureLevel < OWN_UNITS ? {} : (heldByMover(hosts, host)?.pools ?? {})
  return diskPools.find((pool) => (held[pool] ?? 0) >= gib)
}

/**
 * True if an amount fits in a pool. `held` is the space that the instance already holds in the pool. An amount up to `held` needs no free
 * space.
 */
function hasRoom(hosts: HostTable, host: HostIndex, pool: string, gib: number, held = 0): boolean {
  if (hosts.featureLevel >= OWN_UNITS && gib <= held) return true
  const figure = hosts.pools.figure(pool)
  if (figure === undefined) return false
  return gib <= held || (gib <= (hosts.pools.freeFor(host, pool) ?? -1) && !isBeyondAll(hosts, figure, gib))
}

/**
 * True if the total of the pool is reported as the reason for a refusal. Below feature level IN_ALL_BEFORE_FREE, the free space is reported
 * instead if it is also too small.
 */
const isShortInAll = (hosts: HostTable, host: HostIndex, figure: PoolFigure, pool: string, gib: number): boolean =>
  isBeyondAll(hosts, figure, gib) && (hosts.featureLevel >= IN_ALL_BEFORE_FREE || gib <= (hosts.pools.freeFor(host, pool) ?? -1))

const inAllOf = ({ totalGib, reservedGib }: PoolFigure): number => Math.max(0, totalGib - reservedGib)

/**
 * True if one instance asks for more than the total of the pool minus the reserved amount. Thin provisioning lets instances share the
 * total, but does not raise this limit.
 */
const isBeyondAll = ({ featureLevel }: HostTable, figure: PoolFigure, gib: number): boolean =>
  featureLevel >= STRICT_CLAIMS && gib > inAllOf(figure)

const negated = (amounts: readonly (readonly [string, number])[]) => amounts.map(([pool, gib]) => [pool, -gib] as const)

function add(hosts: HostTable, host: HostIndex, amounts: readonly (readonly [string, number])[]): void {
  if (amounts.length === 0) return
  const record = hosts.own(host)
  const held = new Map(heldHere.of(record))
  for (const [pool, gib] of amounts) {
    const left = (held.get(pool) ?? 0) + gib
    if (left === 0) held.delete(pool)
    else held.set(pool, left)
    hosts.pools.hold(pool, gib)
  }
  heldHere.set(record, held)
}

const inOrder = (amounts: ReadonlyMap<string, number>) => [...amounts].sort(([a], [b]) => (a < b ? -1 : 1))

const compare = (what: string, expected: ReadonlyMap<string, number>, actual: ReadonlyMap<string, number>) =>
  [...new Set([...expected.keys(), ...actual.keys()])]
    .filter((pool) => (expected.get(pool) ?? 0) !== (actual.get(pool) ?? 0))
    .map((pool) => ({
      code: 'state.column' as const,
      field: `${what} ${pool}`,
      expected: expected.get(pool) ?? 0,
      actual: actual.get(pool) ?? 0,
    }))
