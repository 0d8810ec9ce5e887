import { type Document, type DraftPart, type DraftSettings, furtherNames, type PartList, type ProfileDraft } from './draft.ts'

/** An invalid or refused value, with the name of its field: `note`, or `weighers.RAMWeigher.multiplier`. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** The next version in the API's form. */
export interface VersionInput {
  readonly note: string
  readonly filters: readonly { readonly name: string; readonly shadow?: true; readonly options?: unknown }[]
  readonly weighers: readonly { readonly name: string; readonly multiplier: number; readonly options?: unknown }[]
  readonly [setting: string]: unknown
}

export interface Read {
  readonly input: VersionInput
  /** The reasons why the draft cannot be sent. Empty if it can be sent. */
  readonly problems: readonly FieldProblem[]
}

/** Converts a draft to the input of the API. Disabled filters and weighers are omitted. */
export function readInput({ own: { filters, weighers, settings }, compat }: ProfileDraft): Read {
  const problems: FieldProblem[] = []
  const object = (field: string, text: string): Readonly<Record<string, unknown>> => {
    const value = readObject(text)
    if (value === undefined) problems.push({ field, message: 'not a JSON object' })
    return value ?? {}
  }
  const number = (field: string, text: string): number => {
    const value = readNumber(text)
    if (value === undefined) problems.push({ field, message: 'not a number' })
    return value ?? 0
  }
  const whole = (field: string, text: string): number => {
    const value = readNumber(text)
    if (!Number.isInteger(value)) problems.push({ field, message: 'not a whole number' })
    return value ?? 0
  }
  const optionsOf = (list: PartList, { id, options }: DraftPart) => {
    const value = object(fieldOf(list, id, 'options'), options)
    return Object.keys(value).length === 0 ? {} : { options: value }
  }
  const further = object('further', settings.further)
  const unknown = Object.keys(further).filter((name) => !furtherNames.some((known) => known === name))
  if (unknown.length > 0)
    problems.push({ field: 'further', message: `unknown: ${unknown.join(', ')}; the possible settings are ${furtherNames.join(', ')}` })
  if (settings.note.trim() === '') problems.push({ field: 'note', message: 'required: the purpose of the version' })
  const input = {
    note: settings.note.trim(),
    filters: filters
      .filter(({ enabled }) => enabled)
      .map((part) => ({ name: part.name, ...(part.shadow ? { shadow: true as const } : {}), ...optionsOf('filters', part) })),
    weighers: weighers
      .filter(({ enabled }) => enabled)
      .map((part) => ({
        name: part.name,
        multiplier: number(fieldOf('weighers', part.id, 'multiplier'), part.multiplier),
        ...optionsOf('weighers', part),
      })),
    hostSubsetSize: whole('hostSubsetSize', settings.hostSubsetSize),
    normalisation: settings.normalisation,
    tieOrder: settings.tieOrder,
    ...(compat === null ? {} : { compat }),
    ...further,
  }
  return { input, problems }
}

/**
 * Converts a scheduler's name to the input of the API. In the API, the schedulers of the release are values of an enum. Any other name
 * belongs to a plug-in.
 */
export const schedulerInput = ({ scheduler }: DraftSettings): Readonly<Record<string, string>> =>
  ['filter', 'chance', 'solver'].includes(scheduler) ? { scheduler: scheduler.toUpperCase() } : { schedulerName: scheduler }

export const fieldOf = (list: PartList, id: string, field: string): string => `${list}.${id}.${field}`

/** Parses a typed number. Undefined if the text is not a number. */
export function readNumber(text: string): number | undefined {
  const value = Number(text.trim().replace('−', '-'))
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value
}

/** Parses a JSON object. Undefined if the text is not a JSON object. */
export function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

interface Issue {
  readonly path: readonly string[]
  readonly message: string
}

/**
 * Converts the problems that the service reports to problems of the draft's fields. The paths in the service's problems refer to the sent
 * input.
 */
export function problemsOf(issues: readonly Issue[], { filters, weighers }: Document): FieldProblem[] {
  const sent = { filters: filters.filter(({ enabled }) => enabled), weighers: weighers.filter(({ enabled }) => enabled) }
  return issues.map(({ path: [, field = '', place = '', member = 'name'], message }) => {
    if (field !== 'filters' && field !== 'weighers')
      return { field: furtherNames.some((name) => name === field) ? 'further' : field, message }
    const part = place === '' ? undefined : sent[field][Number(place)]
    return { field: part === undefined ? field : fieldOf(field, part.id, member), message }
  })
}
