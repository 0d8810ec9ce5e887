import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page, test } from '../fixtures.ts'
import { rowsOf } from '../grid.ts'
import { keyFor } from '../seed.ts'

/** Selects one of the values of a preference. */
const choose = (page: Page, label: string, value: string) =>
  page.getByRole('radiogroup', { name: label, exact: true }).getByText(value, { exact: true }).click()

const chosen = (page: Page, label: string) => page.getByRole('radiogroup', { name: label, exact: true }).locator('input:checked')

test('times and shortcuts have the same setting on the settings page, in the account menu and in the help', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await visit('/settings')
  await choose(page, 'Times', 'UTC')
  await page.getByRole('button', { name: 'Account and settings' }).click()
  await page.getByRole('menuitem', { name: 'Show local times' }).click()
  await expect(chosen(page, 'Times')).toHaveValue('local')
  await page.getByRole('switch', { name: 'Single-key shortcuts' }).uncheck()
  await page.getByRole('button', { name: 'Keyboard shortcuts', exact: true }).click()
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(help.getByRole('switch', { name: 'Single-key shortcuts' })).not.toBeChecked()
  await help.getByRole('switch', { name: 'Single-key shortcuts' }).check()
  await page.keyboard.press('Escape')
  await expect(help).toBeHidden()
  await expect(page.getByRole('switch', { name: 'Single-key shortcuts' })).toBeChecked()
})

test('preferences apply to the lists, in other tabs, and after a reload', { tag: '@rare' }, async ({ page, context, visit }) => {
  await visit('/settings')
  const other = await context.newPage()
  await other.goto('/hosts?view=table&q=host:az1-01')
  const row = rowsOf(other, 'Hosts').first()
  await expect(row).toHaveCSS('height', '28px')
  await expect(row).toContainText(/GiB/)
  await expect(other.locator('[data-live=live]')).toBeVisible()
  await choose(page, 'Rows of lists', 'Cosy')
  await choose(page, 'Memory and disk', 'MiB and GiB')
  await page.getByRole('switch', { name: 'Lists start with live updates' }).uncheck()
  await expect(row).toHaveCSS('height', '36px')
  await other.reload()
  await expect(row).toHaveCSS('height', '36px')
  await expect(row).toContainText(/\d MiB/)
  await expect(other.locator('[data-live=off]')).toBeVisible()
  await other.goto('/decisions')
  await expect(other.locator('[data-live=off]')).toBeVisible()
  await other.getByRole('button', { name: 'Follow' }).click()
  await expect(other).toHaveURL(/live=on/)
  await expect(other.locator('[data-live=live]')).toBeVisible()
})

test('with high contrast every text has a contrast of at least 7:1', { tag: '@rare' }, async ({ page, visit }) => {
  await visit('/settings')
  await choose(page, 'Contrast', 'High')
  for (const scheme of ['Light', 'Dark']) {
    await page.goto('/settings')
    await choose(page, 'Colours', scheme)
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme.toLowerCase())
    for (const [path, ready] of [
      ['/settings', '[data-setting=PORT]'],
      ['/hosts', '[data-live=live]'],
      ['/decisions', '[data-live=live]'],
    ] as const) {
      await page.goto(path)
      await expect(page.locator(ready)).toBeVisible()
      const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withRules(['color-contrast-enhanced']).analyze()
      const problems = violations.flatMap(({ nodes }) =>
        nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
      )
      expect(problems, `${path}, ${scheme}`).toEqual([])
    }
  }
})

test('settings of the service are shown with value and source, without secrets', { tag: '@rare' }, async ({ page, visit, service }) => {
  await visit('/settings')
  const setting = (name: string) => page.locator(`[data-setting=${name}]`)
  await expect(setting('GANTT_LOG_DAYS')).toContainText('7 days')
  await expect(setting('GANTT_LOG_DAYS')).toHaveAttribute('data-source', 'DEFAULT')
  await expect(setting('GANTT_PLUGINS')).toHaveAttribute('data-source', 'ENVIRONMENT')
  await expect(setting('GANTT_ADMIN_KEY')).toContainText('set, hidden')
  await expect(page.getByRole('main')).not.toContainText(service.key)
  const reader = await keyFor(service.client, 'reads-settings', ['READ'])
  await page.goto('/aggregates')
  await page.goto(`/settings#key=${reader}`)
  await expect(page.getByRole('heading', { name: 'Your key lacks a scope' })).toBeVisible()
  await expect(page.getByRole('radiogroup', { name: 'Contrast' })).toBeVisible()
})

test('appearance: settings @looks', { tag: '@rare' }, async ({ page, visit, look }) => {
  await visit('/settings')
  await expect(page.locator('[data-setting=PORT]')).toBeVisible()
  await look('settings')
})

test("limits of idempotency keys are shown and changed, invalid limits are reported, and another operator's change is not lost", {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, look }) => {
  await visit('/settings')
  const section = page.getByRole('region', { name: 'Idempotency keys' })
  await expect(section).toContainText('20,000,000')
  await expect(section).toContainText('which do not count')
  await section.getByRole('button', { name: 'Change the limits' }).click()
  const dialog = page.getByRole('dialog', { name: 'Limits of idempotency keys' })
  const most = dialog.getByLabel('Keys of ended claims, at most')
  const minutes = dialog.getByLabel('Minutes that a key is kept after its last claim has ended')
  await most.fill('999')
  await minutes.fill('1.5')
  await expect(dialog).toContainText('A whole number of 1000 to 100000000.')
  await expect(dialog).toContainText('A whole number of 1 to 1440.')
  await expect(dialog.getByRole('button', { name: 'Set the limits' })).toBeDisabled()
  await look('invalid limits of keys')
  await most.fill('30000000')
  await minutes.fill('45')
  await dialog.getByRole('button', { name: 'Set the limits' }).click()
  await expect(dialog).toBeHidden()
  await expect(section).toContainText('30,000,000')
  await expect(section).toContainText('45 min')

  // Another tab changes the limits while the dialog of this tab is open.
  await section.getByRole('button', { name: 'Change the limits' }).click()
  const other = await page.context().newPage()
  await other.goto('/settings')
  await other.getByRole('button', { name: 'Change the limits' }).click()
  await other.getByLabel('Keys of ended claims, at most').fill('40000000')
  await other.getByRole('button', { name: 'Set the limits' }).click()
  await expect(other.getByRole('region', { name: 'Idempotency keys' })).toContainText('40,000,000')
  await most.fill('50000000')
  await dialog.getByRole('button', { name: 'Set the limits' }).click()
  await expect(dialog.getByRole('alert')).toContainText('The limits were not changed')
  await expect(section).toContainText('40,000,000')
})
