import { expect, test } from '../fixtures.ts'
import { firstCells, gridOf, rowsOf, rowWith } from '../grid.ts'
import { boxOf } from '../layout.ts'
import { headsOf } from './lists.ts'

test('every column is visible at 1280 pixels', { tag: '@rare' }, async ({ page, visit }) => {
  for (const view of ['split', 'table']) {
    await visit(`/hosts?view=${view}`)
    await expect(gridOf(page, 'Hosts')).toBeVisible()
    expect(await gridOf(page, 'Hosts').evaluate((grid) => grid.scrollWidth - grid.clientWidth), view).toBe(0)
    const cut = await gridOf(page, 'Hosts')
      .getByRole('columnheader')
      .evaluateAll((heads) => heads.filter((head) => head.scrollWidth > head.clientWidth).map((head) => head.textContent))
    expect(cut, view).toEqual([])
  }
})

test('the query that is copied from a list returns the visible rows in the same order', { tag: '@rare' }, async ({
  page,
  visit,
  context,
  service,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  await visit('/hosts?view=table&q=host:az*&sort=az,-mem.free')
  const names = async () =>
    Promise.all((await rowsOf(page, 'Hosts').all()).map(async (row) => (await row.getByRole('link').textContent()) ?? ''))
  await expect.poll(async () => (await names()).length).toBeGreaterThan(2)
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'GraphQL query' }).click()
  await expect(page.getByText('Copied: GraphQL query.')).toBeVisible()
  const query = await page.evaluate(() => navigator.clipboard.readText())
  const { hosts } = await service.client.request<{ hosts: { nodes: { name: string }[] } }>(query)
  expect(await names()).toEqual(hosts.nodes.map(({ name }) => name))
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'Command line' }).click()
  await expect(page.getByText('Copied: Command line.')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("gantt hosts --all --query 'host:az*' --sort 'az,-mem.free'")
})

test('the selected columns are in the URL, are stored in the browser, and can be reset', { tag: '@rare' }, async ({
  page,
  visit,
  browser,
  service,
}) => {
  await visit('/hosts?view=table')
  await expect(rowWith(page, 'Hosts', 'az1-01')).toBeVisible()
  const usual = await headsOf(page)
  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  const chooser = page.getByRole('dialog', { name: 'Columns' })
  await expect(chooser.getByRole('checkbox', { name: 'Host', exact: true })).toBeDisabled()
  await chooser.getByRole('checkbox', { name: 'Zone' }).uncheck()
  await chooser.getByRole('checkbox', { name: 'Traits' }).check()
  await expect(page).toHaveURL(/cols=host,state,.*,trait/)
  const chosen = [...usual.filter((name) => name !== 'Zone'), 'Traits']
  await expect.poll(() => headsOf(page)).toEqual(chosen)
  await expect(rowWith(page, 'Hosts', 'az1-01')).toContainText('HW_CPU_X86_AVX2')

  const elsewhere = await browser.newContext()
  try {
    const other = await elsewhere.newPage()
    await other.goto(`${page.url()}#key=${service.key}`)
    await expect.poll(() => headsOf(other)).toEqual(chosen)
    await other.goto('/hosts?view=table')
    await expect.poll(() => headsOf(other)).toEqual(usual)
  } finally {
    await elsewhere.close()
  }

  await page.goto('/hosts?view=table')
  await expect.poll(() => headsOf(page)).toEqual(chosen)
  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  await chooser.getByRole('button', { name: 'Reset' }).click()
  await expect.poll(() => headsOf(page)).toEqual(usual)
})

test('the width of a column is changed by its edge or by a number, within limits, and stored in the browser', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await visit('/hosts?view=table')
  const head = gridOf(page, 'Hosts').getByRole('columnheader', { name: 'Zone' })
  const widthOf = async () => Math.round((await head.boundingBox())?.width ?? 0)
  const edge = await boxOf(head.locator('.g-table-edge'))
  const before = await widthOf()
  await page.mouse.move(edge.x + 3, edge.y + 8)
  await page.mouse.down()
  await page.mouse.move(edge.x + 63, edge.y + 8, { steps: 3 })
  await page.mouse.up()
  expect(await widthOf()).toBeGreaterThan(before + 40)
  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  const width = page.getByRole('spinbutton', { name: 'Width of Zone, pixels' })
  await width.fill('5')
  await width.press('Enter')
  await expect(width).toHaveValue('40')
  await width.fill('150')
  await width.press('Enter')
  await page.reload()
  await expect.poll(widthOf).toBe(150)
  await head.locator('.g-table-edge').dblclick()
  await expect.poll(widthOf).toBe(before)
})

test('hosts are sorted by several columns with Shift and a click or a key, and the URL has the order', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await visit('/hosts?view=table&q=host:az*')
  const grid = gridOf(page, 'Hosts')
  await grid.getByRole('button', { name: 'Zone' }).click()
  await grid.getByRole('button', { name: 'Memory free' }).click({ modifiers: ['Shift'] })
  await expect(page).toHaveURL(/sort=az,-mem\.free/)
  const { hosts } = await service.client.request<{
    hosts: { nodes: { name: string; availabilityZone: string; capacity: { resourceClass: string; free: number }[] }[] }
  }>(
    '{ hosts(first: 100, query: "host:az*", orderBy: [{ field: NAME }]) { nodes { name availabilityZone capacity { resourceClass free } } } }',
  )
  const memoryOf = ({ capacity }: (typeof hosts.nodes)[number]) => capacity.find((one) => one.resourceClass === 'MEMORY_MB')?.free ?? 0
  hosts.nodes.sort((a, b) => a.availabilityZone.localeCompare(b.availabilityZone) || memoryOf(b) - memoryOf(a))
  await expect.poll(() => firstCells(page, 'Hosts')).toEqual(hosts.nodes.map(({ name }) => name))
  await expect(grid.getByRole('columnheader', { name: 'Zone' })).toHaveAttribute('aria-sort', 'ascending')
  await expect(grid.getByRole('button', { name: /Memory free.*order 2, descending/ })).toBeVisible()
  for (const sort of ['az,mem.free', 'az']) {
    await grid.getByRole('button', { name: 'Memory free' }).focus()
    await page.keyboard.press('Shift+Enter')
    await expect(page).toHaveURL(`/hosts?view=table&q=host:az*&sort=${sort}`)
  }
})

test('nothing moves under the pointer when late content is loaded', { tag: '@rare' }, async ({ page, visit }) => {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/(copy-hosts|views-button)-[^/]*\.js$/, async (route) => {
    await released
    await route.continue()
  })
  await visit('/hosts?q=agg:fast-disks')
  const clear = page.getByRole('button', { name: 'Clear the filter' })
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Copy as' })).toHaveCount(0)
  const before = await clear.boundingBox()
  release()
  await expect(page.getByRole('button', { name: 'Copy as' })).toBeVisible()
  expect(await clear.boundingBox()).toEqual(before)
})
