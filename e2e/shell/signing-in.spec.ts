import { revokeKey } from '../calls.ts'
import { expect, test } from '../fixtures.ts'
import { searchOf } from './search.ts'

test.describe('signing in', () => {
  test('an unknown key is refused with a message', async ({ page, provokes }) => {
    // The browser itself logs the refused call as an error.
    provokes(401)
    await page.goto('/')
    await page.getByLabel('API key').fill('gantt_no-such-key-at-all')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('alert')).toHaveText('The service does not know this key.')
    await expect(page.getByLabel('API key')).toHaveValue('gantt_no-such-key-at-all')
  })

  test('a key that may not read is refused with the missing scope', async ({ page, service }) => {
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('TryKey')) return route.continue()
      const answer = await route.fetch()
      const { data } = await answer.json()
      return route.fulfill({ response: answer, json: { data: { viewer: { ...data.viewer, scopes: ['REPORT', 'SCHEDULE'] } } } })
    })
    await page.goto('/')
    await page.getByLabel('API key').fill(service.key)
    await page.getByLabel('API key').press('Enter')
    await expect(page.getByRole('alert')).toHaveText('The key may not read: it has REPORT, SCHEDULE; READ is needed.')
  })

  test('an empty key is not accepted', async ({ page }) => {
    await page.goto('/')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('alert')).toHaveText('Enter an API key.')
  })

  test('after signing in, the page of a deep link is open, and a reload does not sign out', async ({ page, service }) => {
    await page.goto('/hosts?q=az:az1&sort=-mem.free')
    await expect(page.getByLabel('API key')).toBeFocused()
    await page.keyboard.type(service.key)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Hosts', level: 1 })).toBeVisible()
    await expect(page).toHaveURL('/hosts?q=az:az1&sort=-mem.free')
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Hosts', level: 1 })).toBeVisible()
    await expect(page).toHaveURL('/hosts?q=az:az1&sort=-mem.free')
  })

  test('a link with a key signs in, and the key leaves the address bar', async ({ page, service }) => {
    await page.goto(`/aggregates#key=${service.key}`)
    await expect(page.getByRole('heading', { name: 'Aggregates', level: 1 })).toBeVisible()
    await expect(page).toHaveURL('/aggregates')
  })

  test('a key is stored for other tabs only on request', async ({ page, context, service }) => {
    await page.goto('/')
    await page.getByLabel('API key').fill(service.key)
    await page.getByLabel('Stay signed in on this computer').uncheck()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible()
    const other = await context.newPage()
    await other.goto('/hosts')
    await expect(other.getByLabel('API key')).toBeVisible()
  })

  test('signing out leads to the sign-in page, even after a reload', async ({ page, visit }) => {
    await visit('/hosts')
    await page.getByRole('button', { name: 'Account and settings' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(page.getByLabel('API key')).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('API key')).toBeVisible()
  })

  test('signing out applies to all tabs, and so does signing in again', { tag: '@rare' }, async ({ page, context, visit, service }) => {
    await visit('/hosts')
    const other = await context.newPage()
    await other.goto('/aggregates')
    await expect(other.getByRole('heading', { name: 'Aggregates', level: 1 })).toBeVisible()
    await page.getByRole('button', { name: 'Account and settings' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await expect(other.getByLabel('API key')).toBeVisible()
    await expect(other.getByRole('heading', { name: 'Aggregates' })).toBeHidden()
    await page.getByLabel('API key').fill(service.key)
    await page.keyboard.press('Enter')
    await expect(other.getByRole('heading', { name: 'Aggregates', level: 1 })).toBeVisible()
  })

  test('a link with a key signs in on a page that is already open', { tag: '@rare' }, async ({ page, service }) => {
    await page.goto('/aggregates')
    await expect(page.getByLabel('API key')).toBeVisible()
    await page.goto(`/aggregates#key=${service.key}`)
    await expect(page.getByRole('heading', { name: 'Aggregates', level: 1 })).toBeVisible()
    await expect(page).toHaveURL('/aggregates')
  })

  test('if a key is revoked during work, a new key is requested in a dialog above the unchanged page', async ({
    page,
    visit,
    service,
    provokes,
  }) => {
    provokes(401)
    await visit('/aggregates')
    // The service gets an unknown key with the search of the palette, which has the same effect as a revoked key.
    const restoreKey = await revokeKey(page, (operation) => operation.includes('query PaletteFind'))
    await page.keyboard.press('Control+k')
    await searchOf(page).fill('az1')
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await expect(dialog.getByRole('alert')).toHaveText('The API key is no longer valid.')
    await restoreKey()
    await dialog.getByLabel('API key').fill(service.key)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await expect(dialog).toBeHidden()
    await expect(page).toHaveURL('/aggregates')
  })
})
