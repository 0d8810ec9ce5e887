import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/** What the address of a list may say behind the question mark, whatever it lists. */
export interface ListSearch {
  /** The filter, in the grammar of docs/query.md. */
  readonly q?: string
  /** Keys of the columns that are shown, with commas between; if not given, as was chosen for this browser. */
  readonly cols?: string
  /** Of a list with several orders: the key of a column, with `-` in front for the largest first; if not given, its usual one. */
  readonly sort?: string
  /** Of a list that shows a row next to it: what names the row. */
  readonly beside?: string
}

export function readListSearch({ q, cols }: Record<string, unknown>): ListSearch {
  return {
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
    ...(typeof cols === 'string' && /^[\w.,-]+$/.test(cols) ? { cols } : {}),
  }
}

/** Of a list that shows a row next to it. */
export const readPanelSearch = (said: Record<string, unknown>): ListSearch => ({
  ...readListSearch(said),
  ...(typeof said.beside === 'string' && said.beside !== '' ? { beside: said.beside } : {}),
})

/** Of one that has several orders as well, one of these columns at a time. */
export const readSortedSearch = (said: Record<string, unknown>, keys: readonly string[]): ListSearch => ({
  ...readPanelSearch(said),
  ...(typeof said.sort === 'string' && keys.includes(said.sort.replace(/^-/, '')) ? { sort: said.sort } : {}),
})

/** Of a list without a filter. */
export const readColumnsSearch = ({ cols }: Record<string, unknown>): Pick<ListSearch, 'cols'> => readListSearch({ cols })

/** Some of what an address says, to be changed; undefined or empty: left out from then on. */
export type Change<Search> = { readonly [Name in keyof Search]?: Search[Name] | undefined }

/**
 * A change that depends on what the address says is a function of it. The page is drawn some time after the address has changed, so a second
 * press in that time would undo the first if it were worked out from what is drawn.
 */
export type Step<Search> = Change<Search> | ((now: Search) => Change<Search>)

export const changed = <Search extends object>(now: Search, step: Step<Search>): Search => {
  const change = typeof step === 'function' ? step(now) : step
  return Object.fromEntries(Object.entries({ ...now, ...change }).filter(([, value]) => value !== undefined && value !== '')) as Search
}

/** What the address says of the list of the page. */
export const useListSearch = (): ListSearch =>
  useSearch({
    strict: false,
    select: ({ q, cols, sort, beside }: ListSearch) => ({ q, cols, sort, beside }),
    structuralSharing: true,
  }) as ListSearch

/** Changes what the address says. Typing replaces it, everything else is a step that Back undoes. */
export function useListGo(): (step: Step<ListSearch>, how?: 'typing' | 'applied') => void {
  const navigate = useNavigate()
  return useCallback(
    (step, how = 'applied') =>
      void navigate({ to: '.', search: (now) => changed(now, step), replace: how === 'typing', resetScroll: false }),
    [navigate],
  )
}

/** What the address says at the moment of the call, which the page may not show yet. */
export function useListSearchNow(): () => ListSearch {
  const router = useRouter()
  return useCallback(() => router.latestLocation.search, [router])
}
