import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, preview } from 'vite'
import { test as base, expect } from '../fixtures.ts'

const root = fileURLToPath(new URL('../../apps/console', import.meta.url))

interface Kit {
  /** The URL of a page that shows all components. It needs no service. */
  readonly kit: string
}

const test = base.extend<object, Kit>({
  kit: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from this pattern
    async ({}, use) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'gantt-kit-'))
      const output = { outDir: folder, emptyOutDir: true, sourcemap: false }
      try {
        await build({ root, mode: 'kit', logLevel: 'error', build: output })
        const server = await preview({ root, mode: 'kit', logLevel: 'error', build: output, preview: { host: '127.0.0.1', port: 0 } })
        await use(`http://127.0.0.1:${(server.httpServer.address() as AddressInfo).port}`)
        await server.close()
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ kit }, use) => use(kit),
})

test('every component is shown in each of its states, in all colours @looks', { tag: '@rare' }, async ({ page, look }, info) => {
  await page.goto('/kit')
  const shown = page.locator('[data-story]')
  await expect(shown.first()).toBeVisible()
  expect(await shown.count()).toBeGreaterThan(20)
  await look('the kit')
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.screenshot({ path: info.outputPath(`kit-${scheme}.png`), fullPage: true })
  }
})

test('a dialog has the focus while it is open, and returns it @looks', { tag: '@rare' }, async ({ page, look }) => {
  await page.goto('/kit')
  const opener = page.locator('[data-story=dialog]').getByRole('button', { name: 'Ask' })
  await opener.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await look('the kit, a dialog')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(opener).toBeFocused()
})

test('a dialog previews a change before it makes the change, and shows refusals', { tag: '@rare' }, async ({ page }) => {
  await page.goto('/kit')
  const open = async (button: string) => {
    await page.locator('[data-story=preview-dialog]').getByRole('button', { name: button, exact: true }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('The board is ordered')
    await page.getByRole('button', { name: 'Preview the impact' }).click()
  }
  const dialog = page.getByRole('dialog')
  await open('Set')
  await expect(dialog.getByRole('status')).toContainText('The change affects 1 host with 2 live claims.')
  await dialog.getByLabel('Reason').fill('Another reason')
  // The shown preview was requested with the earlier text of the reason, so it is removed.
  await expect(dialog.getByRole('status')).toHaveCount(0)
  await page.getByRole('button', { name: 'Preview the impact' }).click()
  await page.getByRole('button', { name: 'Set to disabled' }).click()
  await expect(dialog).toBeHidden()
  await open('A change that is refused')
  await expect(dialog.getByRole('alert')).toContainText('Something went wrong')
  await expect(page.getByRole('button', { name: 'Set to disabled' })).toHaveCount(0)
})

test('a click while new rows are being loaded opens the visible row', { tag: '@rare' }, async ({ page }) => {
  await page.goto('/kit')
  const table = page.getByRole('figure', { name: 'table: other rows are being loaded' })
  const button = table.getByRole('button', { name: 'Show others' })
  await button.click()
  await expect(button).toBeDisabled()
  await table.getByRole('row', { name: 'cmp-0001' }).click()
  await expect(table.getByRole('status')).toHaveText('opened: cmp-0001')
  await expect(button).toBeDisabled()
})

test('with forced colours and in the past the page of all components has no accessibility problem', { tag: '@rare' }, async ({
  page,
  axe,
}) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/kit?at=1200')
  const release = page.locator('[data-story=write-button]').getByRole('button', { name: 'Release' }).first()
  await expect(release).toHaveAttribute('aria-disabled', 'true')
  await axe('the kit, forced colours, in the past')
})
