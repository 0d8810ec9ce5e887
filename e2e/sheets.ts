import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'

/** Saves all rows of the list on the page as a CSV file. Returns them as objects with the column names as keys. */
export async function savedRows(page: Page): Promise<Readonly<Record<string, string>>[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), chooseFile(page)])
  return readSheet(await readFile(await download.path(), 'utf8'))
}

/** Starts the download of the list as a CSV file. */
export async function chooseFile(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: /^CSV file, / }).click()
  await expect(page.getByRole('menuitem')).toHaveCount(0)
}

/** Parses the rows of a CSV file (RFC 4180). */
function readSheet(text: string): Readonly<Record<string, string>>[] {
  const [heading = [], ...rows] = text
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? ''),
    )
  return rows.map((cells) => Object.fromEntries(heading.map((name, i) => [name, cells[i] ?? ''])))
}
