import type { GuestCell } from '../topology.ts'
import { fitCell } from './fit-cell.ts'
import { emulatorCpusAt, type SearchBasis } from './search-basis.ts'

/** A table of which guest cell fits on which host cell. Each pair is checked independently of other cells. */
export interface PairTable {
  readonly fits: (guest: number, host: number) => boolean
  /** The number of pairs that were tried so far. */
  readonly tests: () => number
}

/** Creates a table that computes the row of a guest cell when it is first read. Equal guest cells share a row. */
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

/** Text with all properties of a guest cell that decide on which host cells it fits. */
export function shapeOf(cell: GuestCell): string {
  return `${cell.cpuset.length} ${cell.pcpuset?.length} ${cell.memory} ${cell.pagesize} ${cell.cpuPolicy} ${cell.cpuThreadPolicy}`
}
