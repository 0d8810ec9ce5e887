import { expect, type Locator, type Page } from '@playwright/test'

/** A list of the console by its label. Only visible rows exist in the document. The attribute `aria-rowcount` has the count of all rows. */
export const gridOf = (page: Page, label: string): Locator => page.getByRole('grid', { name: label })

/** The rows of a list that exist in the document, without the heading. */
export const rowsOf = (page: Page, label: string): Locator => gridOf(page, label).getByRole('rowgroup').getByRole('row')

/** The row that contains this text. */
export const rowWith = (page: Page, label: string, text: string): Locator => rowsOf(page, label).filter({ hasText: text })

/** The texts of the first cells of the rows, from top to bottom. */
export async function firstCells(page: Page, label: string): Promise<string[]> {
  const rows = await rowsOf(page, label).evaluateAll((all) =>
    all.map((row) => ({
      at: Number(row.getAttribute('aria-rowindex')),
      text: row.querySelector('[role=gridcell]:not(.g-table-choice)')?.textContent?.trim() ?? '',
    })),
  )
  return rows.sort((a, b) => a.at - b.at).map(({ text }) => text)
}

/** Asserts that the list has this many rows by its own count, and that the rows that fit into its height exist. */
export async function expectRowCount(page: Page, label: string, count: number, options?: { readonly timeout: number }): Promise<void> {
  if (count === 0) return expect(gridOf(page, label)).toHaveCount(0)
  await expect(gridOf(page, label)).toHaveAttribute('aria-rowcount', String(count + 1), options)
}

/** Formats a count as the console does: 12,345. */
export const inWords = (count: number): string => count.toLocaleString('en-US')

/** Parses a count that the console has formatted. */
export const numberIn = (text: string | null): number => {
  const found = /\d[\d,]*/.exec(text ?? '')?.[0]
  if (found === undefined) throw new Error(`There is no number in ${JSON.stringify(text)}`)
  return Number(found.replaceAll(',', ''))
}
