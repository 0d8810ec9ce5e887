import { expect, type Page, test } from '../fixtures.ts'
import { expectRowCount } from '../grid.ts'
import { pressSequence } from '../keyboard.ts'
import { gather, place, report } from '../seed.ts'

const search = (page: Page) => page.getByRole('textbox', { name: 'Page actions' })
const entries = (page: Page) =>
  page
    .getByRole('dialog')
    .filter({ has: search(page) })
    .locator('[data-action]')

async function openActions(page: Page): Promise<void> {
  await page.keyboard.press('.')
  await expect(search(page)).toBeFocused()
}

test('an action is found by a part of its name and run with the keyboard alone', { tag: '@rare' }, async ({ page, visit, service }) => {
  await report(service.client, { 'acted-on': {} })
  const uuid = await gather(service.client, 'acted-on', { hosts: ['acted-on'] })
  await visit('/hosts/acted-on')
  await expect(page.getByRole('button', { name: 'Set status' })).toBeVisible()
  await openActions(page)
  await expect(entries(page)).toHaveText([
    'Copy as',
    'Set status',
    'Evacuate',
    'Set ratio or reserve',
    'Used amounts from claims',
    'Replace',
    'Forget',
  ])
  await page.keyboard.type('STATUS')
  await expect(entries(page)).toHaveText(['Set status'])
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: /status/i })
  await expect(dialog).toBeVisible()
  await expect(search(page)).toBeHidden()
  await expect(dialog.locator(':focus')).toHaveCount(1)

  await page.goto(`/aggregates/${uuid}`)
  await expect(page.getByRole('button', { name: 'Edit' })).toBeVisible()
  await openActions(page)
  await page.keyboard.type('edit')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/aggregates/${uuid}?edit=yes`)
  await expect(page.getByRole('region', { name: 'Draft', exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Edit' })).toBeDisabled()
  await openActions(page)
  // The draft is already open, so the action "edit" is listed as disabled.
  await page.keyboard.type('edit')
  await expect(entries(page)).toHaveText(['EditNot available now.'])
  await page.keyboard.press('Enter')
  await expect(search(page)).toBeFocused()
})

test('a closed dialog returns the focus', { tag: '@rare' }, async ({ page, visit }) => {
  for (const [path, name] of [
    ['/hosts/az1-01', 'Set status'],
    ['/hosts/az1-01', 'Evacuate'],
    ['/aggregates', 'Create'],
    ['/keys', 'Create a key'],
    ['/simulate', 'Saved'],
    ['/', 'Keyboard shortcuts'],
  ] as const) {
    await visit(path)
    const opener = page.getByRole('button', { name }).first()
    await opener.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await expect(dialog.locator(':focus')).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(opener, `${path} ${name}`).toBeFocused()
  }
})

test('if the element that opened a dialog is gone, the heading gets the focus', { tag: '@rare' }, async ({ page, visit, service }) => {
  const { client } = service
  await report(client, { 'ends-01': { traits: ['CUSTOM_ENDS'] } })
  await place(client, { vcpus: 1, memoryMb: 1_024, extraSpecs: { 'trait:CUSTOM_ENDS': 'required' } })
  await visit('/claims?q=host:ends-01')
  // Rows can be selected once the page has loaded the scopes of the API key.
  await expect(page.getByRole('checkbox')).toHaveCount(1)
  await page.getByRole('grid').focus()
  await pressSequence(page, 'j x')
  await page.getByRole('button', { name: 'Revoke ...' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Revoke 1 claim' })
  await dialog.getByLabel('Reason').fill('no longer needed')
  await dialog.getByRole('button', { name: 'Revoke 1 claim' }).focus()
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Claims', level: 1 })).toBeFocused()
})

test('arrow keys select actions of the page, and while the menu of an action is open, shortcuts of the page have no effect', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  await visit(`/decisions/${service.seed.refused.decisionId}`)
  await expect(page.getByRole('button', { name: 'Copy as' })).toBeVisible()
  await openActions(page)
  await expect(entries(page)).toHaveText(['On the map', 'Simulate this request', 'Copy as', 'Replay now'])
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Link' })).toBeFocused()
  // While the menu is open, a letter that matches no entry does not trigger a shortcut of the page.
  await page.keyboard.press('.')
  await page.keyboard.press('m')
  await expect(page.getByRole('menuitem', { name: 'Link' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu', { name: 'Copy as' })).toBeHidden()
  await expect(page.getByRole('button', { name: 'Copy as' })).toBeFocused()
  await openActions(page)
  await page.keyboard.type('map')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/hosts\?decision=/)
})

test('in the past an action is disabled, with the reason, and does nothing', { tag: '@rare' }, async ({ page, visit, service }) => {
  const uuid = await gather(service.client, 'acted-on-then', { hosts: ['az1-04'] })
  const { health } = await service.client.request<{ health: { revision: string } }>('{ health { revision } }', {})
  await visit(`/aggregates/${uuid}?at=${health.revision}`)
  await expect(page.getByRole('button', { name: 'Delete' })).toBeVisible()
  await openActions(page)
  await page.keyboard.type('del')
  await expect(entries(page)).toHaveText([/^DeleteNothing can be changed while the console shows the past/])
  await page.keyboard.press('Enter')
  await expect(search(page)).toBeFocused()
  await expect(page.getByRole('dialog', { name: /Delete/ })).toHaveCount(0)
})

test('actions of rows are offered for the current row', { tag: '@rare' }, async ({ page, visit }) => {
  await visit('/keys')
  await expect(page.getByRole('grid', { name: 'Keys' })).toBeVisible()
  await openActions(page)
  await expect(entries(page)).toHaveText(['Copy as', 'Create a key'])
  await page.keyboard.press('Escape')
  await expect(search(page)).toBeHidden()
  await page.keyboard.press('j')
  await openActions(page)
  await expect(entries(page)).toHaveText(['Copy as', 'Create a key', /^Rotate ./, /^Revoke ./])
})

test('a page without actions, and a word without matches, show a message', { tag: '@rare' }, async ({ page, visit }) => {
  await visit('/hosts/no-such-host')
  await expect(page.getByText('Host not found')).toBeVisible()
  await openActions(page)
  await expect(page.getByText('No actions on this page.')).toBeVisible()
  await page.goto('/aggregates')
  await expect(page.getByRole('button', { name: 'Create', exact: true })).toBeVisible()
  await openActions(page)
  await page.keyboard.type('no such action')
  await expect(page.getByText('No matching actions.')).toBeVisible()
})

test('the key . is an ordinary character in a field, and no shortcut if single-key shortcuts are off', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await visit('/aggregates?q=name:fast-disks')
  await expectRowCount(page, 'Aggregates', 1)
  await page.keyboard.press('/')
  await page.keyboard.press('.')
  await expect(search(page)).toBeHidden()
  await page.goto('/settings')
  await page.getByRole('switch', { name: 'Single-key shortcuts' }).uncheck()
  await page.goto('/aggregates')
  await expect(page.getByRole('button', { name: 'Create', exact: true })).toBeVisible()
  await page.keyboard.press('.')
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('textbox', { name: 'Search and go' })).toBeFocused()
  await expect(search(page)).toBeHidden()
})

test('the help lists the shortcut for the actions of the page', { tag: '@rare' }, async ({ page, visit }) => {
  await visit('/aggregates')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByRole('row', { name: '. Page actions' })).toBeVisible()
})

test('appearance: the actions of a host, in the past, of a page without actions @looks', { tag: '@rare' }, async ({
  page,
  visit,
  look,
  service,
}) => {
  const { health } = await service.client.request<{ health: { revision: string } }>('{ health { revision } }', {})
  await visit('/hosts/az1-01')
  await expect(page.getByRole('button', { name: 'Set status' })).toBeVisible()
  await openActions(page)
  await look('the actions of a host')
  await page.goto(`/hosts/az1-01?at=${health.revision}`)
  await expect(page.getByRole('button', { name: 'Set status' })).toBeVisible()
  await openActions(page)
  await look('the actions of a host of the past')
  await page.goto('/hosts/no-such-host')
  await expect(page.getByText('Host not found')).toBeVisible()
  await openActions(page)
  await look('no action')
})
