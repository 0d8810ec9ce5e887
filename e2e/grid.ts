import { expect, type Locator, type Page } from '@playwright/test'

/**
 * A list of the console by its label. Only visible rows exist in the document. The attribute `aria-rowcount` has the count of all rows,
 * including the row of the headings.
 */
export const gridOf = (page: Page, label: string): Locator => page.getByRole('grid', { name: label })

/** The rows of a list that exist in the document, without the heading. */
export const rowsOf = (page: Page, label: string): Locator => gridOf(page, label).getByRole('rowgroup').getByRole('row')

/** The rows that contain this text. */
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

/** Asserts that the list states this count of rows in `aria-rowcount`. A list without rows must not be shown at all. */
export async function expectRowCount(page: Page, label: string, count: number, options?: { readonly timeout: number }): Promise<void> {
  if (count === 0) return expect(gridOf(page, label)).toHaveCount(0)
  await expect(gridOf(page, label)).toHaveAttribute('aria-rowcount', String(count + 1), options)
}

/** Formats a count as the console does: 12,345. */
export const inWords = (count: number): string => count.toLocaleString('en-US')

/** The first number in a text of the console, which may be formatted like 12,345. */
export const numberIn = (text: string | null): number => {
  const found = /\d[\d,]*/.exec(text ?? '')?.[0]
  if (found === undefined) throw new Error(`There is no number in ${JSON.stringify(text)}`)
  return Number(found.replaceAll(',', ''))
}
