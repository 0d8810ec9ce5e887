import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { changed, type Step } from '../../../lib/browser/list-search.ts'
import type { HostColour, HostsSearch } from '../search.ts'

export const route = getRouteApi('/hosts')

/**
 * Changes the query parameters. While the operator types, the history entry is replaced. Every other change adds an entry, so that Back
 * undoes it.
 */
export function useGo(): (step: Step<HostsSearch>, how?: 'typing' | 'applied') => void {
  const navigate = route.useNavigate()
  return useCallback(
    (step, how = 'applied') =>
      void navigate({ search: (now) => withoutDefaults(changed(now, step)), replace: how === 'typing', resetScroll: false }),
    [navigate],
  )
}

/** The order of the list if the URL has none. */
export const usualSort = 'host'

const defaults: HostsSearch = { sort: usualSort, view: 'split', group: 'az' }

/** The colours of the map if the URL has none. */
export const usualColour = ({ decision }: HostsSearch): HostColour => (decision === undefined ? 'mem' : 'verdict')

/** Removes default values, so that they are not in the URL. */
const withoutDefaults = (search: HostsSearch): HostsSearch =>
  Object.fromEntries(
    Object.entries(search).filter(
      ([name, value]) => (name === 'colour' ? usualColour(search) : defaults[name as keyof HostsSearch]) !== value,
    ),
  )
