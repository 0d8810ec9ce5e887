import { expect } from '../fixtures.ts'
import { expectRowCount, firstCells, gridOf, inWords, numberIn } from '../grid.ts'
import { hostsWhere, LARGE, test, ZONES, zoneOf } from './large-fleet.ts'
import { countOf, expectVirtual, found, isByMemory, memoryFreeOf, QUARTER } from './lists.ts'

test('hosts: the table has all hosts but renders only visible rows, the End key reaches the last host, and the URL contains the sort order', async ({
  page,
  visit,
  large,
  look,
}) => {
  await visit('/hosts?view=table')
  await expect(found(page)).toHaveAttribute('data-count', String(LARGE))
  await expectVirtual(page, 'Hosts', LARGE)
  expect((await firstCells(page, 'Hosts'))[0]).toBe(large.names[0])
  await gridOf(page, 'Hosts').press('End')
  await expect.poll(async () => (await firstCells(page, 'Hosts')).at(-1)).toBe(large.names.at(-1))
  await look('the table of a large fleet')
  await gridOf(page, 'Hosts').getByRole('button', { name: 'Memory free' }).click()
  await expect(page).toHaveURL(/sort=-mem\.free/)
  const shown = async () => (await firstCells(page, 'Hosts')).slice(0, 10)
  await expect.poll(async () => isByMemory(await memoryFreeOf(large.client, await shown()))).toBe(true)
  const names = await shown()
  const [most = 0] = await memoryFreeOf(large.client, names)
  expect(await countOf(large.client, 'hosts', `mem.free>${most}MiB`)).toBe(0)
  await page.reload()
  await expect.poll(shown).toEqual(names)
})

test('hosts: every count of a facet equals that of the API, and links to exactly as many hosts', async ({ page, visit, large }) => {
  await visit('/hosts?view=table')
  const facets = page.getByRole('navigation', { name: 'Facets' })
  await expect(facets.getByTitle('fast-disks', { exact: true }).locator('.number')).toHaveText(inWords(QUARTER))
  const values = await facets
    .locator('button[aria-pressed]')
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('title') ?? ''))
  expect(values.length).toBeGreaterThan(12)
  for (const value of values) {
    const facet = facets.getByTitle(value, { exact: true })
    const count = numberIn(await facet.locator('.number').textContent())
    await facet.click()
    await expect(found(page)).toHaveAttribute('data-count', String(count))
    await expectRowCount(page, 'Hosts', count)
    expect(await countOf(large.client, 'hosts', new URL(page.url()).searchParams.get('q') ?? ''), value).toBe(count)
    await facet.click()
    await expect(page).toHaveURL('/hosts?view=table')
    await expect(found(page)).toHaveAttribute('data-count', String(LARGE))
  }
})

test('hosts: each typed word filters the list like the API, and the URL has the filter', async ({ page, visit, large }) => {
  await visit('/hosts?view=table')
  await expectRowCount(page, 'Hosts', LARGE)
  await page.keyboard.press('/')
  let typed = ''
  let before = LARGE
  for (const word of ['az:az2', ' status:ENABLED', ' mem.free>=40GiB', ' -agg:fast-disks', ' trait:HW_CPU_X86_AVX512F']) {
    await page.keyboard.type(word)
    typed += word
    const count = await countOf(large.client, 'hosts', typed)
    await expect(found(page), typed).toHaveAttribute('data-count', String(count))
    // In a small fleet, a typed word can match all remaining hosts.
    expect(count, typed).toBeLessThan(LARGE >= 1_000 ? before : before + 1)
    before = count
  }
  for (const _ of ' trait:HW_CPU_X86_AVX512F') await page.keyboard.press('Backspace')
  const count = await countOf(large.client, 'hosts', 'az:az2 status:ENABLED mem.free>=40GiB -agg:fast-disks')
  await expect(found(page)).toHaveAttribute('data-count', String(count))
  await page.keyboard.press('Enter')
  const address = page.url()
  await page.reload()
  await expectRowCount(page, 'Hosts', count)
  expect(page.url()).toBe(address)
})

test('hosts: all matching hosts are selected by a button, stay selected without the filter, and the effect of a status is counted', async ({
  page,
  visit,
  large,
  look,
}) => {
  await visit('/hosts?view=table&q=agg:fast-disks')
  await expectRowCount(page, 'Hosts', QUARTER)
  await gridOf(page, 'Hosts').focus()
  for (const key of ['j', 'x']) await page.keyboard.press(key)
  await expect(page.locator('[data-chosen="1"]')).toBeVisible()
  await page.getByRole('button', { name: `Choose all ${inWords(QUARTER)} matching` }).click()
  await expect(page.locator(`[data-chosen="${QUARTER}"]`)).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await expectRowCount(page, 'Hosts', LARGE)
  await expect(page.locator(`[data-chosen="${QUARTER}"]`)).toBeVisible()
  await page.getByRole('button', { name: 'Set status ...' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator(`[data-hosts="${QUARTER}"]`)).toBeVisible()
  await dialog.getByLabel('Reason').fill('would its racks be moved')
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(dialog.getByRole('status')).toContainText(`${inWords(QUARTER)} hosts with`)
  await look('a status for a quarter of a large fleet')
  const disabled = await countOf(large.client, 'hosts', 'status:DISABLED')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  expect(await countOf(large.client, 'hosts', 'status:DISABLED')).toBe(disabled)
})

test('hosts: the map has all hosts, the counts of its headings add up and link to these hosts, and Enter opens the cell at the cursor', async ({
  page,
  visit,
  look,
}) => {
  await visit('/hosts?view=map')
  const map = page.getByRole('application', { name: `Map of ${inWords(LARGE)} hosts` })
  await expect(map).toBeVisible()
  const headings = page.getByRole('region', { name: 'Map' }).getByRole('button', { name: / hosts, / })
  await expect(headings).toHaveCount(ZONES.length)
  const counts = (await headings.allTextContents()).map((text) => numberIn(/\S+ hosts,/.exec(text)?.[0] ?? null))
  expect(counts).toEqual(ZONES.map((_, zone) => hostsWhere((i) => zoneOf(i) === zone)))
  await map.focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('[data-cell-line]')).toContainText(/^cmp-\d+: az1/)
  await look('the map of a large fleet')
  const name = /^cmp-\d+/.exec((await page.locator('[data-cell-line]').textContent()) ?? '')?.[0] ?? ''
  await map.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await page.goBack()
  await headings.nth(2).click()
  await expect(found(page)).toHaveAttribute('data-count', String(counts[2]))
})

test('hosts: an earlier revision shows the hosts that had reported by then', async ({ page, visit, large }) => {
  await visit(`/hosts?view=table&at=${large.early.revision}`)
  await expectVirtual(page, 'Hosts', large.early.hosts)
  await gridOf(page, 'Hosts').press('End')
  await expect.poll(async () => (await firstCells(page, 'Hosts')).at(-1)).toBe(large.names[large.early.hosts - 1])
})

test('a host: its amounts and the count of its claims are those of the API, and [ and ] step through a long list', async ({
  page,
  visit,
  large,
  look,
}) => {
  const host = large.placed.hosts[0] ?? ''
  await visit(`/hosts/${host}`)
  const { host: read } = await large.client.request<{
    host: { claims: { totalCount: number }; capacity: readonly Readonly<Record<string, number | string>>[] }
  }>(
    'query Sums($host: String!) { host(name: $host) { claims { totalCount } capacity { resourceClass total reserved capacity used claimed free } } }',
    { host },
  )
  const table = page.getByRole('table', { name: 'Usage by resource class' })
  await expect(table.getByRole('rowheader')).toHaveCount(read.capacity.length)
  for (const { resourceClass, total, reserved, capacity, used, claimed, free } of read.capacity) {
    const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: String(resourceClass), exact: true }) })
    const shown = await row.locator('[data-value]').evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute('data-value'))))
    expect(shown, String(resourceClass)).toEqual([total, reserved, capacity, used, claimed, free])
  }
  await look('a host of a large fleet')
  await page.getByRole('tab', { name: `Claims (${read.claims.totalCount})` }).click()
  await expect(page.getByRole('table', { name: 'Live claims' }).getByRole('row')).toHaveCount(read.claims.totalCount + 1)

  await page.goto('/hosts?view=table&sort=-host')
  await gridOf(page, 'Hosts').focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: large.names[0] ?? '', level: 1 })).toBeVisible()
  await page.keyboard.press('[')
  await expect(page.getByRole('heading', { name: large.names[1] ?? '', level: 1 })).toBeVisible()
})
