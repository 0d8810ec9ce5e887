import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/** The query parameters that all lists have in common. */
export interface ListSearch {
  /** The filter, in the grammar of docs/query.md. */
  readonly q?: string
  /** The keys of the shown columns, separated by commas. The default is the layout that this browser stores. */
  readonly cols?: string
  /** Only for lists that can be sorted: the key of a column, with `-` in front for descending order. The default depends on the list. */
  readonly sort?: string
  /** Only for lists with a side panel: the key of the row in the panel. */
  readonly beside?: string
}

export function readListSearch({ q, cols }: Record<string, unknown>): ListSearch {
  return {
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
    ...(typeof cols === 'string' && /^[\w.,-]+$/.test(cols) ? { cols } : {}),
  }
}

/** Reads the query parameters of a list with a side panel. */
export const readPanelSearch = (params: Record<string, unknown>): ListSearch => ({
  ...readListSearch(params),
  ...(typeof params.beside === 'string' && params.beside !== '' ? { beside: params.beside } : {}),
})

/** Reads the query parameters of a list with a side panel that can be sorted by one of these columns. */
export const readSortedSearch = (params: Record<string, unknown>, keys: readonly string[]): ListSearch => ({
  ...readPanelSearch(params),
  ...(typeof params.sort === 'string' && keys.includes(params.sort.replace(/^-/, '')) ? { sort: params.sort } : {}),
})

/** Reads the query parameters of a list without a filter. */
export const readColumnsSearch = ({ cols }: Record<string, unknown>): Pick<ListSearch, 'cols'> => readListSearch({ cols })

/** Query parameters to change. Parameters that are undefined or empty are removed. */
export type Change<Search> = { readonly [Name in keyof Search]?: Search[Name] | undefined }

/**
 * A change of query parameters. If the change depends on the present parameters, it must be a function. A click can happen after the URL
 * has changed but before the page is rendered again. A change based on the rendered page would then undo the earlier change.
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

/**
 * Changes the query parameters. While the operator types, the history entry is replaced. Every other change adds an entry, so that Back
 * undoes it.
 */
export function useListGo(): (step: Step<ListSearch>, how?: 'typing' | 'applied') => void {
  const navigate = useNavigate()
  return useCallback(
    (step, how = 'applied') =>
      void navigate({ to: '.', search: (now) => changed(now, step), replace: how === 'typing', resetScroll: false }),
    [navigate],
  )
}

/**
 * Returns a function that reads the present query parameters from the URL. They can be newer than the parameters with which the page was
 * rendered.
 */
export function useListSearchNow(): () => ListSearch {
  const router = useRouter()
  return useCallback(() => router.latestLocation.search, [router])
}
