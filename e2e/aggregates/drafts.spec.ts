import { holdCalls, operationOf, revokeKey } from '../calls.ts'
import { expect, type Page, test } from '../fixtures.ts'
import { gather } from '../seed.ts'
import { READ, type Read } from './read.ts'

test('a draft that is discarded while hosts are being added by a filter stays discarded when the answer arrives', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const uuid = await gather(service.client, 'to-drop', { hosts: ['az1-04'] })
  await visit(`/aggregates/${uuid}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  const held = await holdCalls(page, (operation) => operation.includes('query AggregateMatching'))
  await draft.getByLabel('Add members by filter').fill('host:az1-05')
  await draft.getByRole('button', { name: 'Add matching hosts' }).click()
  await expect.poll(held.count).toBe(1)
  await draft.getByRole('button', { name: 'Discard' }).click()
  await expect(draft).toBeHidden()
  const answered = page.waitForResponse((response) => operationOf(response.request()).includes('query AggregateMatching'))
  held.release()
  await (await answered).finished()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeVisible()
})

test('after a concurrent edit the slower operator sees the changes of the other operator and applies their own changes on top', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  const uuid = await gather(service.client, 'to-fight-over', { hosts: ['az1-04'] })
  await visit(`/aggregates/${uuid}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await draft.getByLabel('Add hosts').fill('az1-05')
  const { aggregate: before } = await service.client.request<Read>(READ, { uuid })
  await service.client.request(
    `mutation Faster($uuid: UUID!, $version: Int!) {
      aggregateUpdate(uuid: $uuid, ifVersion: $version, input: { addHosts: ["az1-06"] }) { __typename } }`,
    { uuid, version: before?.version },
  )
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  const conflict = draft.locator('[data-conflict]')
  await expect(conflict).toContainText('az1-06')
  await expect(conflict).toContainText('az1-05')
  await conflict.getByRole('button', { name: /^Apply my changes to version/ }).click()
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await draft.getByRole('button', { name: /^Apply to version/ }).click()
  await expect(draft).toBeHidden()
  expect((await service.client.request<Read>(READ, { uuid })).aggregate?.hostNames).toEqual(['az1-04', 'az1-05', 'az1-06'])
})

test('if two tabs edit the same aggregate, the slower tab shows the changes of the faster one, and no change is lost', {
  tag: '@rare',
}, async ({ page, context, visit, service }) => {
  const uuid = await gather(service.client, 'in-two-tabs', { hosts: ['az1-04'] })
  await visit(`/aggregates/${uuid}?edit=yes`)
  const other = await context.newPage()
  await other.goto(`/aggregates/${uuid}?edit=yes#key=${service.key}`)
  const draftIn = (tab: Page) => tab.getByRole('region', { name: 'Draft', exact: true })
  await draftIn(page).getByLabel('Add hosts').fill('az1-05')
  await draftIn(other).getByLabel('Set metadata').fill('other=tab')
  await draftIn(page).getByRole('button', { name: 'Preview the impact' }).click()
  await expect(draftIn(page).locator('[data-impact]')).toBeVisible()
  await draftIn(other).getByRole('button', { name: 'Preview the impact' }).click()
  await draftIn(other).getByRole('button', { name: 'Apply to version 1' }).click()
  await expect(draftIn(other)).toBeHidden()
  await draftIn(page).getByRole('button', { name: 'Apply to version 1' }).click()
  const conflict = draftIn(page).locator('[data-conflict]')
  await expect(conflict).toContainText('version 1 is now 2')
  await expect(conflict).toContainText('+ other=tab')
  await expect(conflict).toContainText('+ host az1-05')
  await conflict.getByRole('button', { name: 'Apply my changes to version 2' }).click()
  await draftIn(page).getByRole('button', { name: 'Preview the impact' }).click()
  await draftIn(page).getByRole('button', { name: 'Apply to version 2' }).click()
  await expect(draftIn(page)).toBeHidden()
  await other.close()
  const { aggregate } = await service.client.request<Read>(READ, { uuid })
  expect(aggregate).toMatchObject({ version: 3, hostNames: ['az1-04', 'az1-05'], metadata: [{ key: 'other', value: 'tab' }] })
})

test('a draft survives a revoked key: its preview is refused, and it is applied after signing in again', { tag: '@rare' }, async ({
  page,
  visit,
  service,
  provokes,
}) => {
  provokes(401)
  const uuid = await gather(service.client, 'outlives', { hosts: ['az1-04'] })
  await visit(`/aggregates/${uuid}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await draft.getByLabel('Add hosts').fill('az1-05')
  await draft.getByLabel('Set metadata').fill('kept=yes')
  const restoreKey = await revokeKey(page, (operation) => operation.startsWith('mutation Aggregate'))
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  const door = page.getByRole('dialog', { name: 'Sign in again' })
  await expect(door.getByLabel('API key')).toBeFocused()
  await restoreKey()
  await door.getByLabel('API key').fill(service.key)
  await page.keyboard.press('Enter')
  await expect(door).toBeHidden()
  await expect(draft.getByLabel('Add hosts')).toHaveValue('az1-05')
  await expect(draft.getByLabel('Set metadata')).toHaveValue('kept=yes')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await draft.getByRole('button', { name: 'Apply to version 1' }).click()
  await expect(draft).toBeHidden()
  const { aggregate } = await service.client.request<Read>(READ, { uuid })
  expect(aggregate).toMatchObject({ hostNames: ['az1-04', 'az1-05'], metadata: [{ key: 'kept', value: 'yes' }] })
})

test('a draft is shown only on the page of its aggregate, and disappears when it is discarded', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const one = await gather(service.client, 'drafted', { hosts: ['az1-04'] })
  const other = await gather(service.client, 'not-drafted', { hosts: ['az1-05'] })
  await visit(`/aggregates/${one}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await draft.getByLabel('Add hosts').fill('az1-06')
  // The URL is changed through the browser's history, as by Back and Forward, so that the page is not reloaded.
  await page.evaluate((address) => {
    history.pushState(null, '', address)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/aggregates/${other}?edit=yes`)
  await expect(page.getByRole('heading', { name: 'not-drafted', level: 1 })).toBeVisible()
  await expect(draft.getByLabel('Add hosts')).toHaveValue('')
  await page.goBack()
  await expect(draft.getByLabel('Add hosts')).toHaveValue('az1-06')
  await draft.getByRole('button', { name: 'Discard' }).click()
  await expect(draft).toBeHidden()
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeEnabled()
})

test('a draft stays visible while the service does not answer', { tag: '@rare' }, async ({ page, visit, service, provokes }) => {
  provokes('ERR_FAILED')
  const uuid = await gather(service.client, 'kept-in-sight', { hosts: ['az1-04'] })
  await page.clock.install()
  await visit(`/aggregates/${uuid}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await draft.getByLabel('Add hosts').fill('az1-06')
  await page.route('**/graphql', (route) => route.abort())
  await page.clock.runFor(60_000)
  await expect(page.getByRole('alert').first()).toBeVisible()
  await expect(draft.getByLabel('Add hosts')).toHaveValue('az1-06')
  await page.unroute('**/graphql')
})
