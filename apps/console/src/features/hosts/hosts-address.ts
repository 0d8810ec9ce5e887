import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { changed, type Step } from '../../lib/list-search.ts'
import type { HostColour, HostsSearch } from './search.ts'

export const route = getRouteApi('/hosts')

/** Changes what the address says. Typing replaces it, everything else is a step that Back undoes. */
export function useGo(): (step: Step<HostsSearch>, how?: 'typing' | 'applied') => void {
  const navigate = route.useNavigate()
  return useCallback(
    (step, how = 'applied') =>
      void navigate({ search: (now) => withoutDefaults(changed(now, step)), replace: how === 'typing', resetScroll: false }),
    [navigate],
  )
}

/** How the list is ordered, where the address says nothing. */
export const usualSort = 'host'

const defaults: HostsSearch = { sort: usualSort, view: 'split', group: 'az' }

/** What the map is coloured by, where the address says nothing. */
export const usualColour = ({ decision }: HostsSearch): HostColour => (decision === undefined ? 'mem' : 'verdict')

/** What is as it is without being said is left out of the address. */
const withoutDefaults = (search: HostsSearch): HostsSearch =>
  Object.fromEntries(
    Object.entries(search).filter(
      ([name, value]) => (name === 'colour' ? usualColour(search) : defaults[name as keyof HostsSearch]) !== value,
    ),
  )
