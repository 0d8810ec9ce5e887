import { expect, test } from '../fixtures.ts'
import { expectRowCount, gridOf, rowWith } from '../grid.ts'
import { report } from '../seed.ts'

test('the button of the facets keeps the focus while hosts are selected, and still hides and shows the facets', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await visit('/hosts?view=table')
  await gridOf(page, 'Hosts').focus()
  await page.keyboard.press('j')
  const button = page.getByRole('button', { name: 'Facets' })
  await button.focus()
  await page.keyboard.press('x')
  await expect(page.locator('[data-chosen="1"]')).toBeVisible()
  await expect(button).toBeFocused()
  await expect(button).toHaveAttribute('aria-expanded', 'true')
  const facets = page.getByRole('navigation', { name: 'Facets' })
  await page.keyboard.press('Enter')
  await expect(facets).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(facets).toBeVisible()
  await expect(button).toBeFocused()
})

test('if the element with the focus disappears, the element in its place or before it gets the focus', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await visit('/hosts?view=table')
  const grid = gridOf(page, 'Hosts')
  const compare = page.getByRole('button', { name: 'Compare', exact: true })
  await test.step('a button for selected hosts', async () => {
    await grid.getByRole('checkbox').first().check()
    await page.getByRole('button', { name: 'None', exact: true }).press('Enter')
    await expect(page.locator('[data-chosen]')).toHaveCount(0)
    await expect(compare).toBeFocused()
  })
  await test.step('a panel that its own button closes', async () => {
    await compare.press('Enter')
    const panel = page.getByRole('region', { name: 'Compare' })
    await panel.getByRole('button', { name: 'Close' }).press('Enter')
    await expect(panel).toHaveCount(0)
    await expect(compare).toBeFocused()
  })
  await test.step('the side panel', async () => {
    await grid.press('j')
    await grid.press('o')
    await page.getByRole('button', { name: 'Close the side panel' }).press('Escape')
    await expect(page.getByRole('complementary', { name: 'Side panel' })).toHaveCount(0)
    await expect(grid).toBeFocused()
  })
  await test.step('the menu of the columns', async () => {
    const columns = page.getByRole('button', { name: 'Columns', exact: true })
    await columns.press('Enter')
    const menu = page.getByRole('dialog', { name: 'Columns' })
    await menu.getByRole('button', { name: 'Reset' }).press('Escape')
    await expect(menu).toHaveCount(0)
    await expect(columns).toBeFocused()
  })
  await test.step('the message that no host matches', async () => {
    await visit('/hosts?view=table&q=host:no-such-*')
    const clear = page.getByRole('main').getByRole('button', { name: 'Clear the filter' }).last()
    await clear.press('Enter')
    await expect(grid).toBeFocused()
  })
  await test.step('a button in a list without other actions', async () => {
    await visit('/claims')
    await gridOf(page, 'Claims').getByRole('checkbox').first().check()
    await page.getByRole('button', { name: 'None', exact: true }).press('Enter')
    await expect(page.getByRole('button', { name: 'Columns', exact: true })).toBeFocused()
  })
})

test('if the row with the focus is scrolled out of a list, the list gets the focus', { tag: '@rare' }, async ({ page, visit, service }) => {
  await report(service.client, Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`scrolled-${String(i).padStart(3, '0')}`, {}])))
  await visit('/hosts?view=table&q=host:scrolled-*')
  await expectRowCount(page, 'Hosts', 100)
  const grid = gridOf(page, 'Hosts')
  await rowWith(page, 'Hosts', 'scrolled-001').getByRole('checkbox').check()
  await grid.evaluate((list) => list.scrollTo({ top: list.scrollHeight }))
  await expect(rowWith(page, 'Hosts', 'scrolled-001')).toHaveCount(0)
  await expect(grid).toBeFocused()
})

test('a button that is disabled while its call runs gets the focus back', { tag: '@rare' }, async ({ page, visit, service }) => {
  await visit(`/decisions/${service.seed.placed.decisionId}`)
  const verify = page.getByRole('button', { name: 'Verify' })
  await verify.press('Enter')
  await expect(page.locator('[data-verified]')).toBeVisible()
  await expect(verify).toBeFocused()
})

test('an element that lost the focus on purpose does not get it back', { tag: '@rare' }, async ({ page, visit }) => {
  await visit('/hosts?view=table')
  await gridOf(page, 'Hosts').getByRole('checkbox').first().check()
  const none = page.getByRole('button', { name: 'None', exact: true })
  await none.focus()
  await none.blur()
  await none.dispatchEvent('click')
  await expect(page.locator('[data-chosen]')).toHaveCount(0)
  await expect(page.locator('body')).toBeFocused()
})
