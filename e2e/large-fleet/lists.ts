import type { Client } from '@gantt/client'
import { expect, type Page } from '../fixtures.ts'
import { expectRowCount, gridOf, rowsOf } from '../grid.ts'
import { hostsWhere, isInQuarter } from './large-fleet.ts'

/** The document must have fewer rows of any list than this. */
const MAX_ROWS = 100
export const QUARTER = hostsWhere(isInQuarter)

export const found = (page: Page) => page.getByRole('main').locator('[data-count]').first()

/** The total count of a list according to the API. `list` is `hosts`, `decisions`, `claims`, `auditLog` or `aggregates`. */
export async function countOf(client: Client, list: string, query = ''): Promise<number> {
  const { counted } = await client.request<{ counted: { totalCount: number } }>(
    `query Count($query: String) { counted: ${list}(first: 1, query: $query) { totalCount } }`,
    { query },
  )
  return counted.totalCount
}

/**
 * Asserts that a list has this many rows but renders only the visible ones, that End reaches the last row, and that Home reaches the first.
 */
export async function expectVirtual(page: Page, label: string, count: number): Promise<void> {
  await expectRowCount(page, label, count)
  const grid = gridOf(page, label)
  await grid.focus()
  await page.keyboard.press('End')
  await expect(rowsOf(page, label).last()).toHaveAttribute('aria-rowindex', String(count + 1))
  expect(await rowsOf(page, label).count(), `rows of ${label} that exist`).toBeLessThan(MAX_ROWS)
  await page.keyboard.press('Home')
  await expect(rowsOf(page, label).first()).toHaveAttribute('aria-rowindex', '2')
}

/** Scrolls through a list that loads further rows while scrolling. Asserts that the list then has this many rows. */
export async function expectLoaded(page: Page, label: string, count: number): Promise<void> {
  await expect(found(page)).toHaveAttribute('data-count', String(count))
  const grid = gridOf(page, label)
  await grid.focus()
  await expect
    .poll(async () => {
      await grid.press('End')
      return rowsOf(page, label).last().getAttribute('aria-rowindex')
    })
    .toBe(String(count + 1))
  await expectRowCount(page, label, count)
  expect(await rowsOf(page, label).count(), `rows of ${label} that exist`).toBeLessThan(MAX_ROWS)
}

/** The free memory of the named hosts in MiB, in the order of the names; -1 for a host that the API does not list. */
export async function memoryFreeOf(client: Client, names: readonly string[]): Promise<number[]> {
  const { hosts } = await client.request<{
    hosts: { nodes: readonly { name: string; capacity: readonly { resourceClass: string; free: number }[] }[] }
  }>('query Free($query: String!) { hosts(first: 500, query: $query) { nodes { name capacity { resourceClass free } } } }', {
    query: `host:${names.join(',')}`,
  })
  const free = new Map(
    hosts.nodes.map(({ name, capacity }) => [name, capacity.find(({ resourceClass }) => resourceClass === 'MEMORY_MB')?.free]),
  )
  return names.map((name) => free.get(name) ?? -1)
}

/** True if there are at least two amounts, none of them is -1 (unknown), and they are in descending order. */
export const isByMemory = (amounts: readonly number[]): boolean =>
  amounts.length > 1 && amounts.every((amount, i) => amount >= 0 && amount <= (amounts[i - 1] ?? amount))
