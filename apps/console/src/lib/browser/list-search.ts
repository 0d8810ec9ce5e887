import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/** The query parameters of any list's address. */
export interface ListSearch {
  /** The filter, in the grammar of docs/query.md. */
  readonly q?: string
  /** The keys of the shown columns, separated by commas; by default those stored in this browser. */
  readonly cols?: string
  /** For a list with several orders: the key of a column, with `-` in front for descending order; by default the list's own. */
  readonly sort?: string
  /** For a list with a side panel: the key of the row. */
  readonly beside?: string
}

export function readListSearch({ q, cols }: Record<string, unknown>): ListSearch {
  return {
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
    ...(typeof cols === 'string' && /^[\w.,-]+$/.test(cols) ? { cols } : {}),
  }
}

/** Reads the query parameters of a list with a side panel. */
export const readPanelSearch = (said: Record<string, unknown>): ListSearch => ({
  ...readListSearch(said),
  ...(typeof said.beside === 'string' && said.beside !== '' ? { beside: said.beside } : {}),
})

/** Reads the query parameters of a list with a side panel that can be sorted by one of these columns. */
export const readSortedSearch = (said: Record<string, unknown>, keys: readonly string[]): ListSearch => ({
  ...readPanelSearch(said),
  ...(typeof said.sort === 'string' && keys.includes(said.sort.replace(/^-/, '')) ? { sort: said.sort } : {}),
})

/** Reads the query parameters of a list without a filter. */
export const readColumnsSearch = ({ cols }: Record<string, unknown>): Pick<ListSearch, 'cols'> => readListSearch({ cols })

/** Query parameters to change; undefined or empty ones are removed. */
export type Change<Search> = { readonly [Name in keyof Search]?: Search[Name] | undefined }

/**
 * A change that depends on the query parameters is a function of them. The page is rendered some time after the address has changed. If a
 * second click in that time were based on the rendered page, it would undo the first click.
 */
export type Step<Search> = Change<Search> | ((now: Search) => Change<Search>)

export const changed = <Search extends object>(now: Search, step: Step<Search>): Search => {
  const change = typeof step === 'function' ? step(now) : step
  return Object.fromEntries(Object.entries({ ...now, ...change }).filter(([, value]) => value !== undefined && value !== '')) as Search
}

/** The query parameters of the page's list. */
export const useListSearch = (): ListSearch =>
  useSearch({
    strict: false,
    select: ({ q, cols, sort, beside }: ListSearch) => ({ q, cols, sort, beside }),
    structuralSharing: true,
  }) as ListSearch

/** Changes the query parameters. Typing replaces the history entry; every other change is a step that Back undoes. */
export function useListGo(): (step: Step<ListSearch>, how?: 'typing' | 'applied') => void {
  const navigate = useNavigate()
  return useCallback(
    (step, how = 'applied') =>
      void navigate({ to: '.', search: (now) => changed(now, step), replace: how === 'typing', resetScroll: false }),
    [navigate],
  )
}

/** The query parameters at the moment of the call, which the page may not show yet. */
export function useListSearchNow(): () => ListSearch {
  const router = useRouter()
  return useCallback(() => router.latestLocation.search, [router])
}
