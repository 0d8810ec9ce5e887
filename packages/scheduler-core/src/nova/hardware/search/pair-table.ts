import type { GuestCell } from '../topology.ts'
import { fitCell } from './fit-cell.ts'
import { emulatorCpusAt, type SearchBasis } from './search-basis.ts'

/** Which guest cells fit on which host cells, each pair judged independently. */
export interface PairTable {
  readonly fits: (guest: number, host: number) => boolean
  /** The number of pairs that were tried so far. */
  readonly tests: () => number
}

/** Creates a table that fits pairs on demand, one row at a time. Equal guest cells share a row. */
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

/** All properties of a guest cell that decide where it fits. */
export function shapeOf(cell: GuestCell): string {
  return `${cell.cpuset.length} ${cell.pcpuset?.length} ${cell.memory} ${cell.pagesize} ${cell.cpuPolicy} ${cell.cpuThreadPolicy}`
}
