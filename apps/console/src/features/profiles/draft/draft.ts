/** A filter or weigher in a draft, with numbers and options as typed texts. */
export interface DraftPart {
  /** The name of the filter or weigher. A second entry with the same name has the id `name (2)`. */
  readonly id: string
  readonly name: string
  /** If false, the filter or weigher is omitted from the version, but keeps its position in the draft. */
  readonly enabled: boolean
  /** True if a filter is in shadow mode. Always false for a weigher. */
  readonly shadow: boolean
  /** The multiplier of a weigher as typed text. Empty for a filter. */
  readonly multiplier: string
  /** The options as the text of a JSON object. Empty if there are none. */
  readonly options: string
}

/** The settings of a whole profile. */
export interface DraftSettings {
  readonly note: string
  readonly hostSubsetSize: string
  readonly normalisation: string
  readonly tieOrder: string
  /** The scheduler's name, as in `profileParts`. */
  readonly scheduler: string
  /** Assignment rules, limits of the solver, settings of Nova, and collected kinds: an object as JSON. Empty for none. */
  readonly further: string
}

export interface Document {
  readonly filters: readonly DraftPart[]
  readonly weighers: readonly DraftPart[]
  readonly settings: DraftSettings
}

/** A draft of the next version of a profile. */
export interface ProfileDraft {
  /** The number of the version that the draft was made from. */
  readonly from: number
  /** The number of the latest version when the draft was begun. If it is no longer the latest, another operator has written a version. */
  readonly latest: number
  readonly compat: string | null
  /** The version that the draft was made from. */
  readonly base: Document
  readonly own: Document
}

export type PartList = 'filters' | 'weighers'

/** The fields of a version that a draft copies, in the form of the API. */
export interface VersionParts {
  readonly number: number
  readonly note: string | null
  readonly hostSubsetSize: number
  readonly normalisation: string
  readonly tieOrder: string
  readonly schedulerName: string
  readonly compat: string | null
  readonly filters: readonly { readonly name: string; readonly shadow: boolean; readonly options: unknown }[]
  readonly weighers: readonly { readonly name: string; readonly multiplier: number; readonly options: unknown }[]
  readonly assignment: unknown
  readonly solver: unknown
  readonly nova: unknown
  readonly collects: unknown
}

/** The fields that `further` may contain. */
export const furtherNames = ['assignment', 'solver', 'nova', 'collects'] as const

export function beginDraft(version: VersionParts, latest: number): ProfileDraft {
  const base = documentOf(version)
  // A note describes only its own version, so the draft begins with an empty note.
  const own = { ...base, settings: { ...base.settings, note: '' } }
  return { from: version.number, latest, compat: version.compat, base, own }
}

export function documentOf({ filters, weighers, ...version }: VersionParts): Document {
  const further = Object.fromEntries(furtherNames.flatMap((name) => (isNothing(version[name]) ? [] : [[name, version[name]]])))
  return {
    filters: withIds(filters.map((filter) => ({ ...filter, multiplier: '' }))),
    weighers: withIds(weighers.map((weigher) => ({ ...weigher, shadow: false, multiplier: String(weigher.multiplier) }))),
    settings: {
      note: version.note ?? '',
      hostSubsetSize: String(version.hostSubsetSize),
      normalisation: version.normalisation,
      tieOrder: version.tieOrder,
      scheduler: version.schedulerName,
      further: jsonText(further),
    },
  }
}

type ReportedPart = Pick<DraftPart, 'name' | 'shadow' | 'multiplier'> & { readonly options: unknown }

function withIds(parts: readonly ReportedPart[]): DraftPart[] {
  const made: DraftPart[] = []
  for (const { name, shadow, multiplier, options } of parts)
    made.push({ id: freeId(made, name), name, enabled: true, shadow, multiplier, options: jsonText(options) })
  return made
}

function freeId(parts: readonly DraftPart[], name: string): string {
  const taken = new Set(parts.map(({ id }) => id))
  let id = name
  for (let i = 2; taken.has(id); i++) id = `${name} (${i})`
  return id
}

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0)

const jsonText = (value: unknown): string => (isNothing(value) ? '' : JSON.stringify(value, null, 2))

/** Moves a filter or weigher to another index. An index beyond the ends of the list is clamped. */
export function moved(parts: readonly DraftPart[], id: string, to: number): readonly DraftPart[] {
  const part = parts.find((one) => one.id === id)
  if (part === undefined) return parts
  const rest = parts.filter((one) => one !== part)
  const index = Math.max(0, Math.min(rest.length, to))
  return [...rest.slice(0, index), part, ...rest.slice(index)]
}

export const changed = (parts: readonly DraftPart[], id: string, change: Partial<DraftPart>): readonly DraftPart[] =>
  parts.map((part) => (part.id === id ? { ...part, ...change } : part))

/** Appends a filter or weigher. A weigher gets the multiplier 1. */
export const added = (parts: readonly DraftPart[], name: string, list: PartList): readonly DraftPart[] => [
  ...parts,
  { id: freeId(parts, name), name, enabled: true, shadow: false, multiplier: list === 'weighers' ? '1' : '', options: '' },
]

/** Parses a stored draft. Undefined if the text is not a draft. */
export function readProfileDraft(text: string | null): ProfileDraft | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return isDraft(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isDraft(value: unknown): value is ProfileDraft {
  if (typeof value !== 'object' || value === null) return false
  const { from, latest, base, own } = value as Partial<ProfileDraft>
  return typeof from === 'number' && typeof latest === 'number' && [base, own].every(isDocument)
}

const isDocument = (value: Partial<Document> | undefined): boolean =>
  Array.isArray(value?.filters) && Array.isArray(value.weighers) && typeof value.settings?.note === 'string'
