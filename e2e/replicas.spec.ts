import { operationOf } from './calls.ts'
import { expect, test } from './fixtures.ts'
import { expectRowCount, rowsOf } from './grid.ts'
import { pressSequence } from './keyboard.ts'

test('the replica that answers is told with its state, its log and its auditor', async ({ page, visit, service }) => {
  await visit('/hosts')
  await pressSequence(page, 'g r')
  await expect(page.getByRole('heading', { level: 1, name: 'Replicas' })).toBeFocused()
  const { health } = await service.client.request<{ readonly health: { readonly replica: string; readonly engine: string } }>(
    '{ health { replica engine } }',
  )
  await expectRowCount(page, 'Replicas', 1)
  const row = rowsOf(page, 'Replicas').first()
  await expect(row).toContainText(`${health.replica} (answers you)`)
  await expect(row.locator('[data-mode="normal"]')).toBeVisible()
  await expect(page.locator('[data-figure="Log kept by"]')).toContainText(health.engine)
  await expect(page.locator('[data-violations="0"]')).toContainText('Nothing that cannot be')
  await expect(page.locator('[data-trouble]')).toHaveCount(0)
})

test('what replicas and auditor say of trouble is told, whatever it is', async ({ page, visit, look }) => {
  await page.route('**/graphql', async (route) => {
    if (!operationOf(route.request()).includes('query Replicas')) return route.continue()
    const answer = await route.fetch()
    const { data } = await answer.json()
    const [own] = data.replicas
    const other = {
      ...own,
      id: 'another<b>one',
      answers: false,
      live: false,
      version: '0.0.1',
      lagEvents: 7,
      violations: 2,
      reason: 'it hangs',
    }
    const finding = { code: 'audit.column', promise: 'P1', subject: 'host', name: 'az1-01', host: 'az1-01', claim: null, field: 'free' }
    const found = { ...finding, expected: '4', actual: '5', since: own.lastSeenAt }
    const missing = { code: 'database.away', message: 'The database is away.', since: own.lastSeenAt }
    return route.fulfill({
      response: answer,
      json: {
        data: {
          ...data,
          replicas: [own, other],
          health: { ...data.health, mode: 'STORE_AWAY', reason: 'The store does not answer.', degraded: [missing] },
          auditor: { ...data.auditor, violations: 1, findings: [found] },
        },
      },
    })
  })
  await visit('/replicas')
  await expect(page.locator('[data-trouble]')).toContainText('another<b>one gave no sign for ten seconds')
  await expect(page.locator('[data-mode="silent"]')).toBeVisible()
  await expect(page.locator('[data-degraded="database.away"]')).toContainText('The database is away.')
  await expect(page.locator('[data-finding="audit.column"]')).toContainText('az1-01')
  await look('replicas in trouble')
  await page.locator('[data-finding="audit.column"]').getByRole('link', { name: 'az1-01' }).click()
  await expect(page).toHaveURL('/hosts/az1-01')
})

test('where the service does not answer, what was known stays, and is said to be old', async ({ page, visit, provokes }) => {
  provokes('ERR_FAILED')
  await visit('/replicas')
  await expect(rowsOf(page, 'Replicas').first()).toBeVisible()
  await page.route('**/graphql', (route) => route.abort())
  await expect(page.getByRole('alert').first()).toContainText('The service cannot be reached', { timeout: 30_000 })
  await expect(rowsOf(page, 'Replicas').first()).toBeVisible()
  await expect(page.locator('[data-as-of-read]')).toContainText('ago')
  await page.unroute('**/graphql')
  await expect(page.getByRole('alert')).toHaveCount(0, { timeout: 30_000 })
})

test('looks: replicas @looks', async ({ page, visit, look }) => {
  await visit('/replicas')
  await expect(rowsOf(page, 'Replicas').first()).toBeVisible()
  await look('replicas')
})
