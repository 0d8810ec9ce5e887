import { expect, type Page, test } from '../fixtures.ts'
import { expectRowCount } from '../grid.ts'
import { place } from '../seed.ts'

const views = (page: Page) => page.getByRole('dialog', { name: 'Views' })
const filterOf = (page: Page): string | null => new URL(page.url()).searchParams.get('q')

test('a view is saved under a name, opened, renamed and deleted with the keyboard alone', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await place(service.client, { flavor: 'x6.kept', vcpus: 400 })
  await visit('/decisions?q=flavor:x6.kept&cols=at,outcome,flavor&live=off')
  await expectRowCount(page, 'Decisions', 1)
  await page.keyboard.press('v')
  await expect(views(page)).toContainText('No saved views yet')
  await expect(page.getByRole('textbox', { name: 'Name for the present view' })).toBeFocused()
  await page.keyboard.type('Kept ones')
  await page.keyboard.press('Enter')
  const kept = views(page).getByRole('button', { name: 'Kept ones', exact: true })
  await expect(kept).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('Escape')
  await expect(views(page)).toBeHidden()

  await page.goto('/decisions?q=outcome:PLACED&group=flavor&live=off')
  await expect(page.getByRole('grid', { name: 'Decisions by flavor' })).toBeVisible()
  await page.keyboard.press('v')
  await expect(kept).toBeVisible()
  await kept.press('Enter')
  await expectRowCount(page, 'Decisions', 1)
  expect(filterOf(page)).toBe('flavor:x6.kept')
  expect(new URL(page.url()).searchParams.get('cols')).toBe('at,outcome,flavor')
  expect(new URL(page.url()).searchParams.get('group')).toBeNull()

  // The list of views closes when a view is opened. Until it is closed, the key v would only close it.
  await expect(views(page)).toBeHidden()
  await page.keyboard.press('v')
  await views(page).getByRole('button', { name: 'Rename Kept ones' }).press('Enter')
  await expect(page.getByRole('textbox', { name: 'Another name for Kept ones' })).toBeFocused()
  await page.keyboard.type('Refused')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Name for the present view' })).toBeFocused()
  await views(page).getByRole('button', { name: 'Delete Refused' }).press('Enter')
  await expect(views(page)).toContainText('No saved views yet')
})

test('each list has its own views with their sort order, a view can be replaced, and a rename to a used name is refused', {
  tag: '@rare',
}, async ({ page, visit }) => {
  await visit('/hosts?q=az:az1&sort=-mem.free&view=table')
  await page.getByRole('button', { name: 'Views' }).click()
  const name = page.getByRole('textbox', { name: 'Name for the present view' })
  await name.fill('Most memory')
  await views(page).getByRole('button', { name: 'Save' }).click()
  await name.fill('Most memory')
  await expect(views(page).getByRole('button', { name: 'Replace' })).toBeVisible()
  await name.fill('Others')
  await views(page).getByRole('button', { name: 'Save' }).click()
  await views(page).getByRole('button', { name: 'Rename Others' }).click()
  await page.getByRole('textbox', { name: 'Another name for Others' }).fill('Most memory')
  await expect(views(page)).toContainText('This name is taken')
  await page.goto('/claims')
  await page.getByRole('button', { name: 'Views' }).click()
  await expect(views(page)).toContainText('No saved views yet')
  await page.goto('/hosts')
  await page.getByRole('button', { name: 'Views' }).click()
  await views(page).getByRole('button', { name: 'Most memory', exact: true }).click()
  await expect.poll(() => filterOf(page)).toBe('az:az1')
  expect(new URL(page.url()).searchParams.get('sort')).toBe('-mem.free')
  expect(new URL(page.url()).searchParams.get('view')).toBe('table')
})

test('appearance: the saved views of a list @looks', { tag: '@rare' }, async ({ page, visit, look }) => {
  await visit('/audit?q=mutation:claim*')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('textbox', { name: 'Name for the present view' }).fill('Claims with changes')
  await views(page).getByRole('button', { name: 'Save' }).click()
  await expect(views(page).getByRole('button', { name: 'Claims with changes', exact: true })).toBeVisible()
  await look('the views of a list')
})
