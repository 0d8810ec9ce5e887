import type { HostRecord, OwnHostRecord } from '../../hosts/hosts.ts'
import type { PciGrant } from '../../records/grants.ts'
import type { HostStats } from '../../report/stats.ts'
import { byCodeUnit } from '../../values/canonical-json.ts'
import { createHostState } from '../host-state.ts'

/** A pool of equal PCI devices of a host that are near the same NUMA cell, or near none. */
export interface PoolState {
  /** The name of the pool in grants: `vendor:product:type@cell?tag=value`. */
  readonly key: string
  /** The fields that are compared with requests, in lower case: vendor_id, product_id, dev_type, numa_node and the tags. */
  readonly traits: Readonly<Record<string, string>>
  readonly numaNode: number | null
  readonly countsUse: boolean
  /** The count of devices that are neither in use nor held by claims. Negative if the host reports fewer devices than claims hold. */
  free: number
}

type Reported = HostStats['pciPools'][number]

/** The PCI pools of a host in the order of its report. Equal pools are merged. */
export interface HostPools {
  /**
   * The names of all pools as one text. Hosts with the same shape have the same pools, but can have different free counts. Results that do
   * not depend on free counts are cached by shape.
   */
  readonly shape: string
  readonly list: readonly PoolState[]
}

const NO_POOLS: HostPools = { shape: '', list: [] }

const state = createHostState<HostPools>(NO_POOLS)

export const poolsOf = (record: HostRecord): HostPools => state.of(record)

export function takePools(record: OwnHostRecord, reported: readonly Reported[]): void {
  if (reported.length === 0) {
    state.set(record, NO_POOLS)
    return
  }
  const list = toPools(reported)
  state.set(record, { shape: list.map(({ key }) => key).join(' '), list })
}

/** A PCI pool as its host reports it, with its count of free devices. */
export interface PciPool extends Pick<Reported, 'vendorId' | 'productId' | 'deviceType' | 'numaNode' | 'tags'> {
  /** The name of the pool in grants. */
  readonly key: string
  /** The count of all devices. */
  readonly total: number
  /** The reported count of devices in use. Null if the report does not count use. */
  readonly used: number | null
  /** The count of devices that are neither in use nor held by claims. Negative if the host reports fewer devices than claims hold. */
  readonly free: number
}

/** The PCI pools of a host in the order of its report. Equal pools are merged. */
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

/** Copies the pools of a host's record to a clone of the record, because changes of the clone must not affect the original. */
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

/** For each pool name, the reported count of devices in use. 0 if the report does not count use. */
export function usedByPool(reported: readonly Reported[]): ReadonlyMap<string, number> {
  const used = new Map<string, number>()
  for (const pool of reported) used.set(poolKey(pool), (used.get(poolKey(pool)) ?? 0) + (pool.used ?? 0))
  return used
}

/** For each pool name, the reported count of all devices. */
export function totalByPool(reported: readonly Reported[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>()
  for (const pool of reported) totals.set(poolKey(pool), (totals.get(poolKey(pool)) ?? 0) + pool.total)
  return totals
}

/** The name of a pool: `vendor:product:type@cell?tag=value`. Only equal pools have the same name. */
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

/** Creates a pool from its name alone, for pools that the host does not report. */
export function poolNamed(key: string): PoolState {
  const [, names = '', numaNode, tags = ''] = /^([^@?]*)(?:@(\d+))?(?:\?(.*))?$/.exec(key) ?? []
  const [vendorId = '', productId = '', deviceType = null] = names.split(':').map(decodeURIComponent)
  const pairs = tags === '' ? [] : tags.split('&').map((pair) => pair.split('=').map(decodeURIComponent) as [string, string])
  const node = numaNode === undefined ? null : Number(numaNode)
  const traits = traitsOf({ vendorId, productId, deviceType, numaNode: node, tags: Object.fromEntries(pairs), total: 0, used: null })
  return { key, traits, numaNode: node, countsUse: false, free: 0 }
}

/** For each pool name, the count of devices in a grant. */
export function sumByPool(grant: readonly PciGrant[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { pool, count } of grant) sums.set(pool, (sums.get(pool) ?? 0) + count)
  return sums
}
