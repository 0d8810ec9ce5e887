import { byField, fieldsHolding } from '@gantt/scheduler-core/query'
import { formatCount, formatDuration, formatGib, formatMib, formatPercent } from '../../../lib/format.ts'
import type { CellGroup } from '../../../ui/chart/cell-map.tsx'
import { type FleetStore, isSetColumn } from '../fleet-store.ts'
import { fieldOfGroup } from '../list/filter-terms.ts'
import { inWords, NONE, textColumns } from '../list/select-hosts.ts'
import { colourFields, type HostColour, type HostGroup, type LoadColour } from '../search.ts'
import type { Verdicts } from './verdicts.ts'

const columns = byField(fieldsHolding('number'), 'name', ({ column }) => column)
const labels = byField(fieldsHolding('number'), 'name', ({ label }) => label)

/** The name of a colour: the heading of the field's column, except for the age of the report, whose column shows the time. */
export function colourName(colour: HostColour): string {
  if (colour === 'verdict') return 'Verdict'
  return colour === 'age' ? 'Report age' : labels[colourFields[colour]]
}

/** Hosts whose report is at least this old, in milliseconds, have the last colour. So do hosts without a report. */
const OLDEST_MS = 86_400_000

/** How the map is coloured: the load of each host, a text for each group, and the ends of the scale. */
export interface MapLoad {
  /** The load of a host as a percentage, which toShade converts to a shade. It can exceed 100. */
  of(ordinal: number): number
  /** The text for a group of hosts, such as "60 % used on average". */
  summarise(ordinals: readonly number[]): string
  /** The meaning of the first and the last colour. */
  readonly ends: readonly [string, string]
  /** A text about the coloured value, for the line about a host. Absent if that line contains the value anyway. */
  note?(ordinal: number): string
}

/**
 * The colours by usage, free amount, claims or age of reports. If the value has no natural maximum, the scale ends at the largest value
 * among the hosts `shown`. `nowMs` is the service's time.
 */
export function loadOf(store: FleetStore, colour: LoadColour, shown: Uint32Array, nowMs: number): MapLoad {
  const numbers = store.numbers(columns[colourFields[colour]])
  switch (colour) {
    case 'cpu':
      return usedOf(numbers, 'CPU')
    case 'mem':
      return usedOf(numbers, 'memory')
    case 'disk':
      return usedOf(numbers, 'disk')
    case 'cpu.free':
      return amountOf(numbers, shown, (amount) => `${formatCount(amount)} ${amount === 1 ? 'vCPU' : 'vCPUs'} free`)
    case 'mem.free':
      return amountOf(numbers, shown, (amount) => `${formatMib(amount)} of memory free`)
    case 'disk.free':
      return amountOf(numbers, shown, (amount) => `${formatGib(amount)} of disk free`)
    case 'claims':
      return amountOf(numbers, shown, (amount) => `${formatCount(amount)} ${amount === 1 ? 'claim' : 'claims'}`)
    case 'age':
      return ageOf(numbers, nowMs)
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

/** Colours by an amount. Amounts have no natural maximum, so the scale ends at the largest amount of the shown hosts. */
function amountOf(amounts: Float64Array, shown: Uint32Array, inWords: (amount: number) => string): MapLoad {
  // after a report with less capacity the free amount can be negative
  const amountAt = (ordinal: number): number => Math.max(0, amounts[ordinal] ?? 0)
  const most = shown.reduce((found, ordinal) => Math.max(found, amountAt(ordinal)), 0)
  return {
    of: (ordinal) => (most === 0 ? 0 : (100 * amountAt(ordinal)) / most),
    summarise: (ordinals) => `${inWords(ordinals.reduce((sum, one) => sum + amountAt(one), 0))} in total`,
    ends: ['0', most === 0 ? 'no shown host has any' : `${inWords(most)}, the largest amount of a shown host`],
  }
}

/** Colours by the age of reports, from 0 to one day on a logarithmic scale. */
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

/** The colours by a decision's verdicts on hosts. Each group of verdicts has one shade. The first group has the last shade. */
export const verdictLoad = ({ of, groups }: Verdicts): MapLoad => ({
  of: (ordinal) => positionOf(of(ordinal)) / 2.55,
  summarise(ordinals) {
    const passed = ordinals.filter((ordinal) => groups[of(ordinal)]?.hasPassed).length
    return `${formatCount(passed)} passed`
  },
  // the legend of the verdicts explains these colours
  ends: ['', ''],
})

/** The shade of a group of verdicts. */
export const positionOf = (group: number): number => Math.max(0, 255 - group)

/** A percentage as one of 256 shades. */
export const toShade = (percent: number): number => Math.max(0, Math.min(255, Math.round(percent * 2.55)))

/**
 * Hosts by zone, by aggregate or by a reported value, the fullest first in each group, with totals for its heading. A host in several
 * aggregates is in the group of each aggregate. The last group has the hosts without an aggregate, or without the value.
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

/** Sorts by shade with a stable counting sort, so that unchanged hosts of a large map do not move. */
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
