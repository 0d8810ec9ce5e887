import { spawnSync } from 'node:child_process'
import { operationOf, revokeKey } from '../calls.ts'
import { expect, test } from '../fixtures.ts'
import { gridOf, rowWith } from '../grid.ts'
import { report } from '../seed.ts'
import { startService } from '../service.ts'
import { live } from './lists.ts'

test('a draft survives a revoked key: its preview is refused, and it is sent after signing in again', { tag: '@rare' }, async ({
  page,
  visit,
  axe,
  service,
  provokes,
}) => {
  provokes(401)
  await report(service.client, { 'draft-01': {} })
  await visit('/hosts/draft-01')
  await page.getByRole('button', { name: 'Set status' }).click()
  await page.getByText('Draining', { exact: true }).click()
  await page.getByLabel('Reason').fill('a long story')
  const restoreKey = await revokeKey(page, (operation) => operation.startsWith('mutation HostSetStatus'))
  await page.getByRole('button', { name: 'Preview the impact' }).click()
  const door = page.getByRole('dialog', { name: 'Sign in again' })
  await expect(door.getByLabel('API key')).toBeFocused()
  await axe('a draft whose key ended')
  await page.keyboard.press('Escape')
  await expect(door).toBeVisible()
  await restoreKey()
  await door.getByLabel('API key').fill(service.key)
  await page.keyboard.press('Enter')
  await expect(door).toBeHidden()
  await expect(page.getByLabel('Reason')).toHaveValue('a long story')
  await expect(page.locator('[role=dialog]:focus, [role=dialog] :focus')).toHaveCount(1)
  await page.getByRole('button', { name: 'Preview the impact' }).click()
  await page.getByRole('button', { name: 'Set to draining' }).click()
  await expect(page.getByRole('main')).toContainText('draining: a long story')
})

test('if the key is revoked while the operator only reads a page, a new key is requested, and the feed continues with the new key', {
  tag: '@rare',
}, async ({ page, visit, service, provokes }) => {
  provokes(401)
  const restoreKey = await revokeKey(page, (operation) => operation.includes('subscription FleetDeltas'))
  await visit('/hosts?view=table&q=host:again-*')
  const door = page.getByRole('dialog', { name: 'Sign in again' })
  await expect(door.getByRole('alert')).toHaveText('The API key is no longer valid.')
  await restoreKey()
  await report(service.client, { 'again-01': {} })
  await door.getByLabel('API key').fill(service.key)
  await page.keyboard.press('Enter')
  await expect(live(page)).toBeVisible()
  await expect(rowWith(page, 'Hosts', 'again-01')).toBeVisible()
})

test('a list that was not loaded before its key was revoked is loaded with the next key', { tag: '@rare' }, async ({
  page,
  visit,
  service,
  provokes,
}) => {
  provokes(401)
  for (const path of ['/hosts?view=table', '/hosts/az1-01']) {
    const restoreKey = await revokeKey(page)
    await visit(path)
    const door = page.getByRole('dialog', { name: 'Sign in again' })
    await expect(door).toBeVisible()
    await restoreKey()
    await door.getByLabel('API key').fill(service.key)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('main').getByText('az1-01').first()).toBeVisible()
    // The error messages that the page and the sign-in dialog had are gone.
    await expect(page.getByRole('alert')).toHaveCount(0)
  }
})

test('a lost feed is reported, and reconnects by itself', { tag: '@rare' }, async ({ page, visit, axe, service, provokes }) => {
  provokes('ERR_FAILED')
  const isFeed = (request: { postData(): string | null }): boolean => request.postData()?.includes('subscription FleetDeltas') ?? false
  await page.route('**/graphql', (route) => (isFeed(route.request()) ? route.abort() : route.continue()))
  await visit('/hosts?view=table&q=host:after-*')
  await expect(page.getByRole('status').filter({ hasText: 'The feed is interrupted' })).toBeVisible()
  await axe('hosts without a feed')
  await report(service.client, { 'after-01': {} })
  await page.unroute('**/graphql')
  await expect(rowWith(page, 'Hosts', 'after-01')).toBeVisible()
  await expect(live(page)).toBeVisible()
})

test('the key f freezes the list and resumes its updates', async ({ page, visit, service }) => {
  await visit('/hosts?view=table&q=host:frozen-*')
  await expect(live(page)).toBeVisible()
  await page.keyboard.press('f')
  await expect(page.getByRole('button', { name: 'Follow' })).toBeVisible()
  await report(service.client, { 'frozen-01': {} })
  // A second list, which is not frozen, shows when the report has arrived.
  const other = await page.context().newPage()
  await other.goto(`/hosts?view=table&q=host:frozen-*#key=${service.key}`)
  await expect(rowWith(other, 'Hosts', 'frozen-01')).toBeVisible()
  await other.close()
  await expect(rowWith(page, 'Hosts', 'frozen-01')).toHaveCount(0)
  await page.keyboard.press('f')
  await expect(rowWith(page, 'Hosts', 'frozen-01')).toBeVisible()
})

test('a failure of the service is reported with its code and request id, and can be retried', async ({ page, visit, axe, provokes }) => {
  provokes(500)
  await page.route('**/graphql', (route) => {
    if (!operationOf(route.request()).includes('query FleetColumns')) return route.continue()
    const extensions = { code: 'INTERNAL', requestId: 'request-of-the-test' }
    return route.fulfill({ status: 500, json: { errors: [{ message: 'The service failed.', extensions }] } })
  })
  await visit('/hosts')
  const problem = page.getByRole('alert')
  for (const text of ['The service failed.', 'INTERNAL', 'request-of-the-test']) await expect(problem).toContainText(text)
  await axe('hosts after a failure')
  await page.unroute('**/graphql')
  await problem.getByRole('button', { name: 'Try again' }).click()
  await expect(gridOf(page, 'Hosts')).toBeVisible()
})

test('an empty fleet shows how to report the first host: after the copied command is run, the host appears', { tag: '@rare' }, async ({
  page,
  context,
}) => {
  const service = await startService()
  try {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
    await page.goto(`${service.origin}/hosts#key=${service.key}`)
    await expect(page.getByRole('heading', { name: 'No host has reported yet' })).toBeVisible()
    await expect(live(page)).toBeVisible()
    await page.getByRole('button', { name: 'Copy the command' }).click()
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    const { stdout, status } = spawnSync('bash', ['-c', command], { encoding: 'utf8', env: { ...process.env, GANTT_KEY: service.key } })
    expect({ stdout: stdout.trim(), status }).toEqual({ stdout: '{"data":{"updateResourceStats":{"appliedCount":1}}}', status: 0 })
    await expect(rowWith(page, 'Hosts', 'cmp-0001')).toBeVisible()
  } finally {
    // The page is closed first, because its feed would log an error when the service ends.
    await page.close()
    await service.stop()
  }
})
