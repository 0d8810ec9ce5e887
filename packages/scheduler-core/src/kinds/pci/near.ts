import type { HostIndex } from '../../fleet/columns.ts'
import type { HostTable } from '../../fleet/hosts.ts'
import { canMeet, type Demand } from '../../nova/hardware/demands.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { type Allotment, allot, type Place } from './allot.ts'
import { type PciAsk, type PciGroup, pciAskOf } from './ask.ts'
import { type HostPools, poolsOf } from './pool.ts'

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
  /** The devices and the socket by which a cell differs from others for this request. */
  traitOf(cell: number): string
  /** All that the answers depend on, as text: hosts with the same one have the same answers. */
  readonly key: string
}

/** Undefined where it is all the same to the devices which cells the guest gets. */
export function nearnessOf(spec: RequestSpec): Nearness | undefined {
  const ask = pciAskOf(spec)
  if (ask?.hasCells !== true || ask.requests.every(({ policy }) => policy === 'preferred')) return undefined
  return {
    on(hosts, host, cells) {
      const here = poolsOf(hosts.get(host))
      const sockets = socketsOf(cells)
      let demands: readonly Demand[] | undefined
      return {
        allot: (chosen) => allot(here, ask, { cells: chosen.map((c) => (cells[c] as Cell).id), sockets }),
        mayStill(chosen, used, more) {
          demands ??= demandsOf(here, ask, cells, sockets)
          return canMeet(demands, chosen, used, more)
        },
        traitOf: (c) => traitOf(here, ask, cells[c] as Cell),
        // the pools with their cells are in their shape, and so are the groups of requests
        get key() {
          return `${here.shape}|${here.list.map(({ free }) => free).join()}|${cells.map(({ id, socket }) => `${id}/${socket}`).join()}`
        },
      }
    },
  }
}

function traitOf(here: HostPools, ask: PciAsk, { id, socket }: Cell): string {
  const groups = ask.groupsOn(here)
  const devices = here.list.flatMap(({ numaNode, free }, p) =>
    numaNode === id && free > 0 ? [`${groups.flatMap(({ pools }, g) => (pools.includes(p) ? [g] : [])).join()}x${free}`] : [],
  )
  return `${devices.join(' ')}|${groups.some(({ policy }) => policy === 'socket') ? socket : ''}`
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

/** What the chosen cells must have together: for each group of requests, and for all of them. Needed, not enough. */
function demandsOf(here: HostPools, ask: PciAsk, cells: readonly Cell[], sockets: Place['sockets']): readonly Demand[] {
  const groups = ask.groupsOn(here)
  const wanted = groups.map((group) => demandOf(here, [group], cells, sockets))
  return groups.length > 1 ? [...wanted, demandOf(here, groups, cells, sockets)] : wanted
}

/** Of some groups together: each pool counts once, as far around its cell as the laxest of them reaches. */
function demandOf({ list }: HostPools, groups: readonly PciGroup[], cells: readonly Cell[], sockets: Place['sockets']): Demand {
  const gains = new Array<number>(cells.length).fill(0)
  let need = groups.reduce((sum, { count }) => sum + count, 0)
  for (const [p, { numaNode, free }] of list.entries()) {
    if (free <= 0) continue
    const policies = groups.filter(({ pools }) => pools.includes(p)).map(({ policy }) => policy)
    if (policies.length === 0) continue
    if (policies.includes('preferred') || (numaNode === null && policies.includes('legacy'))) need -= free
    else if (numaNode !== null) {
      const socket = policies.includes('socket') ? sockets?.get(numaNode) : undefined
      for (const [c, cell] of cells.entries())
        if (cell.id === numaNode || (socket !== undefined && cell.socket === socket)) gains[c] = (gains[c] as number) + free
    }
  }
  const best = gains.map((_gain, c) => c).sort((a, b) => (gains[b] as number) - (gains[a] as number))
  return { need, gains, best }
}
