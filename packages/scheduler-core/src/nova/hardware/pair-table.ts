import { fitCell } from './fit-cell.ts'
import { emulatorCpusAt, type SearchBasis } from './search-basis.ts'
import type { GuestCell } from './topology.ts'

/** Which of the guest's cells fit on which of the host's, each pair judged by itself. */
export interface PairTable {
  readonly fits: (guest: number, host: number) => boolean
  /** How many pairs were tried so far. */
  readonly tests: () => number
}

/** Tries pairs as they are asked for, a row at a time; cells of the guest that are alike have one row. */
export function pairTable(basis: SearchBasis): PairTable {
  const { hosts, guests, limits } = basis
  const rows = new Map<string, Uint8Array>()
  const rowOf: (Uint8Array | undefined)[] = guests.map(() => undefined)
  const makeRow = (at: number): Uint8Array => {
    const guest = guests[at] as GuestCell
    const emulatorCpus = emulatorCpusAt(basis, at)
    const shape = `${shapeOf(guest)} ${emulatorCpus}`
    const row = rows.get(shape) ?? Uint8Array.from(hosts, (host) => Number(fitCell(host, guest, limits, emulatorCpus).why === undefined))
    rows.set(shape, row)
    rowOf[at] = row
    return row
  }
  return { fits: (guest, host) => (rowOf[guest] ?? makeRow(guest))[host] === 1, tests: () => rows.size * hosts.length }
}

/** All of a guest's cell that decides where it fits. */
export function shapeOf(cell: GuestCell): string {
  return `${cell.cpuset.length} ${cell.pcpuset?.length} ${cell.memory} ${cell.pagesize} ${cell.cpuPolicy} ${cell.cpuThreadPolicy}`
}
