import { formatNumber, formatSigned } from '../../../lib/format.ts'
import type { Document, DraftPart, DraftSettings, PartList } from './draft.ts'
import { readNumber, readObject } from './draft-input.ts'

/** One difference between two documents. A side is null if its document does not have the value. */
export interface Difference {
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

/**
 * The changes of a draft: added, removed and moved filters and weighers, then their fields, then the settings. A new note is not a change.
 */
export function differences(before: Document, after: Document): Difference[] {
  return [
    ...partDifferences('filters', before.filters, after.filters),
    ...partDifferences('weighers', before.weighers, after.weighers),
    ...settingNames.flatMap((field) => {
      const [was, is] = [settingText(before.settings, field), settingText(after.settings, field)]
      return was === is ? [] : [{ field, before: was || null, after: is || null }]
    }),
  ]
}

const settingNames = [
  'scheduler',
  'hostSubsetSize',
  'normalisation',
  'tieOrder',
  'further',
] as const satisfies readonly (keyof DraftSettings)[]

const settingText = (settings: DraftSettings, field: (typeof settingNames)[number]): string =>
  field === 'further' ? compact(settings.further) : settings[field].trim()

function partDifferences(list: PartList, before: readonly DraftPart[], after: readonly DraftPart[]): Difference[] {
  const were = before.filter(({ enabled }) => enabled)
  const are = after.filter(({ enabled }) => enabled)
  const position = (parts: readonly DraftPart[], id: string): number => parts.findIndex((part) => part.id === id) + 1
  const moves = movedIds(were, are)
  const gone = were
    .filter(({ id }) => position(are, id) === 0)
    .map(({ id }) => ({ field: `${list}.${id}`, before: `position ${position(were, id)}`, after: null }))
  const rest = are.flatMap((part): Difference[] => {
    const { id } = part
    const was = were.find((one) => one.id === id)
    const field = `${list}.${id}`
    if (was === undefined) return [{ field, before: null, after: [`position ${position(are, id)}`, ...saidOf(part)].join(', ') }]
    const members = (['shadow', 'multiplier', 'options'] as const).flatMap((member) => {
      const [a, b] = [memberText(was, member), memberText(part, member)]
      return a === b ? [] : [{ field: `${field}.${member}`, before: a || null, after: b || null }]
    })
    const move = moves.has(id) ? [{ field, before: `position ${position(were, id)}`, after: `position ${position(are, id)}` }] : []
    return [...move, ...members]
  })
  return [...gone, ...rest]
}

const saidOf = (part: DraftPart): string[] =>
  [part.multiplier === '' ? '' : `× ${memberText(part, 'multiplier')}`, part.shadow ? 'shadow' : '', compact(part.options)].filter(
    (text) => text !== '',
  )

function memberText(part: DraftPart, member: 'shadow' | 'multiplier' | 'options'): string {
  if (member === 'shadow') return part.shadow ? 'refuses no host' : 'refuses'
  if (member === 'options') return compact(part.options)
  return signed(part.multiplier)
}

/** A multiplier with its sign. */
export function signed(text: string): string {
  const value = readNumber(text)
  return value === undefined ? text : formatSigned(value, formatNumber)
}

/** The text of a JSON object without insignificant spaces. Empty for an object without members. Other texts are only trimmed. */
function compact(text: string): string {
  const value = readObject(text)
  if (value === undefined) return text.trim()
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value)
}

/** The ids of the moved filters or weighers: the smallest set whose moves explain the new order. */
export function movedIds(before: readonly DraftPart[], after: readonly DraftPart[]): ReadonlySet<string> {
  const common = after.map(({ id }) => id).filter((id) => before.some((part) => part.id === id))
  const indexes = common.map((id) => before.findIndex((part) => part.id === id))
  // the longest increasing subsequence of indexes that ends at each item
  const runs = indexes.map((): number[] => [])
  for (const [i, own] of indexes.entries()) {
    const best = runs.slice(0, i).reduce<number[]>((most, run, j) => ((indexes[j] ?? 0) < own && run.length > most.length ? run : most), [])
    runs[i] = [...best, i]
  }
  const kept = new Set(runs.reduce((most, run) => (run.length > most.length ? run : most), []))
  return new Set(common.filter((_id, i) => !kept.has(i)))
}
