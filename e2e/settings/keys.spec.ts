import { createClient } from '@gantt/client'
import { expect, test } from '../fixtures.ts'
import { expectRowCount, rowsOf, rowWith } from '../grid.ts'
import { pressSequence } from '../keyboard.ts'
import { endedKeys, keyFor } from '../seed.ts'
import { savedRows } from '../sheets.ts'

interface Listed {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly state: string
}

test('a key is created with scopes, its secret is shown once and works, then the key is rotated and revoked', async ({
  page,
  visit,
  service,
}) => {
  await visit('/hosts')
  await pressSequence(page, 'g k')
  await expect(page.getByRole('heading', { level: 1, name: 'Keys' })).toBeFocused()
  await expect(rowsOf(page, 'Keys').first()).toBeVisible()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'Create a key' })
  await dialog.getByLabel('Name').fill('made-here')
  await dialog.getByLabel('Account').fill('made-here')
  await expect(dialog.getByRole('button', { name: 'Create', exact: true })).toBeDisabled()
  await dialog.getByRole('checkbox', { name: 'READ' }).check()
  await dialog.getByLabel('Expires after days').fill('soon')
  await expect(dialog.getByText('whole days, 1 to 3650')).toBeVisible()
  await dialog.getByLabel('Expires after days').fill('30')
  // A key for certain hosts may only report. The service refuses other scopes, and the input is kept.
  await dialog.getByLabel('Only for these hosts').fill('az1-01')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText('REPORT')
  await dialog.getByLabel('Only for these hosts').fill('')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()

  const secretDialog = page.getByRole('dialog', { name: 'The secret of made-here' })
  const secret = (await secretDialog.locator('[data-secret]').textContent()) ?? ''
  await page.keyboard.press('Escape')
  await expect(secretDialog).toBeVisible()
  const own = createClient({ url: service.url, key: secret, deadlineMs: 30_000 })
  expect(await own.request('{ viewer { scopes } }')).toEqual({ viewer: { scopes: ['READ'] } })
  await secretDialog.getByRole('button', { name: 'I have copied the secret' }).click()
  await expect(secretDialog).toBeHidden()
  const row = rowWith(page, 'Keys', 'made-here')
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('READ')

  await page.getByRole('button', { name: 'Rotate made-here' }).click()
  await page.getByRole('button', { name: 'Create the new key' }).click()
  await secretDialog.getByRole('button', { name: 'I have copied the secret' }).click()
  await expect(row).toHaveCount(2)
  for (let left = 2; left > 0; left--) {
    await page.getByRole('button', { name: 'Revoke made-here' }).first().click()
    const end = page.getByRole('dialog', { name: 'Revoke made-here' })
    await end.getByRole('button', { name: 'Revoke the key' }).click()
    await expect(end).toBeHidden()
    await expect(row).toHaveCount(left - 1)
  }
  await expect(own.request('{ viewer { scopes } }')).rejects.toThrow()
  await page.getByRole('switch', { name: 'Show expired and revoked' }).check()
  await expect(page).toHaveURL('/keys?ended=yes')
  await expect(row.first().locator('[data-key-state="REVOKED"]')).toBeVisible()
})

test("the last key with ADMIN cannot be revoked, and the session's own key is marked", async ({ page, visit }) => {
  await visit('/keys?find=admin')
  await page.getByRole('button', { name: 'Revoke admin' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Revoke admin' })
  await expect(dialog.locator('[data-own]')).toBeVisible()
  await expect(dialog.locator('[data-in-use]')).toBeVisible()
  await dialog.getByRole('button', { name: 'Revoke the key' }).click()
  await expect(dialog.getByRole('alert')).toContainText('ADMIN')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(rowWith(page, 'Keys', 'admin').first()).toBeVisible()
})

test('the row of a key links to the calls of the key', async ({ page, visit, service }) => {
  await keyFor(service.client, 'of-some-key', ['READ'])
  await visit('/keys?find=of-some-key')
  await rowWith(page, 'Keys', 'of-some-key').click()
  await expect(page).toHaveURL(/\/audit\?q=key:/)
  await expect(page.getByRole('heading', { name: 'No call matches' })).toBeVisible()
})

test('an active key is found among hundreds of ended keys, and all ended keys can be reached by scrolling', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const names = Array.from({ length: 205 }, (_one, i) => `many-${String(i).padStart(3, '0')}`)
  await endedKeys(service.client, 'many', names)
  await keyFor(service.client, 'many-lives', ['READ'])
  await visit('/keys')
  await expect(rowWith(page, 'Keys', 'many-lives')).toHaveCount(1)
  await page.getByLabel('Find a key by part').fill('many-')
  await expectRowCount(page, 'Keys', 1)
  await page.getByRole('switch', { name: 'Show expired and revoked' }).check()
  await expect(page.locator('[data-count="206"]')).toBeVisible()
  await page.getByRole('grid', { name: 'Keys' }).focus()
  await page.keyboard.press('End')
  await expectRowCount(page, 'Keys', 206)
  await page.keyboard.press('End')
  await expect(rowWith(page, 'Keys', 'many-lives')).toHaveAttribute('aria-selected', 'true')
  const { apiKeys } = await service.client.request<{ readonly apiKeys: { readonly nodes: readonly Listed[] } }>(
    '{ apiKeys(first: 500, find: "many-") { nodes { id name prefix state } } }',
  )
  const saved = await savedRows(page)
  expect(saved.map(({ id, name, prefix, state }) => ({ id, name, prefix, state }))).toEqual(apiKeys.nodes)
  await page.getByRole('button', { name: 'Copy as' }).click()
  await expect(page.getByRole('menuitem', { name: 'Answer, JSON: the first 200 of 206 keys' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByLabel('Find a key by part').fill('many-nobody')
  await expect(page.getByRole('heading', { name: 'No matching keys' })).toBeVisible()
})

test('appearance: keys, creating and revoking one, without the scope @looks', { tag: '@rare' }, async ({ page, visit, look, service }) => {
  const reader = await keyFor(service.client, 'reads-no-keys', ['READ'])
  await visit('/keys')
  await expect(rowsOf(page, 'Keys').first()).toBeVisible()
  await look('keys')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await expect(page.getByRole('dialog', { name: 'Create a key' })).toBeVisible()
  await look('creating a key')
  await page.goto('/keys?find=reads-no-keys')
  await page.getByRole('button', { name: 'Revoke reads-no-keys' }).click()
  await expect(page.getByRole('dialog', { name: 'Revoke reads-no-keys' })).toBeVisible()
  await look('revoking a key')
  await page.goto(`/keys#key=${reader}`)
  await page.reload()
  await expect(page.getByText('needs a key with ADMIN; yours has READ')).toBeVisible()
  await look('keys without their scope')
})
