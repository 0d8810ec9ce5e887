import type { RequestSpec } from '../../request/request-spec.ts'
import type { Reason } from '../../text/reason.ts'
import { canMeet, type Demand } from '../../values/demand.ts'
import { OWN_UNITS } from '../../values/levels.ts'
import { elsewhereOn } from '../elsewhere.ts'
import { heldByMover } from '../mover.ts'
import type { NearCell, Nearness } from '../near-cell.ts'
import { allot, farDevices, type Place, shortWishes } from './allot.ts'
import { type PciAsk, type PciGroup, type PciWish, pciAskOf } from './ask.ts'
import { keepDevices } from './keep.ts'
import { type HostPools, type PoolState, poolsOf } from './pool.ts'

/** The requirement that PCI devices are near the guest's NUMA cells. Undefined if the request has no such requirement. */
export function pciNearness(spec: RequestSpec): Nearness | undefined {
  const ask = pciAskOf(spec)
  if (ask?.hasCells !== true || ask.requests.every(({ policy }) => policy === 'preferred')) return undefined
  return {
    on(hosts, host, cells) {
      const here = poolsOf(hosts.get(host))
      const sockets = socketsOf(cells)
      const held = hosts.featureLevel < OWN_UNITS ? undefined : heldByMover(hosts, host)?.pci
      let demands: readonly Demand[] | undefined
      let traits: readonly string[] | undefined
      const placeAt = (chosen: readonly number[]): Place => ({ cells: chosen.map((c) => (cells[c] as NearCell).id), sockets })
      const reasonOf = ({ wish, have }: Lacking, place: Place): Reason => {
        const group = ask.groupsOn(here).find(({ requests }) => requests.includes(ask.requests.indexOf(wish))) as PciGroup
        return {
          ...{ code: 'pci.numa', subject: wish.subject, need: wish.count, have, unit: 'devices' },
          ...elsewhereOn(hosts, farDevices(here, group, place)),
        }
      }
      const firstLacking = (place: Place): Lacking | undefined => {
        if (held !== undefined && keepDevices(hosts, host, ask, held, place) !== undefined) return undefined
        const allotted = allot(here, ask, place)
        return allotted.ok ? undefined : allotted
      }
      return {
        shortOf(chosen) {
          const first = firstLacking(placeAt(chosen))
          return first && reasonOf(first, placeAt(chosen))
        },
        allShortOf(chosen) {
          const place = placeAt(chosen)
          const first = firstLacking(place)
          if (first === undefined) return []
          const alone = shortWishes(here, ask, place).flatMap(({ subject, have }) => {
            const wish = ask.requests.find((one) => one.subject === subject)
            return wish === undefined ? [] : [{ wish, have }]
          })
          // `alone` is empty if each request has enough near devices, but several requests need the same devices
          return (alone.length > 0 ? alone : [first]).map((lacking) => reasonOf(lacking, place))
        },
        canComplete(chosen, used, more) {
          demands ??= demandsOf(here, ask, cells, sockets)
          return canMeet(demands, chosen, used, more)
        },
        traitOf(c) {
          traits ??= traitsOf(here, ask, cells)
          return traits[c] as string
        },
        // `shape` contains the cells of the pools and determines the groups of requests, so the key need not contain these separately
        get key() {
          return `${here.shape}|${here.list.map(({ free }) => free).join()}|${cells.map(({ id, socket }) => `${id}/${socket}`).join()}${held === undefined ? '' : JSON.stringify(held)}`
        },
      }
    },
  }
}

/** A request for which too few devices are near, and how many are near. */
interface Lacking {
  readonly wish: PciWish
  readonly have: number
}

/**
 * A text for each cell. Two cells with the same text have the same free devices for each group of requests and, if a policy depends on
 * sockets, the same socket.
 */
function traitsOf(here: HostPools, ask: PciAsk, cells: readonly NearCell[]): readonly string[] {
  const groups = ask.groupsOn(here)
  const bySocket = groups.some(({ policy }) => policy === 'socket')
  const takers = here.list.map(() => '')
  for (const [g, { pools }] of groups.entries()) for (const p of pools) takers[p] += `${g}.`
  const devices = new Map<number | null, string>()
  for (const [p, { numaNode, free }] of here.list.entries())
    if (free > 0 && takers[p] !== '') devices.set(numaNode, `${devices.get(numaNode) ?? ''} ${takers[p]}x${free}`)
  return cells.map(({ id, socket }) => `${devices.get(id) ?? ''}|${bySocket ? socket : ''}`)
}

/** The socket of each cell. Undefined if the socket of a cell is not reported. */
export function socketsOf(cells: readonly NearCell[]): ReadonlyMap<number, number> | undefined {
  const sockets = new Map<number, number>()
  for (const { id, socket } of cells) {
    if (socket === undefined) return undefined
    sockets.set(id, socket)
  }
  return sockets
}

/**
 * Counts of devices that the chosen cells together must have near them: one for each group of requests, and one for all groups. These
 * conditions are necessary, but not sufficient.
 */
function demandsOf(here: HostPools, ask: PciAsk, cells: readonly NearCell[], sockets: Place['sockets']): readonly Demand[] {
  const groups = ask.groupsOn(here)
  const wanted = groups.map((group) => demandOf(here, [group], cells, sockets))
  return groups.length > 1 ? [...wanted, demandOf(here, groups, cells, sockets)] : wanted
}

/** A bit for each policy. For each pool, `demandOf` combines the bits of the policies of the groups that match the pool. */
const REACH = { required: 1, legacy: 2, socket: 4, preferred: 8 } as const

/**
 * The condition for several groups together. A pool that matches several groups is counted once, with the least strict of their policies.
 */
function demandOf({ list }: HostPools, groups: readonly PciGroup[], cells: readonly NearCell[], sockets: Place['sockets']): Demand {
  const gains = new Array<number>(cells.length).fill(0)
  const reach = new Uint8Array(list.length)
  let need = 0
  for (const { count, policy, pools } of groups) {
    need += count
    for (const p of pools) reach[p] = (reach[p] as number) | REACH[policy]
  }
  for (let p = 0; p < list.length; p++) {
    const { numaNode, free } = list[p] as PoolState
    const far = reach[p] as number
    if (free <= 0 || far === 0) continue
    if ((far & REACH.preferred) > 0 || (numaNode === null && (far & REACH.legacy) > 0)) need -= free
    else if (numaNode !== null) {
      const socket = (far & REACH.socket) > 0 ? sockets?.get(numaNode) : undefined
      for (let c = 0; c < cells.length; c++) {
        const cell = cells[c] as NearCell
        if (cell.id === numaNode || (socket !== undefined && cell.socket === socket)) gains[c] = (gains[c] as number) + free
      }
    }
  }
  const best = gains.map((_gain, c) => c).sort((a, b) => (gains[b] as number) - (gains[a] as number))
  return { need, gains, best }
}
