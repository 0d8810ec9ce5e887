import { createKept, type Kept } from '../../lib/browser/kept.ts'

/** A saved view of a list: a name, and the query parameters of the list. */
export interface View {
  readonly name: string
  readonly search: ViewSearch
}

/** The query parameters that belong to a view. The moment and the row in the side panel do not belong to a view. */
const PARTS = ['q', 'cols', 'sort', 'group', 'view', 'colour'] as const

export type ViewSearch = { readonly [Part in (typeof PARTS)[number]]?: string }

export const MAX_VIEWS = 50
export const LONGEST_NAME = 60

/** The query parameters that belong to a view. */
export const viewOf = (search: Readonly<Record<string, unknown>>): ViewSearch =>
  Object.fromEntries(PARTS.flatMap((part) => (isText(search[part]) ? [[part, search[part]]] : [])))

/** The query parameters that open a view. Parameters that the view does not have are undefined, so that they are removed from the URL. */
export const opening = (view: ViewSearch): { readonly [Part in keyof ViewSearch]-?: string | undefined } =>
  ({ ...Object.fromEntries(PARTS.map((part) => [part, undefined])), ...view }) as ReturnType<typeof opening>

export const isSame = (one: ViewSearch, other: ViewSearch): boolean => PARTS.every((part) => one[part] === other[part])

/** Parses stored views and sorts them by name. Invalid views are omitted. */
export function readViews(kept: unknown): readonly View[] {
  if (!Array.isArray(kept)) return []
  const views = kept.flatMap((one: unknown): View[] => {
    if (!isRecord(one) || !isText(one.name) || one.name.length > LONGEST_NAME || !isRecord(one.search)) return []
    return [{ name: one.name, search: viewOf(one.search) }]
  })
  return byName(views.filter(({ name }, i) => views.findIndex((one) => one.name === name) === i)).slice(0, MAX_VIEWS)
}

/** Adds a saved view. If a view with the same name exists, the new view replaces it. */
export const withView = (views: readonly View[], view: View): readonly View[] => byName([...withoutView(views, view.name), view])

export const withoutView = (views: readonly View[], name: string): readonly View[] => views.filter((one) => one.name !== name)

/** Renames a saved view. Returns the list unchanged if the new name is in use or the view does not exist. */
export function renamed(views: readonly View[], from: string, to: string): readonly View[] {
  const view = views.find(({ name }) => name === from)
  if (view === undefined || to === '' || views.some(({ name }) => name === to)) return views
  return withView(withoutView(views, from), { ...view, name: to })
}

const byName = (views: readonly View[]): View[] => [...views].sort((a, b) => a.name.localeCompare(b.name, 'en'))

const known = new Map<string, Kept<readonly View[]>>()

/** The views of a list that this browser stores. */
export function viewsOf(list: string): Kept<readonly View[]> {
  const found = known.get(list) ?? createKept(`views.${list}`, readViews)
  known.set(list, found)
  return found
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
