import { devicesText } from '../../text/device-text.ts'
import { booleanOf } from '../text/boolean-text.ts'
import { NovaError } from '../text/nova-error.ts'
import type { Shortfall } from './shortfall.ts'

/** The value of a key in a pool, or in an alternative of a device request. */
export type PciValue = string | number | null | readonly string[]

/** A pool of equal PCI devices on a host. `count` is the number of free devices. */
export interface PciPool {
  /** `vendor_id`, `product_id`, `numa_node` and all tags. A missing key is treated as null. */
  readonly keys: Readonly<Record<string, PciValue>>
  readonly count: number
}

/** How near the devices must be to the NUMA cells of the guest. */
export type PciNumaPolicy = 'required' | 'legacy' | 'preferred' | 'socket'

/** A request for `count` devices. A pool must match all keys of one of the alternatives in `spec`. */
export interface PciRequest {
  readonly count: number
  readonly spec: readonly Readonly<Record<string, PciValue>>[]
  readonly numaPolicy?: PciNumaPolicy | null
  readonly alias?: string | null
}

/**
 * The ids of the host cells on which the guest is placed, and the socket of every host cell. A socket is null if it is unknown, and
 * undefined if an old host does not report the field.
 */
export interface PciPlaces {
  readonly cells: readonly number[]
  readonly sockets: ReadonlyMap<number, number | null | undefined>
}

/** The pools after the devices are taken. If a request fails, only the devices of earlier requests are taken, as in Nova. */
export type PciResult =
  | { readonly ok: true; readonly pools: readonly PciPool[] }
  | { readonly ok: false; readonly pools: readonly PciPool[]; readonly why: Shortfall }

/** Returns the shortfall if the pools cannot satisfy all device requests, one after the other. Undefined if they can. */
export function supportPciRequests(pools: readonly PciPool[], requests: readonly PciRequest[], places?: PciPlaces): Shortfall | undefined {
  const result = consumePci(pools, requests, places)
  return result.ok ? undefined : result.why
}

/** Takes the devices of all requests from the pools, one request after the other. A pool without remaining devices is removed. */
export function consumePci(pools: readonly PciPool[], requests: readonly PciRequest[], places?: PciPlaces): PciResult {
  let left = pools
  for (const [i, request] of requests.entries()) {
    const found = choosePools(left, request, places)
    if ('code' in found) {
      const code = pools.length === 0 ? 'pci.not_reported' : found.code
      return {
        ok: false,
        pools: left,
        why: { code, subject: devicesText(request.alias, request.spec, i), need: request.count, have: found.have, unit: 'devices' },
      }
    }
    left = take(left, found, request.count)
  }
  return { ok: true, pools: left }
}

/** The number of free devices near each host cell. The key null is for devices without a cell. */
export function devicesPerCell(pools: readonly PciPool[]): ReadonlyMap<PciValue, number> {
  const devices = new Map<PciValue, number>()
  for (const { keys, count } of pools) {
    if (!Object.hasOwn(keys, 'numa_node')) throw new NovaError('KeyError', 'a PCI pool has no numa_node')
    const cell = keys.numa_node as PciValue
    devices.set(cell, (devices.get(cell) ?? 0) + count)
  }
  return devices
}

/**
 * The pools that a device request can use, whatever cells they are near. They match the request. Pools of special device types (such as
 * `type-PF`) are left out unless the request names the type.
 */
export function poolsFor(pools: readonly PciPool[], request: PciRequest): readonly PciPool[] {
  return withoutUnasked(
    pools.filter((pool) => poolMatches(pool, request.spec)),
    request,
  )
}

/** Returns true if a pool matches one of the alternatives. Texts are compared without regard to case. */
export function poolMatches(pool: PciPool, spec: PciRequest['spec']): boolean {
  return spec.some((alternative) => Object.entries(alternative).every(([key, wanted]) => alike(keyOf(pool, key), wanted)))
}

type Refused = { readonly code: 'pci.short' | 'pci.numa' | 'pci.unasked'; readonly have: number }

/** The pools from which a device request takes its devices, in this order. If they have too few devices: the code of the refusal. */
function choosePools(pools: readonly PciPool[], request: PciRequest, places: PciPlaces | undefined): readonly PciPool[] | Refused {
  const matching = pools.filter((pool) => poolMatches(pool, request.spec))
  if (devices(matching) < request.count) return { code: 'pci.short', have: devices(matching) }
  const near = places === undefined || places.cells.length === 0 ? matching : nearCells(matching, request, places)
  if (devices(near) < request.count) return { code: 'pci.numa', have: devices(near) }
  const local = withoutUnasked(near, request)
  // As in Nova, a request for zero devices is refused too if no pool is left.
  if (devices(local) < request.count || local.length === 0) return { code: 'pci.unasked', have: devices(local) }
  return local
}

function withoutUnasked(pools: readonly PciPool[], request: PciRequest): readonly PciPool[] {
  const noFunctions = unlessAsked(pools, request, 'dev_type', (value) => value === 'type-PF')
  const noVdpa = unlessAsked(noFunctions, request, 'dev_type', (value) => value === 'vdpa')
  return unlessAsked(noVdpa, request, 'remote_managed', (value) => booleanOf(value))
}

/** Removes pools with a special property, unless the request names this property. */
function unlessAsked(pools: readonly PciPool[], request: PciRequest, key: string, has: (value: PciValue) => boolean): readonly PciPool[] {
  if (request.spec.some((alternative) => has(alternative[key] ?? null))) return pools
  return pools.filter((pool) => !has(keyOf(pool, key)))
}

function nearCells(pools: readonly PciPool[], request: PciRequest, places: PciPlaces): readonly PciPool[] {
  const policy = request.numaPolicy ?? 'legacy'
  const cells: readonly PciValue[] = places.cells
  const strict = pools.filter((pool) => cells.includes(keyOf(pool, 'numa_node')))
  if (policy === 'required' || devices(strict) >= request.count) return strict
  if (policy === 'socket') return onSockets(pools, places)
  const anywhere = (pool: PciPool) => keyOf(pool, 'numa_node') === null || cells.includes(keyOf(pool, 'numa_node'))
  const legacy = pools.filter(anywhere)
  if (policy === 'legacy' || devices(legacy) >= request.count) return legacy
  return [...legacy, ...pools.filter((pool) => !anywhere(pool))]
}

/** The pools on the same sockets as the chosen cells. Empty if the socket of any host cell is unknown. */
function onSockets(pools: readonly PciPool[], { cells, sockets }: PciPlaces): readonly PciPool[] {
  for (const socket of sockets.values()) {
    if (socket === undefined) throw new NovaError('NotImplementedError', 'a cell of the host has no socket set')
    if (socket === null) return []
  }
  const chosen = new Set(cells.filter((cell) => sockets.has(cell)).map((cell) => sockets.get(cell)))
  return pools.filter((pool) => {
    const cell = keyOf(pool, 'numa_node')
    return typeof cell === 'number' && sockets.has(cell) && chosen.has(sockets.get(cell))
  })
}

function take(pools: readonly PciPool[], chosen: readonly PciPool[], count: number): readonly PciPool[] {
  const after = new Map<PciPool, PciPool | undefined>()
  let wanted = count
  for (const pool of chosen) {
    if (pool.count > wanted) {
      after.set(pool, { ...pool, count: pool.count - wanted })
      break
    }
    after.set(pool, undefined)
    wanted -= pool.count
    if (wanted === 0) break
  }
  return pools.flatMap((pool) => (after.has(pool) ? (after.get(pool) ?? []) : pool))
}

function devices(pools: readonly PciPool[]): number {
  return pools.reduce((sum, pool) => sum + pool.count, 0)
}

function keyOf(pool: PciPool, key: string): PciValue {
  if (key === 'count') return pool.count
  return Object.hasOwn(pool.keys, key) ? (pool.keys[key] as PciValue) : null
}

function alike(found: PciValue, wanted: PciValue): boolean {
  if (typeof found === 'object' && found !== null && typeof wanted === 'object' && wanted !== null)
    return wanted.every((value) => found.includes(value))
  return lower(found) === lower(wanted)
}

function lower(value: PciValue): PciValue {
  return typeof value === 'string' ? value.toLowerCase() : value
}
