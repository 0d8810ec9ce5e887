import type { HostRecord, OwnHostRecord } from '../../hosts/hosts.ts'
import type { PciGrant } from '../../records/grants.ts'
import type { HostStats } from '../../report/stats.ts'
import { byCodeUnit } from '../../values/canonical-json.ts'
import { createHostState } from '../host-state.ts'

/** A pool of equal devices of a host at one NUMA cell, or at none. */
export interface PoolState {
  /** The name of the pool in grants: `vendor:product:type@cell?tag=value`. */
  readonly key: string
  /** The fields that are compared with requests, in lower case: vendor_id, product_id, dev_type, numa_node and the tags. */
  readonly traits: Readonly<Record<string, string>>
  readonly numaNode: number | null
  readonly countsUse: boolean
  /** The number of devices that are neither used nor held. Negative after a report with fewer devices. */
  free: number
}

type Reported = HostStats['pciPools'][number]

/** The pools of a host in the order of its report. Equal pools are merged. */
export interface HostPools {
  /** The names of all pools as one text. Hosts of one model have the same shape, so that results for one host apply to all of them. */
  readonly shape: string
  readonly list: readonly PoolState[]
}

const state = createHostState<HostPools>({ shape: '', list: [] })

export const poolsOf = (record: HostRecord): HostPools => state.of(record)

export function takePools(record: OwnHostRecord, reported: readonly Reported[]): void {
  const list = toPools(reported)
  state.set(record, { shape: list.map(({ key }) => key).join(' '), list })
}

/** A pool as its host reports it, with the number of free devices. */
export interface PciPool extends Pick<Reported, 'vendorId' | 'productId' | 'deviceType' | 'numaNode' | 'tags'> {
  /** The name of the pool in grants. */
  readonly key: string
  /** The total number of devices. */
  readonly total: number
  /** The reported number of used devices. Null if the report does not count use. */
  readonly used: number | null
  /** The number of devices that are neither used nor claimed. Negative after a report with fewer devices. */
  readonly free: number
}

/** The PCI devices of a host in the order of its report. Equal devices are merged into pools. */
export function pciPoolsOf(record: HostRecord): readonly PciPool[] {
  const reported = record.stats.pciPools.map((pool) => ({ ...pool, key: poolKey(pool) }))
  return poolsOf(record).list.flatMap(({ key, free }) => {
    const alike = reported.filter((pool) => pool.key === key)
    const [first] = alike
    if (first === undefined) return []
    const { vendorId, productId, deviceType, numaNode, tags } = first
    const used = alike.reduce<number | null>((sum, pool) => (sum === null || pool.used === null ? null : sum + pool.used), 0)
    return [{ key, vendorId, productId, deviceType, numaNode, tags, total: alike.reduce((sum, { total }) => sum + total, 0), used, free }]
  })
}

/** Copies the pools of a record to its clone, which may then change them. */
export function copyPools(from: HostRecord, to: OwnHostRecord): void {
  const { shape, list } = poolsOf(from)
  if (list.length > 0 || shape !== '') state.set(to, { shape, list: list.map((pool) => ({ ...pool })) })
}

export function toPools(reported: readonly Reported[]): readonly PoolState[] {
  const found = new Map<string, PoolState>()
  for (const pool of reported) {
    const { numaNode, total, used } = pool
    const key = poolKey(pool)
    const known = found.get(key)
    if (known === undefined) found.set(key, { key, traits: traitsOf(pool), numaNode, countsUse: used !== null, free: total - (used ?? 0) })
    else found.set(key, { ...known, countsUse: known.countsUse && used !== null, free: known.free + total - (used ?? 0) })
  }
  return [...found.values()]
}

/** The reported number of used devices by pool name. 0 if the report does not count use. */
export function usedByPool(reported: readonly Reported[]): ReadonlyMap<string, number> {
  const used = new Map<string, number>()
  for (const pool of reported) used.set(poolKey(pool), (used.get(poolKey(pool)) ?? 0) + (pool.used ?? 0))
  return used
}

/** The total number of devices by pool name. */
export function totalByPool(reported: readonly Reported[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>()
  for (const pool of reported) totals.set(poolKey(pool), (totals.get(poolKey(pool)) ?? 0) + pool.total)
  return totals
}

/** The name of a pool. Only equal pools have the same name. */
export function poolKey({ vendorId, productId, deviceType, numaNode, tags }: Reported): string {
  const tagged = Object.entries(tags)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  const names = [vendorId, productId, ...(deviceType === null ? [] : [deviceType])].map(encodeURIComponent)
  return `${names.join(':')}${numaNode === null ? '' : `@${numaNode}`}${tagged.length === 0 ? '' : `?${tagged.join('&')}`}`
}

function traitsOf({ vendorId, productId, deviceType, numaNode, tags }: Reported): Readonly<Record<string, string>> {
  const own = {
    vendor_id: vendorId,
    product_id: productId,
    ...(deviceType !== null && { dev_type: deviceType }),
    ...(numaNode !== null && { numa_node: String(numaNode) }),
  }
  return Object.fromEntries(Object.entries({ ...tags, ...own }).map(([name, value]) => [name, value.toLowerCase()]))
}

/** A pool that is known only by its name, because its host no longer reports it. */
export function poolNamed(key: string): PoolState {
  const [, names = '', numaNode, tags = ''] = /^([^@?]*)(?:@(\d+))?(?:\?(.*))?$/.exec(key) ?? []
  const [vendorId = '', productId = '', deviceType = null] = names.split(':').map(decodeURIComponent)
  const pairs = tags === '' ? [] : tags.split('&').map((pair) => pair.split('=').map(decodeURIComponent) as [string, string])
  const node = numaNode === undefined ? null : Number(numaNode)
  const traits = traitsOf({ vendorId, productId, deviceType, numaNode: node, tags: Object.fromEntries(pairs), total: 0, used: null })
  return { key, traits, numaNode: node, countsUse: false, free: 0 }
}

/** The number of devices of each pool in a grant. */
export function sumByPool(grant: readonly PciGrant[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { pool, count } of grant) sums.set(pool, (sums.get(pool) ?? 0) + count)
  return sums
}
