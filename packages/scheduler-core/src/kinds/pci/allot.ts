import type { PciGrant } from '../../records/grants.ts'
import type { FreeDevices } from '../elsewhere.ts'
import type { NumaPolicy, PciAsk, PciGroup, PciWish } from './ask.ts'
import type { HostPools, PoolState } from './pool.ts'

/**
 * The location of an instance in a host: `cells` are the ids of its NUMA cells, `sockets` has the socket of every NUMA cell of the host.
 * `sockets` is undefined if the socket of a cell is not reported.
 */
export interface Place {
  readonly cells: readonly number[]
  readonly sockets: ReadonlyMap<number, number> | undefined
}

/**
 * The devices for each PCI request of an instance. If too few devices are free: the first such request, and the count of devices that are
 * free for it.
 */
export type Allotment =
  | { readonly ok: true; readonly grants: () => readonly PciGrant[] }
  | { readonly ok: false; readonly wish: PciWish; readonly have: number }

/**
 * Allocates devices to every request, from the nearest pools first. If a later request needs the devices of an earlier request, the earlier
 * request gets other devices (augmenting paths), so a solution is found if there is one. If `place` is undefined, the guest has no NUMA
 * cells and all pools are equally near.
 */
export function allot(pools: HostPools, ask: PciAsk, place: Place | undefined): Allotment {
  const { list } = pools
  const groups = ask.groupsOn(pools)
  const free = list.map((pool) => Math.max(0, pool.free))
  const orders = groups.map((group) => nearestFirst(list, group, place))
  const given = groups.map(() => new Array<number>(list.length).fill(0))
  const seen = new Uint8Array(list.length)
  const move = (counts: number[], p: number, by: number): void => {
    counts[p] = (counts[p] as number) + by
  }

  /**
   * Allocates at most `wanted` further devices to a group, from one pool. Returns how many were allocated. 0 if no pool has devices for the
   * group.
   */
  const give = (g: number, wanted: number): number => {
    const order = orders[g] as readonly number[]
    const own = given[g] as number[]
    for (const p of order) {
      const count = Math.min(wanted, free[p] as number)
      if (count === 0) continue
      move(free, p, -count)
      move(own, p, count)
      return count
    }
    for (const p of order) {
      if (seen[p] === 1) continue
      seen[p] = 1
      for (let o = 0; o < given.length; o++) {
        const others = given[o] as number[]
        const held = others[p] as number
        if (o === g || held === 0) continue
        const count = give(o, Math.min(wanted, held))
        if (count === 0) continue
        move(others, p, -count)
        move(own, p, count)
        return count
      }
    }
    return 0
  }

  for (const [g, group] of groups.entries()) {
    for (let left = group.count; left > 0; ) {
      seen.fill(0)
      const count = give(g, left)
      if (count === 0) return { ok: false, ...shortOf(ask, group, group.count - left) }
      left -= count
    }
  }
  return { ok: true, grants: () => groups.flatMap((group, g) => grantsOf(ask, group, list, given[g] as number[])) }
}

/** The count of free devices that a group of requests could get if there were no other groups. */
export function devicesFor({ list }: HostPools, { policy, pools }: Pick<PciGroup, 'policy' | 'pools'>, place: Place | undefined): number {
  let count = 0
  for (const p of pools) {
    const pool = list[p] as PoolState
    if (pool.free > 0 && distance(pool.numaNode, policy, place) < FAR) count += pool.free
  }
  return count
}

/** The free devices that match a group of requests but are not near enough for its policy. */
export const farDevices = ({ list }: HostPools, { policy, pools }: PciGroup, place: Place | undefined): readonly FreeDevices[] =>
  pools
    .map((p) => list[p] as PoolState)
    .filter(({ numaNode }) => distance(numaNode, policy, place) >= FAR)
    .map(({ numaNode, free }) => ({ numaNode, count: Math.max(0, free) }))

/**
 * The requests that get too few devices even without the requests of other groups. `have` is the count of devices that the request could
 * get. `there` is the count that the request could get if its devices did not have to be near.
 */
export function shortWishes(pools: HostPools, ask: PciAsk, place: Place | undefined) {
  return ask.groupsOn(pools).flatMap((group) => {
    let left = devicesFor(pools, group, place)
    let anywhere = devicesFor(pools, group, undefined)
    return group.requests.flatMap((request) => {
      const { subject, count: need } = ask.requests[request] as PciWish
      const have = Math.min(left, need)
      const there = Math.min(anywhere, need)
      left -= have
      anywhere -= there
      return have < need ? [{ subject, need, have, there }] : []
    })
  })
}

/** Divides the devices of a group among its requests, one after the other. */
function grantsOf(ask: PciAsk, group: PciGroup, list: readonly PoolState[], given: readonly number[]): readonly PciGrant[] {
  const left = [...given]
  return group.requests.flatMap((request) => {
    let wanted = (ask.requests[request] as PciWish).count
    return left.flatMap((there, p) => {
      const count = Math.min(wanted, there)
      if (count === 0) return []
      wanted -= count
      left[p] = there - count
      return [{ request, pool: (list[p] as PoolState).key, count }]
    })
  })
}

/** The first request of a group that gets too few devices if the group gets `devices`. */
function shortOf(ask: PciAsk, group: PciGroup, devices: number): { wish: PciWish; have: number } {
  let have = devices
  for (const request of group.requests) {
    const wish = ask.requests[request] as PciWish
    if (have < wish.count) return { wish, have }
    have -= wish.count
  }
  throw new Error('shortOf was called for a group with enough devices')
}

/** The indexes of the pools from which the policy of a group allows devices, nearest first. */
function nearestFirst(list: readonly PoolState[], { policy, pools }: PciGroup, place: Place | undefined): readonly number[] {
  if (place === undefined) return pools
  const found: number[] = []
  for (let far = 0; far < FAR; far++)
    for (const p of pools) if (distance((list[p] as PoolState).numaNode, policy, place) === far) found.push(p)
  return found
}

/** The distance of a pool that the policy does not allow. */
const FAR = 3

/**
 * The distance of a pool from the guest: 0 at a NUMA cell of the guest, 1 on a socket of the guest or at no cell, 2 at any other cell. FAR
 * if the policy does not allow the pool.
 */
function distance(numaNode: number | null, policy: NumaPolicy, place: Place | undefined): number {
  if (place === undefined || (numaNode !== null && place.cells.includes(numaNode))) return 0
  if (policy === 'required') return FAR
  if (policy === 'socket') return numaNode !== null && isOnSocket(numaNode, place) ? 1 : FAR
  if (numaNode === null) return 1
  return policy === 'preferred' ? 2 : FAR
}

function isOnSocket(numaNode: number, { cells, sockets }: Place): boolean {
  const socket = sockets?.get(numaNode)
  if (sockets === undefined || socket === undefined) return false
  for (const cell of cells) if (sockets.get(cell) === socket) return true
  return false
}
