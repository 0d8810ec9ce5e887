import type { CellAsk, CellState } from '../../hosts/cell.ts'
import type { CellGrant } from '../../records/grants.ts'

type Pins = Pick<CellGrant, 'pinned' | 'siblings' | 'emulator'>

type Core = readonly number[]

/**
 * The dedicated CPUs that a guest cell gets in a host cell, by its thread policy:
 * - prefer: n threads of each core are used, for the largest n of at least 2 for which enough cores have n free threads. If there is no
 * such n, any free CPUs are used.
 * - require: like prefer, but cores with a single free thread are not used.
 * - isolate: each CPU is on a core without other use, and the other threads of this core are kept free.
 * The CPU for the emulator threads is one of the remaining CPUs. Under isolate, it is on a core without CPUs of the guest. The caller must
 * have checked that the host cell has enough CPUs.
 */
export function choosePins(cell: CellState, ask: CellAsk): Pins {
  const free = freeCores(cell)
  const cores = ask.dedicated === 0 ? [] : ask.threads === 'isolate' ? wholeCores(cell, free, ask.dedicated) : undefined
  const pinned = cores?.map(([first]) => first as number) ?? fillCores(free, ask)
  const siblings = cores?.flatMap(([, ...others]) => others) ?? []
  const taken = new Set([...pinned, ...siblings])
  const emulator = ask.emulator === 0 ? undefined : free.flat().find((cpu) => !taken.has(cpu))
  return {
    ...(ask.dedicated > 0 && { pinned }),
    ...(siblings.length > 0 && { siblings }),
    ...(emulator !== undefined && { emulator }),
  }
}

/**
 * All CPUs that a grant dedicates to the instance: pinned CPUs, their sibling threads that must stay unused, and the CPU for the emulator
 * threads.
 */
export function cpusOf({ pinned, siblings, emulator }: CellGrant): readonly number[] {
  if (siblings === undefined && emulator === undefined) return pinned ?? []
  return [...(pinned ?? []), ...(siblings ?? []), ...(emulator === undefined ? [] : [emulator])]
}

/** The free threads of each core, in the order of the cores. */
function freeCores(cell: CellState): readonly Core[] {
  const open = cell.pinnable.filter((cpu) => !cell.isPinned(cpu))
  if (cell.cores === undefined) return open.map((cpu) => [cpu])
  const isOpen = new Set(open)
  return cell.cores.map((core) => core.filter((cpu) => isOpen.has(cpu)))
}

function wholeCores(cell: CellState, free: readonly Core[], count: number): readonly Core[] {
  const { cores } = cell
  return (cores === undefined ? free : free.filter(({ length }, i) => length > 0 && length === cores[i]?.length)).slice(0, count)
}

function fillCores(free: readonly Core[], { dedicated }: CellAsk): readonly number[] {
  const most = free.reduce((longest, { length }) => Math.max(longest, length), 0)
  for (let threads = most; threads > 1; threads--) {
    const able = free.filter(({ length }) => length >= threads)
    if (threads * able.length >= dedicated) return able.flatMap((core) => core.slice(0, threads)).slice(0, dedicated)
  }
  return free.flat().slice(0, dedicated)
}
