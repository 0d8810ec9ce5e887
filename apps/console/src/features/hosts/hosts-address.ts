import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { type Change, changed } from '../../lib/list-search.ts'
import type { HostColour, HostsSearch } from './search.ts'

export const route = getRouteApi('/hosts')

/** Changes what the address says. Typing replaces it, everything else is a step that Back undoes. */
export function useGo(): (change: SearchChange, how?: 'typing' | 'applied') => void {
  const navigate = route.useNavigate()
  return useCallback(
    (change, how = 'applied') =>
      void navigate({ search: (before) => withoutDefaults(changed(before, change)), replace: how === 'typing', resetScroll: false }),
    [navigate],
  )
}

type SearchChange = Change<HostsSearch>

const defaults: HostsSearch = { sort: 'host', view: 'split', group: 'az' }

/** What the map is coloured by, where the address says nothing. */
export const usualColour = ({ decision }: HostsSearch): HostColour => (decision === undefined ? 'mem' : 'verdict')

/** What is as it is without being said is left out of the address. */
const withoutDefaults = (search: HostsSearch): HostsSearch =>
  Object.fromEntries(
    Object.entries(search).filter(
      ([name, value]) => (name === 'colour' ? usualColour(search) : defaults[name as keyof HostsSearch]) !== value,
    ),
  )
