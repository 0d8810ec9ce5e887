import type { PciAsk, PciWish } from './ask.ts'
import type { PciGrant, PoolState } from './pool.ts'

/** Where an instance sits in a host: its cells, and the sockets of all cells; undefined where a cell does not tell its own. */
export interface Place {
  readonly cells: ReadonlySet<number>
  readonly sockets: ReadonlyMap<number, number> | undefined
}

/** Devices for every request, or the first request that gets too few, with how many it could have. */
export type Allotment =
  | { readonly ok: true; readonly grants: readonly PciGrant[] }
  | { readonly ok: false; readonly wish: PciWish; readonly have: number }

/**
 * Gives every request its devices, from the nearest pools first. An earlier request makes way for a later one where it
 * can take others (augmenting paths), so devices are found whenever there are enough. `place` undefined: no cells, so
 * all pools are as near.
 */
export function allot(pools: readonly PoolState[], ask: PciAsk, place: Place | undefined): Allotment {
  const { requests } = ask
  const free = pools.map((pool) => Math.max(0, pool.free))
  const orders = requests.map((wish, r) => poolsFor(pools, ask, r, wish, place))
  const given = requests.map(() => new Array<number>(pools.length).fill(0))
  const seen = new Uint8Array(pools.length)
  const move = (counts: number[], p: number, by: number): void => {
    counts[p] = (counts[p] as number) + by
  }

  /** Gives a request up to so many devices more, in one step; 0 where it can have none. */
  const give = (r: number, wanted: number): number => {
    const order = orders[r] as readonly number[]
    const own = given[r] as number[]
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
      for (const [o, others] of given.entries()) {
        const held = others[p] as number
        if (o === r || held === 0) continue
        const count = give(o, Math.min(wanted, held))
        if (count === 0) continue
        move(others, p, -count)
        move(own, p, count)
        return count
      }
    }
    return 0
  }

  for (const [r, wish] of requests.entries()) {
    for (let left = wish.count; left > 0; ) {
      seen.fill(0)
      const count = give(r, left)
      if (count === 0) return { ok: false, wish, have: wish.count - left }
      left -= count
    }
  }
  const grants = given.flatMap((counts, request) =>
    counts.flatMap((count, p) => (count === 0 ? [] : [{ request, pool: (pools[p] as PoolState).key, count }])),
  )
  return { ok: true, grants }
}

/** Free devices that a request could have if it were alone. */
export function devicesFor(pools: readonly PoolState[], ask: PciAsk, request: number, place: Place | undefined): number {
  const { policy } = ask.requests[request] as PciWish
  let count = 0
  for (let p = 0; p < pools.length; p++) {
    const pool = pools[p] as PoolState
    if (pool.free > 0 && ask.takers(pool)[request] === 1 && distance(pool, policy, place) < FAR) count += pool.free
  }
  return count
}

/** Positions of the pools that a request may take devices of, nearest first. */
function poolsFor(
  pools: readonly PoolState[],
  ask: PciAsk,
  request: number,
  { policy }: PciWish,
  place: Place | undefined,
): readonly number[] {
  const near: number[][] = [[], [], [], []]
  for (const [p, pool] of pools.entries()) if (ask.takers(pool)[request] === 1) (near[distance(pool, policy, place)] as number[]).push(p)
  return (near as [number[], ...number[][]]).slice(0, FAR).flat()
}

/** Too far for the policy. */
const FAR = 3

/** 0 at a cell of the guest; 1 at its socket, or at no cell; 2 elsewhere; FAR where the policy does not go. */
function distance({ numaNode }: PoolState, policy: PciWish['policy'], place: Place | undefined): number {
  if (place === undefined || (numaNode !== null && place.cells.has(numaNode))) return 0
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
