import { formatCount, formatDuration, formatPercent } from '../../lib/format.ts'
import type { CellGroup } from '../../ui/cell-map.tsx'
import type { FleetStore, NumberColumn } from './fleet-store.ts'
import type { HostColour, HostGroup } from './search.ts'
import type { Verdicts } from './verdicts.ts'

/** Colours that tell what the store holds. */
export type LoadColour = Exclude<HostColour, 'verdict'>

const usedColumns: Readonly<Record<Exclude<LoadColour, 'age'>, NumberColumn>> = {
  cpu: 'CPU_USED_PCT',
  mem: 'MEM_USED_PCT',
  disk: 'DISK_USED_PCT',
}
/** A report of this age, or none at all, has the last colour. */
const OLDEST_MS = 86_400_000

/** What the colour of a map tells: of each host as a percentage, and of many as words. */
export interface MapLoad {
  of(ordinal: number): number
  tell(ordinals: readonly number[]): string
}

/** How full hosts are; or how old their reports are, from 0 to a day on a logarithmic scale. `nowMs`: the service's time. */
export function loadOf(store: FleetStore, colour: LoadColour, nowMs: number): MapLoad {
  if (colour !== 'age') {
    const used = store.numbers(usedColumns[colour])
    const of = (ordinal: number): number => used[ordinal] ?? 0
    return { of, tell: (ordinals) => `${formatPercent(ordinals.reduce((sum, one) => sum + of(one), 0) / ordinals.length)} used on average` }
  }
  const reportedAt = store.numbers('REPORTED_AT')
  const ageOf = (ordinal: number): number => Math.max(0, nowMs - (reportedAt[ordinal] ?? 0))
  return {
    of: (ordinal) => Math.min(100, (100 * Math.log1p(ageOf(ordinal) / 1_000)) / Math.log1p(OLDEST_MS / 1_000)),
    tell(ordinals) {
      const silent = ordinals.filter((ordinal) => (reportedAt[ordinal] ?? 0) === 0).length
      const oldest = ordinals.reduce((most, ordinal) => ((reportedAt[ordinal] ?? 0) === 0 ? most : Math.max(most, ageOf(ordinal))), 0)
      return `the oldest report ${formatDuration(oldest)} ago${silent === 0 ? '' : `, ${formatCount(silent)} never reported`}`
    },
  }
}

/** What a decision said of hosts, each group a shade of its own, the first group the last shade. */
export const verdictLoad = ({ of, groups }: Verdicts): MapLoad => ({
  of: (ordinal) => placeOf(of(ordinal)) / 2.55,
  tell(ordinals) {
    const passed = ordinals.filter((ordinal) => groups[of(ordinal)]?.hasPassed).length
    return `${formatCount(passed)} passed`
  },
})

/** The shade of a group of verdicts. */
export const placeOf = (group: number): number => Math.max(0, 255 - group)

/** A percentage as one of 256 shades. */
export const toShade = (percent: number): number => Math.max(0, Math.min(255, Math.round(percent * 2.55)))

/**
 * Hosts by zone or aggregate, the fullest first in each, with totals for its heading. A host in many aggregates is in each of
 * them; hosts in none stand together at the end.
 */
export function groupHosts(store: FleetStore, ordinals: Uint32Array, by: HostGroup, load: MapLoad): readonly CellGroup[] {
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
      summary: `${formatCount(list.length)} ${list.length === 1 ? 'host' : 'hosts'}, ${load.tell(list)}`,
      cells: fullestFirst(list, load),
    }))
}

/** Sorted by shade, by counting: equal shades keep their order, so that a map of many hosts stays still where nothing changes. */
function fullestFirst(ordinals: readonly number[], { of }: MapLoad): Uint32Array {
  const starts = new Uint32Array(257)
  for (const ordinal of ordinals) {
    const place = 255 - toShade(of(ordinal)) + 1
    starts[place] = (starts[place] ?? 0) + 1
  }
  for (let i = 1; i < starts.length; i++) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0)
  const sorted = new Uint32Array(ordinals.length)
  for (const ordinal of ordinals) {
    const place = 255 - toShade(of(ordinal))
    const at = starts[place] ?? 0
    sorted[at] = ordinal
    starts[place] = at + 1
  }
  return sorted
}
