import { formatCount, formatDuration, formatGib, formatMib, formatPercent } from '../../lib/format.ts'
import type { CellGroup } from '../../ui/cell-map.tsx'
import { fieldOfGroup } from './filter-terms.ts'
import { type FleetStore, isSetColumn } from './fleet-store.ts'
import type { HostColour, HostGroup } from './search.ts'
import { inWords, NONE, textColumns } from './select-hosts.ts'
import type { Verdicts } from './verdicts.ts'

/** Colours that show what the store holds. */
export type LoadColour = Exclude<HostColour, 'verdict'>

/** A report of this age, or none at all, has the last colour. */
const OLDEST_MS = 86_400_000

/** What the colour of a map reports: of each host as a percentage of the last colour, of many as words, and of its scale. */
export interface MapLoad {
  of(ordinal: number): number
  summarise(ordinals: readonly number[]): string
  /** What the first and the last colour mean. */
  readonly ends: readonly [string, string]
  /** What of a host no line about it says anyway. */
  note?(ordinal: number): string
}

/** How full hosts are, how much they have left or hold, or how old their reports are. `shown`: those that the scale is for. `nowMs`: the service's time. */
export function loadOf(store: FleetStore, colour: LoadColour, shown: Uint32Array, nowMs: number): MapLoad {
  switch (colour) {
    case 'cpu':
      return usedOf(store.numbers('CPU_USED_PCT'), 'CPU')
    case 'mem':
      return usedOf(store.numbers('MEM_USED_PCT'), 'memory')
    case 'disk':
      return usedOf(store.numbers('DISK_USED_PCT'), 'disk')
    case 'cpu.free':
      return amountOf(store.numbers('CPU_FREE'), shown, (amount) => `${formatCount(amount)} ${amount === 1 ? 'vCPU' : 'vCPUs'} free`)
    case 'mem.free':
      return amountOf(store.numbers('MEM_FREE_MIB'), shown, (amount) => `${formatMib(amount)} of memory free`)
    case 'disk.free':
      return amountOf(store.numbers('DISK_FREE_GIB'), shown, (amount) => `${formatGib(amount)} of disk free`)
    case 'claims':
      return amountOf(store.numbers('CLAIMS'), shown, (amount) => `${formatCount(amount)} ${amount === 1 ? 'claim' : 'claims'}`)
    case 'age':
      return ageOf(store.numbers('REPORTED_AT'), nowMs)
  }
}

function usedOf(used: Float64Array, what: string): MapLoad {
  const of = (ordinal: number): number => used[ordinal] ?? 0
  return {
    of,
    summarise: (ordinals) => `${formatPercent(ordinals.reduce((sum, one) => sum + of(one), 0) / ordinals.length)} used on average`,
    ends: ['0 %', `100 % of ${what} used`],
  }
}

/** Amounts have no natural end: the scale goes to the most that one of the hosts shown has. */
function amountOf(amounts: Float64Array, shown: Uint32Array, inWords: (amount: number) => string): MapLoad {
  // a report that shrank a host leaves less than nothing
  const amountAt = (ordinal: number): number => Math.max(0, amounts[ordinal] ?? 0)
  const most = shown.reduce((found, ordinal) => Math.max(found, amountAt(ordinal)), 0)
  return {
    of: (ordinal) => (most === 0 ? 0 : (100 * amountAt(ordinal)) / most),
    summarise: (ordinals) => `${inWords(ordinals.reduce((sum, one) => sum + amountAt(one), 0))} in all`,
    ends: ['0', most === 0 ? 'no host here has any' : `${inWords(most)}, the most of one host here`],
  }
}

/** From 0 to a day on a logarithmic scale. */
function ageOf(reportedAt: Float64Array, nowMs: number): MapLoad {
  const hasNone = (ordinal: number): boolean => (reportedAt[ordinal] ?? 0) === 0
  const ageAt = (ordinal: number): number => Math.max(0, nowMs - (reportedAt[ordinal] ?? 0))
  return {
    of: (ordinal) => Math.min(100, (100 * Math.log1p(ageAt(ordinal) / 1_000)) / Math.log1p(OLDEST_MS / 1_000)),
    summarise(ordinals) {
      const silent = ordinals.filter(hasNone).length
      const oldest = ordinals.reduce((most, ordinal) => (hasNone(ordinal) ? most : Math.max(most, ageAt(ordinal))), 0)
      return `the oldest report ${formatDuration(oldest)} ago${silent === 0 ? '' : `, ${formatCount(silent)} never reported`}`
    },
    ends: ['just now', 'reported a day ago or longer, or never'],
    note: (ordinal) => (hasNone(ordinal) ? 'never reported' : `reported ${formatDuration(ageAt(ordinal))} ago`),
  }
}

/** What a decision said of hosts, each group a shade of its own, the first group the last shade. */
export const verdictLoad = ({ of, groups }: Verdicts): MapLoad => ({
  of: (ordinal) => positionOf(of(ordinal)) / 2.55,
  summarise(ordinals) {
    const passed = ordinals.filter((ordinal) => groups[of(ordinal)]?.hasPassed).length
    return `${formatCount(passed)} passed`
  },
  // what they mean the legend of the verdicts says
  ends: ['', ''],
})

/** The shade of a group of verdicts. */
export const positionOf = (group: number): number => Math.max(0, 255 - group)

/** A percentage as one of 256 shades. */
export const toShade = (percent: number): number => Math.max(0, Math.min(255, Math.round(percent * 2.55)))

/**
 * Hosts by zone, by aggregate or by what they report, the fullest first in each, with totals for its heading. A host in many
 * aggregates is in each of them; hosts in none, and those that do not report it, stand together at the end.
 */
export function groupHosts(store: FleetStore, ordinals: Uint32Array, by: HostGroup, load: MapLoad): readonly CellGroup[] {
  const members = new Map<string, number[]>()
  const add = (key: string, ordinal: number): void => {
    const list = members.get(key)
    if (list === undefined) members.set(key, [ordinal])
    else list.push(ordinal)
  }
  const column = textColumns[fieldOfGroup(by)]
  const codes = store.codes(column)
  const keys = isSetColumn(column) ? store.sets(column).texts : store.dictionary(column).values.map((value) => [value])
  for (const ordinal of ordinals) {
    const own = keys[codes[ordinal] ?? 0] ?? []
    if (own.length === 0) add(NONE, ordinal)
    for (const key of own) add(key, ordinal)
  }
  return [...members]
    .sort(([a], [b]) => (a === NONE ? 1 : b === NONE ? -1 : a < b ? -1 : 1))
    .map(([key, list]) => ({
      key,
      label: key === NONE ? (withoutKey[by] ?? inWords(key)) : key,
      summary: `${formatCount(list.length)} ${list.length === 1 ? 'host' : 'hosts'}, ${load.summarise(list)}`,
      cells: fullestFirst(list, load),
    }))
}

const withoutKey: Readonly<Partial<Record<HostGroup, string>>> = { az: 'no zone', aggregate: 'in no aggregate' }

/** Sorted by shade, by counting: equal shades keep their order, so that a map of many hosts stays still where nothing changes. */
function fullestFirst(ordinals: readonly number[], { of }: MapLoad): Uint32Array {
  const starts = new Uint32Array(257)
  for (const ordinal of ordinals) {
    const index = 255 - toShade(of(ordinal)) + 1
    starts[index] = (starts[index] ?? 0) + 1
  }
  for (let i = 1; i < starts.length; i++) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0)
  const sorted = new Uint32Array(ordinals.length)
  for (const ordinal of ordinals) {
    const index = 255 - toShade(of(ordinal))
    const at = starts[index] ?? 0
    sorted[at] = ordinal
    starts[index] = at + 1
  }
  return sorted
}
