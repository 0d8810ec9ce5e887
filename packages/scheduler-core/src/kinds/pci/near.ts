import type { HostIndex } from '../../fleet/columns.ts'
import type { HostTable } from '../../fleet/hosts.ts'
import { canMeet, type Demand } from '../../nova/hardware/demands.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { type Allotment, allot, type Place } from './allot.ts'
import { type PciAsk, type PciWish, pciAskOf } from './ask.ts'
import { type PoolState, pools } from './pool.ts'

/** A cell of a host as far as devices are concerned. */
interface Cell {
  readonly id: number
  readonly socket?: number
}

/** What the devices of a request want of the cells that its guest gets. */
export interface Nearness {
  on(hosts: HostTable, host: HostIndex, cells: readonly Cell[]): NearnessOnHost
}

/** Cells by their positions in the list that it was made with. */
export interface NearnessOnHost {
  /** The devices near a choice of cells, or what is short. */
  allot(chosen: readonly number[]): Allotment
  /** False: no choice of so many cells more, beside those chosen, has enough devices near. */
  mayStill(chosen: readonly number[], used: Uint8Array, more: number): boolean
}

/** Undefined where it is all the same to the devices which cells the guest gets. */
export function nearnessOf(spec: RequestSpec): Nearness | undefined {
  const ask = pciAskOf(spec)
  if (ask?.hasCells !== true || ask.requests.every(({ policy }) => policy === 'preferred')) return undefined
  return {
    on(hosts, host, cells) {
      const here = pools.of(hosts.get(host))
      const sockets = socketsOf(cells)
      let demands: readonly Demand[] | undefined
      return {
        allot: (chosen) => allot(here, ask, { cells: new Set(chosen.map((c) => (cells[c] as Cell).id)), sockets }),
        mayStill(chosen, used, more) {
          demands ??= demandsOf(here, ask, cells, sockets)
          return canMeet(demands, chosen, used, more)
        },
      }
    },
  }
}

/** Sockets of the cells; undefined where one of them does not tell. */
export function socketsOf(cells: readonly Cell[]): ReadonlyMap<number, number> | undefined {
  const sockets = new Map<number, number>()
  for (const { id, socket } of cells) {
    if (socket === undefined) return undefined
    sockets.set(id, socket)
  }
  return sockets
}

/** What the chosen cells must have together: for each request, and for all of them. Needed, not enough. */
function demandsOf(here: readonly PoolState[], ask: PciAsk, cells: readonly Cell[], sockets: Place['sockets']): readonly Demand[] {
  const all = ask.requests.map((_wish, r) => r)
  const wanted = all.map((r) => demandOf(here, ask, [r], cells, sockets))
  return all.length > 1 ? [...wanted, demandOf(here, ask, all, cells, sockets)] : wanted
}

/** Of some requests together: each pool counts once, as far around its cell as the laxest of them reaches. */
function demandOf(
  here: readonly PoolState[],
  ask: PciAsk,
  requests: readonly number[],
  cells: readonly Cell[],
  sockets: Place['sockets'],
): Demand {
  const wishOf = (r: number) => ask.requests[r] as PciWish
  const gains = new Array<number>(cells.length).fill(0)
  let need = requests.reduce((sum, r) => sum + wishOf(r).count, 0)
  for (const pool of here) {
    if (pool.free <= 0) continue
    const takers = ask.takers(pool)
    const policies = requests.filter((r) => takers[r] === 1).map((r) => wishOf(r).policy)
    if (policies.length === 0) continue
    const { numaNode } = pool
    if (policies.includes('preferred') || (numaNode === null && policies.includes('legacy'))) need -= pool.free
    else if (numaNode !== null) {
      const socket = policies.includes('socket') ? sockets?.get(numaNode) : undefined
      for (const [c, cell] of cells.entries())
        if (cell.id === numaNode || (socket !== undefined && cell.socket === socket)) gains[c] = (gains[c] as number) + pool.free
    }
  }
  const best = gains.map((_gain, c) => c).sort((a, b) => (gains[b] as number) - (gains[a] as number))
  return { need, gains, best }
}
