import { holdCalls, operationOf } from '../calls.ts'
import { expect, test } from '../fixtures.ts'
import { expectRowCount, firstCells, inWords, numberIn, rowsOf, rowWith } from '../grid.ts'
import { pressSequence } from '../keyboard.ts'
import { endedKeys, keyFor } from '../seed.ts'
import { chooseFile, savedRows } from '../sheets.ts'

test("an operator's edit is found by the filter, opened, and links to all edits of the account", async ({ page, visit, service }) => {
  await keyFor(service.client, 'audited-key', ['READ'])
  await visit('/hosts')
  await pressSequence(page, 'g l')
  await expect(page.getByRole('heading', { level: 1, name: 'Audit' })).toBeFocused()
  // The page first requests the scopes of the key, and shows the filter afterwards.
  await expect(page.getByRole('combobox', { name: 'Filter the audit' })).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('mutation:apiKeyCreate audited-key')
  await page.keyboard.press('Enter')
  await expectRowCount(page, 'Audit', 1)
  await page.getByRole('grid', { name: 'Audit' }).focus()
  await page.keyboard.press('j')
  await page.keyboard.press('o')
  const entry = page.locator('[data-entry]')
  await expect(entry).toContainText('apiKeyCreate')
  await expect(entry).toContainText('"name": "audited-key"')
  const address = page.url()
  await page.reload()
  await expect(entry).toContainText('audited-key')
  expect(page.url()).toBe(address)
  await entry.getByRole('link', { name: 'admin', exact: true }).click()
  await expect(page).toHaveURL('/audit?q=account:admin')
  await expect(rowWith(page, 'Audit', 'apiKeyCreate').first()).toBeVisible()
})

test('the count of calls in the list equals that of the API', async ({ page, visit, service }) => {
  const { auditLog } = await service.client.request<{ readonly auditLog: { readonly totalCount: number } }>(
    'query Count { auditLog(first: 1, query: "mutation:aggregateCreate") { totalCount } }',
  )
  await visit('/audit?q=mutation:aggregateCreate')
  await expect(page.locator(`[data-count="${auditLog.totalCount}"]`)).toBeVisible()
})

test('in a long list only visible rows are refreshed, and new rows at the top move no row and are shown on scrolling', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  await endedKeys(
    service.client,
    'scrolled',
    Array.from({ length: 120 }, (_one, i) => `scrolled-${i}`),
  )
  let reads = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql') && operationOf(request).includes('query AuditList')) reads++
  })
  const lookAgain = () => page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  // Each key was created by a call, and the page loads 100 of these calls at a time.
  await visit('/audit?q=mutation:apiKeyCreate')
  const total = numberIn(await page.locator('[data-count]').textContent())
  const grid = page.getByRole('grid', { name: 'Audit' })
  await grid.focus()
  await expect(async () => {
    await page.keyboard.press('End')
    await expectRowCount(page, 'Audit', total, { timeout: 500 })
  }).toPass()
  await page.keyboard.press('End')
  const lastRow = rowsOf(page, 'Audit').last()
  await expect(lastRow).toHaveAttribute('aria-selected', 'true')
  const shown = await firstCells(page, 'Audit')

  const before = reads
  await keyFor(service.client, 'scrolled-after', ['READ'])
  await lookAgain()
  await expect(page.locator(`[data-count="${total + 1}"]`)).toBeVisible()
  expect(reads - before).toBeLessThanOrEqual(2)
  expect(await firstCells(page, 'Audit')).toEqual(shown)

  await page.keyboard.press('Home')
  await expect(rowsOf(page, 'Audit').first()).toHaveAttribute('aria-rowindex', '2')
  await lookAgain()
  const { auditLog } = await service.client.request<{ readonly auditLog: { readonly nodes: readonly { readonly seq: number }[] } }>(
    '{ auditLog(first: 30, query: "mutation:apiKeyCreate") { nodes { seq } } }',
  )
  const rowOf = (index: number) =>
    rowsOf(page, 'Audit').filter({ has: page.getByRole('gridcell', { name: inWords(auditLog.nodes[index]?.seq ?? 0), exact: true }) })
  await expect(rowOf(0)).toHaveCount(1)

  // The list is scrolled a little, so that all visible rows belong to its first page. Then only this page is refreshed.
  await grid.evaluate((element) => element.scrollTo({ top: 560 }))
  const some = rowOf(25)
  const topOf = async () => (await some.boundingBox())?.y
  await expect.poll(topOf).toBeDefined()
  const stood = await topOf()
  await keyFor(service.client, 'scrolled-last', ['READ'])
  await lookAgain()
  await expect(page.locator(`[data-count="${total + 2}"]`)).toBeVisible()
  expect(await topOf()).toBe(stood)
  await expect(rowsOf(page, 'Audit').filter({ hasText: 'scrolled-last' })).toHaveCount(0)
  await grid.evaluate((element) => element.scrollTo({ top: 0 }))
  const { auditLog: later } = await service.client.request<{ readonly auditLog: { readonly nodes: readonly { readonly seq: number }[] } }>(
    '{ auditLog(first: 1, query: "mutation:apiKeyCreate") { nodes { seq } } }',
  )
  const newest = rowsOf(page, 'Audit').first()
  await expect(newest).toHaveAttribute('aria-rowindex', '2')
  await expect(newest.getByRole('gridcell', { name: inWords(later.nodes[0]?.seq ?? 0), exact: true })).toBeVisible()
})

test('all matching rows are saved as a CSV file, including those that are not loaded, and saving can be cancelled', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  await endedKeys(
    service.client,
    'saved',
    Array.from({ length: 60 }, (_one, i) => `saved-${i}`),
  )
  await visit('/audit?q=result:ApiKeyPayload&cols=at,target')
  await expect(rowsOf(page, 'Audit').first()).toBeVisible()
  const { auditLog } = await service.client.request<{
    readonly auditLog: { readonly nodes: readonly { readonly at: string; readonly target: string; readonly hash: string }[] }
  }>('{ auditLog(first: 500, query: "result:ApiKeyPayload") { nodes { at target hash } } }')
  expect(auditLog.nodes.length).toBeGreaterThan(100)
  const saved = await savedRows(page)
  expect(saved.map(({ at, target, hash }) => ({ at, target, hash }))).toEqual(auditLog.nodes)
  // Columns that are not shown are not saved.
  expect(saved[0]).not.toHaveProperty('mutation')

  let downloads = 0
  page.on('download', () => downloads++)
  const held = await holdCalls(page, (operation) => operation.includes('query AuditList'))
  await chooseFile(page)
  const dialog = page.getByRole('dialog', { name: 'audit.csv' })
  await expect.poll(held.count).toBeGreaterThan(0)
  await expect(dialog.locator('[data-read="0"]')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  held.release()
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.keyboard.press('Escape')
  expect(downloads).toBe(0)
})

test('a key without OPERATE sees which scope it lacks @looks', async ({ page, service, look }) => {
  const reader = await keyFor(service.client, 'reads-no-audit', ['READ'])
  await page.goto(`/audit#key=${reader}`)
  await expect(page.getByText('needs a key with OPERATE; yours has READ')).toBeVisible()
  await look('the audit without its scope')
})

test('appearance: the audit, a row, no match @looks', { tag: '@rare' }, async ({ page, visit, look }) => {
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
