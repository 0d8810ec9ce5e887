import { expect, test } from './fixtures.ts'
import { expectRowCount, rowsOf, rowWith } from './grid.ts'
import { pressSequence } from './keyboard.ts'
import { keyFor } from './seed.ts'

test('what somebody did is found by the filter, opened, and leads to all that the account did', async ({ page, visit, service }) => {
  await keyFor(service.client, 'told-in-the-audit', ['READ'])
  await visit('/hosts')
  await pressSequence(page, 'g l')
  await expect(page.getByRole('heading', { level: 1, name: 'Audit' })).toBeFocused()
  // what the key may read is asked first
  await expect(page.getByRole('combobox', { name: 'Filter the audit' })).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('mutation:apiKeyCreate told-in-the-audit')
  await page.keyboard.press('Enter')
  await expectRowCount(page, 'Audit', 1)
  await page.getByRole('grid', { name: 'Audit' }).focus()
  await page.keyboard.press('j')
  await page.keyboard.press('o')
  const entry = page.locator('[data-entry]')
  await expect(entry).toContainText('apiKeyCreate')
  await expect(entry).toContainText('"name": "told-in-the-audit"')
  const address = page.url()
  await page.reload()
  await expect(entry).toContainText('told-in-the-audit')
  expect(page.url()).toBe(address)
  await entry.getByRole('link', { name: 'admin', exact: true }).click()
  await expect(page).toHaveURL('/audit?q=account:admin')
  await expect(rowWith(page, 'Audit', 'apiKeyCreate').first()).toBeVisible()
})

test('the list has every call that the service counts', async ({ page, visit, service }) => {
  const { auditLog } = await service.client.request<{ readonly auditLog: { readonly totalCount: number } }>(
    'query Count { auditLog(first: 1, query: "mutation:aggregateCreate") { totalCount } }',
  )
  await visit('/audit?q=mutation:aggregateCreate')
  await expect(page.locator(`[data-count="${auditLog.totalCount}"]`)).toBeVisible()
})

test('a key without OPERATE is told what it lacks @looks', async ({ page, service, look }) => {
  const reader = await keyFor(service.client, 'reads-no-audit', ['READ'])
  await page.goto(`/audit#key=${reader}`)
  await expect(page.getByText('can be read with a key that has OPERATE; yours has READ')).toBeVisible()
  await look('the audit without its scope')
})

test('looks: the audit, a row, none that matches @looks', async ({ page, visit, look }) => {
  await visit('/audit')
  await expect(rowsOf(page, 'Audit').first()).toBeVisible()
  await look('the audit')
  await rowsOf(page, 'Audit').first().click()
  await expect(page.locator('[data-entry]')).toBeVisible()
  await look('a row of the audit')
  await page.keyboard.press('Escape')
  await expect(page.locator('[data-entry]')).toHaveCount(0)
  await page.goto('/audit?q=account:nobody')
  await expect(page.getByRole('heading', { name: 'No call matches' })).toBeVisible()
  await look('no row of the audit')
})
