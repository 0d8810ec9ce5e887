import { formatCount, formatPercent } from '../../lib/format.ts'
import type { CellGroup } from '../../ui/cell-map.tsx'
import type { FleetStore, NumberColumn } from './fleet-store.ts'
import type { HostColour, HostGroup } from './search.ts'

export const colourColumns: Readonly<Record<HostColour, NumberColumn>> = {
  cpu: 'CPU_USED_PCT',
  mem: 'MEM_USED_PCT',
  disk: 'DISK_USED_PCT',
}

/** A percentage as one of 256 shades. */
export const toShade = (percent: number): number => Math.max(0, Math.min(255, Math.round(percent * 2.55)))

/**
 * Hosts by zone or aggregate, the fullest first in each, with totals for its heading. A host in many aggregates is in each of
 * them; hosts in none stand together at the end.
 */
export function groupHosts(store: FleetStore, ordinals: Uint32Array, by: HostGroup, colour: HostColour): readonly CellGroup[] {
  const load = store.numbers(colourColumns[colour])
  const members = new Map<string, number[]>()
  const add = (key: string, ordinal: number): void => {
    const list = members.get(key)
    if (list === undefined) members.set(key, [ordinal])
    else list.push(ordinal)
  }
  if (by === 'az') {
    const codes = store.codes('AZ')
    const { values } = store.dictionary('AZ')
    for (const ordinal of ordinals) add(values[codes[ordinal] ?? 0] ?? '', ordinal)
  } else {
    const codes = store.codes('AGGREGATES')
    const { texts } = store.sets('AGGREGATES')
    for (const ordinal of ordinals) {
      const names = texts[codes[ordinal] ?? 0] ?? []
      if (names.length === 0) add('', ordinal)
      for (const name of names) add(name, ordinal)
    }
  }
  return [...members]
    .sort(([a], [b]) => (a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1))
    .map(([key, list]) => ({
      key,
      label: key === '' ? (by === 'az' ? 'no zone' : 'in no aggregate') : key,
      summary: `${formatCount(list.length)} ${list.length === 1 ? 'host' : 'hosts'}, ${formatPercent(meanOf(list, load))} used on average`,
      cells: fullestFirst(list, load),
    }))
}

const meanOf = (ordinals: readonly number[], load: Float64Array): number =>
  ordinals.reduce((sum, ordinal) => sum + (load[ordinal] ?? 0), 0) / ordinals.length

/** Sorted by shade, by counting: equal shades keep their order, so that a map of many hosts stays still where nothing changes. */
function fullestFirst(ordinals: readonly number[], load: Float64Array): Uint32Array {
  const starts = new Uint32Array(257)
  for (const ordinal of ordinals) {
    const place = 255 - toShade(load[ordinal] ?? 0) + 1
    starts[place] = (starts[place] ?? 0) + 1
  }
  for (let i = 1; i < starts.length; i++) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0)
  const sorted = new Uint32Array(ordinals.length)
  for (const ordinal of ordinals) {
    const place = 255 - toShade(load[ordinal] ?? 0)
    const at = starts[place] ?? 0
    sorted[at] = ordinal
    starts[place] = at + 1
  }
  return sorted
}
