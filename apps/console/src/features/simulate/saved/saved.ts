import { createKept } from '../../../lib/browser/kept.ts'
import { formatMib } from '../../../lib/format.ts'
import { scenariosOf, searchOf } from '../address.ts'
import { fieldsOf, isRecord, type Scenario } from '../scenario.ts'
import { toName } from '../scenarios.ts'
import { readSimulateSearch, type SimulateSearch } from '../search.ts'

/** A set of scenarios, saved under a name in this browser. */
export interface SavedView {
  readonly name: string
  /** The query parameters of the saved scenarios. */
  readonly search: SimulateSearch
}

export const MAX_SAVED = 50
/** Saved scenarios have at most this many characters, because they must fit into a URL. */
export const MAX_SAVED_CHARACTERS = 30_000

/** The scenarios that this browser stores, by name. To share scenarios, operators send links. */
export const savedViews = createKept('scenarios', readSaved)

/** Parses a stored value. Invalid parts are dropped. */
export function readSaved(kept: unknown): readonly SavedView[] {
  const found = new Map<string, SavedView>()
  for (const view of Array.isArray(kept) ? kept : []) {
    if (!isRecord(view) || typeof view.name !== 'string' || toName(view.name) !== view.name || !isRecord(view.search)) continue
    const search = readSimulateSearch(view.search)
    if (sizeOf(search) > MAX_SAVED_CHARACTERS || scenariosOf(search, undefined).scenarios.length === 0) continue
    if (!found.has(view.name) && found.size < MAX_SAVED) found.set(view.name, { name: view.name, search })
  }
  return inOrder([...found.values()])
}

/** Saves scenarios under a name, and replaces earlier scenarios with this name. If they cannot be saved, returns the reason. */
export function withSaved(
  views: readonly SavedView[],
  name: string,
  scenarios: readonly Scenario[],
): { readonly views: readonly SavedView[] } | { readonly problem: string } {
  const called = toName(name)
  if (called === undefined) return { problem: 'A name is needed.' }
  const others = withoutSaved(views, called)
  if (others.length >= MAX_SAVED) return { problem: `${MAX_SAVED} are saved already. Delete one first.` }
  const { at, ...search } = searchOf(scenarios)
  const kept = at === undefined ? search : { ...search, at }
  const size = sizeOf(kept)
  if (size > MAX_SAVED_CHARACTERS)
    return { problem: `The scenarios have ${size} characters; at most ${MAX_SAVED_CHARACTERS} can be saved.` }
  return { views: inOrder([...others, { name: called, search: kept }]) }
}

export const withoutSaved = (views: readonly SavedView[], name: string): readonly SavedView[] => views.filter((view) => view.name !== name)

/** Renames saved scenarios. If they cannot be renamed, returns the reason. */
export function withRenamed(
  views: readonly SavedView[],
  from: string,
  to: string,
): { readonly views: readonly SavedView[] } | { readonly problem: string } {
  const name = toName(to)
  if (name === undefined) return { problem: 'A name is needed.' }
  if (name !== from && views.some((view) => view.name === name)) return { problem: `The name ${name} is already used.` }
  return { views: inOrder(views.map((view) => (view.name === from ? { ...view, name } : view))) }
}

/** A short description of a saved set. */
export function aboutOf({ search }: SavedView): string {
  const { scenarios } = scenariosOf(search, undefined)
  const [first] = scenarios
  if (first === undefined) return ''
  const { flavor, vcpus, memoryMb } = fieldsOf(first.request)
  const asked = `${first.count} × ${flavor === '' ? `${vcpus} vCPU / ${formatMib(Number(memoryMb))}` : flavor}`
  return scenarios.length === 1 ? asked : `${scenarios.length} scenarios, the first ${asked}`
}

/** The length of the query string in characters. */
export const sizeOf = (search: SimulateSearch): number => new URLSearchParams(Object.entries(search).filter(isSaid)).toString().length

const isSaid = (entry: [string, string | undefined]): entry is [string, string] => entry[1] !== undefined

const inOrder = (views: readonly SavedView[]): readonly SavedView[] => [...views].sort((a, b) => a.name.localeCompare(b.name))
