import type { Client } from '@gantt/client'
import type { Page } from '../fixtures.ts'
import { gridOf } from '../grid.ts'

export const live = (page: Page) => page.locator('[data-live=live]')
export const found = (page: Page) => page.getByRole('main').locator('[data-count]')
export const filterOf = (page: Page) => page.getByRole('combobox', { name: 'Filter hosts' })

export async function namesOf(client: Client, query: string): Promise<string[]> {
  const { hosts } = await client.request<{ hosts: { totalCount: number; nodes: { name: string }[] } }>(
    'query Names($query: String!) { hosts(first: 500, query: $query, orderBy: [{ field: NAME }]) { totalCount nodes { name } } }',
    { query },
  )
  return hosts.nodes.map(({ name }) => name)
}

/** At least this many rows of a list are rendered, if the list is long enough. */
export const IN_SIGHT = 14

/** The hosts that match a query and have the most free memory. */
export async function withMostMemory(client: Client, query: string): Promise<readonly string[]> {
  const { hosts } = await client.request<{ hosts: { nodes: { name: string; capacity: { resourceClass: string; free: number }[] }[] } }>(
    'query MemoryFree($query: String) { hosts(first: 100, query: $query) { nodes { name capacity { resourceClass free } } } }',
    { query },
  )
  const free = hosts.nodes.map(({ name, capacity }) => ({
    name,
    mib: capacity.find(({ resourceClass }) => resourceClass === 'MEMORY_MB')?.free ?? 0,
  }))
  const most = Math.max(...free.map(({ mib }) => mib))
  return free.filter(({ mib }) => mib === most).map(({ name }) => name)
}

export const headsOf = (page: Page) =>
  gridOf(page, 'Hosts')
    .getByRole('columnheader')
    .evaluateAll((heads) => heads.map((head) => head.textContent?.replace(/[^A-Za-z, ]/g, '').trim()))
