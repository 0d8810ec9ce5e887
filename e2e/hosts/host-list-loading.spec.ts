import { expect, test } from '../fixtures.ts'
import { gridOf } from '../grid.ts'
import { boxOf } from '../layout.ts'
import { report } from '../seed.ts'

test('a filtered list does not move when the rest of the page is loaded', { tag: '@rare' }, async ({ page, visit, service }) => {
  await report(service.client, { 'load-1': {}, 'load-2': {} })
  await visit('/')
  await expect(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Hosts' })).toBeVisible()

  // Scripts that the page requests once the list is shown are held back until the list was measured.
  let release = (): void => undefined
  const measured = new Promise<void>((resolve) => {
    release = resolve
  })
  const waiting = new Set<string>()
  await page.route('**/assets/*.js', async (route) => {
    const file = new URL(route.request().url()).pathname
    if (!file.includes('/hosts-page-') && (await page.locator('[data-count]').count()) > 0) {
      waiting.add(file)
      await measured
    }
    await route.continue()
  })
  await page.evaluate(() => {
    history.pushState(null, '', '/hosts?q=host:load-*&view=table')
    dispatchEvent(new PopStateEvent('popstate'))
  })
  const row = gridOf(page, 'Hosts').getByRole('row').filter({ hasText: 'load-1' })
  await expect(row.getByRole('checkbox')).toBeVisible()
  const before = await boxOf(row)
  await expect.poll(() => waiting.size, 'the page loads parts after the list').toBeGreaterThan(0)
  release()
  await expect(page.getByRole('button', { name: 'Views' })).toBeEnabled()
  await expect(page.getByRole('list', { name: 'Filter hosts: terms' })).toBeVisible()
  expect(await boxOf(row)).toEqual(before)
})

for (const width of [1280, 1440, 1920])
  test(`the list does not move when the first row is selected, in a window of ${width} px`, { tag: '@rare' }, async ({
    page,
    visit,
    service,
  }) => {
    await report(service.client, { 'load-1': {}, 'load-2': {} })
    await page.setViewportSize({ width, height: 800 })
    await visit('/hosts?q=host:load-*&view=table')
    const row = gridOf(page, 'Hosts').getByRole('row').filter({ hasText: 'load-2' })
    const before = await boxOf(row)
    await row.getByRole('checkbox').check()
    await expect(page.getByText('1 chosen')).toBeVisible()
    expect(await boxOf(row)).toEqual(before)
  })
