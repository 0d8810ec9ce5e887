import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { changed, type Step } from '../../../lib/browser/list-search.ts'
import type { HostColour, HostsSearch } from '../search.ts'

export const route = getRouteApi('/hosts')

/** Changes the query parameters. Typing replaces the history entry; every other change is a step that Back undoes. */
export function useGo(): (step: Step<HostsSearch>, how?: 'typing' | 'applied') => void {
  const navigate = route.useNavigate()
  return useCallback(
    (step, how = 'applied') =>
      void navigate({ search: (now) => withoutDefaults(changed(now, step)), replace: how === 'typing', resetScroll: false }),
    [navigate],
  )
}

/** The order of the list if the address sets none. */
export const usualSort = 'host'

const defaults: HostsSearch = { sort: usualSort, view: 'split', group: 'az' }

/** The colours of the map if the address sets none. */
export const usualColour = ({ decision }: HostsSearch): HostColour => (decision === undefined ? 'mem' : 'verdict')

/** Default values are omitted from the address. */
const withoutDefaults = (search: HostsSearch): HostsSearch =>
  Object.fromEntries(
    Object.entries(search).filter(
      ([name, value]) => (name === 'colour' ? usualColour(search) : defaults[name as keyof HostsSearch]) !== value,
    ),
  )
