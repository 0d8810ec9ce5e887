import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Client } from '@gantt/client'
import type { Locator } from '@playwright/test'
import { holdCalls, operationOf, revokeKey } from './calls.ts'
import { expect, expectNoSidewaysScroll, type Page, test } from './fixtures.ts'
import { expectRowCount, firstCells, gridOf, numberIn, rowsOf, rowWith } from './grid.ts'
import { pressSequence } from './keyboard.ts'
import { boxOf } from './layout.ts'
import { boxOfMap, mapOf } from './map.ts'
import { gather, place, report } from './seed.ts'
import { startService } from './service.ts'

const live = (page: Page) => page.locator('[data-live=live]')
const found = (page: Page) => page.getByRole('main').locator('[data-count]')
const filterOf = (page: Page) => page.getByRole('combobox', { name: 'Filter hosts' })

async function namesOf(client: Client, query: string): Promise<string[]> {
  const { hosts } = await client.request<{ hosts: { totalCount: number; nodes: { name: string }[] } }>(
    'query Names($query: String!) { hosts(first: 500, query: $query, orderBy: [{ field: NAME }]) { totalCount nodes { name } } }',
    { query },
  )
  return hosts.nodes.map(({ name }) => name)
}

test('a host reports and appears by itself, and its row follows what it reports', async ({ page, visit, service }) => {
  await visit('/hosts?view=table&q=host:live-*')
  await expect(page.getByRole('heading', { name: 'No host matches' })).toBeVisible()
  await expect(live(page)).toBeVisible()
  await report(service.client, { 'live-01': { memoryMbUsed: 16_384 } })
  const row = rowWith(page, 'Hosts', 'live-01')
  await expect(row).toContainText('48 GiB')
  await expect(found(page)).toHaveAttribute('data-count', '1')
  await report(service.client, { 'live-01': { memoryMbUsed: 32_768 } })
  await expect(row).toContainText('32 GiB')
})

/** So many rows of a list exist at least, where it has as many. */
const IN_SIGHT = 14

test('every count of a facet opens exactly that many hosts, the same as the API has', async ({ page, visit, service }) => {
  await visit('/hosts?view=table')
  const facets = page.getByRole('navigation', { name: 'Facets' }).getByRole('button', { pressed: false })
  await expect(facets.first()).toBeVisible()
  const all = await facets.evaluateAll((buttons) =>
    buttons.flatMap((button) => (button.hasAttribute('aria-pressed') ? (button.getAttribute('title') ?? '') : [])),
  )
  expect(all.length).toBeGreaterThan(8)
  const inAll = (await found(page).getAttribute('data-count')) ?? ''
  for (const value of all) {
    const facet = page.getByRole('navigation', { name: 'Facets' }).getByTitle(value, { exact: true }).first()
    const count = numberIn(await facet.locator('.number').textContent())
    await facet.click()
    await expect(found(page)).toHaveAttribute('data-count', String(count))
    await expectRowCount(page, 'Hosts', count)
    const query = new URL(page.url()).searchParams.get('q') ?? ''
    const names = await namesOf(service.client, query)
    expect(names).toHaveLength(count)
    const shown = await firstCells(page, 'Hosts')
    // of a longer list, as other tests may leave one, only the rows in sight exist
    if (count <= IN_SIGHT) expect(shown.sort()).toEqual(names.sort())
    else expect(names).toEqual(expect.arrayContaining(shown))
    await facet.click()
    await expect(page).toHaveURL('/hosts?view=table')
    // the lists follow the address a moment later, and the next count is read from them
    await expect(found(page)).toHaveAttribute('data-count', inAll)
  }
})

for (const [q, value] of [
  ['az:az1', 'az2'],
  ['az:az*', 'az1'],
  ['-agg:fast-disks', 'fast-disks'],
  ['status!=ENABLED', 'ENABLED'],
  ['agg:zone-az1 az:az1', 'fast-disks'],
] as const)
  test(`the facet ${value} opens as many hosts as it says, where the filter is ${q}`, { tag: q.startsWith('az') ? [] : '@rare' }, async ({
    page,
    visit,
  }) => {
    await visit(`/hosts?view=table&q=${encodeURIComponent(q)}`)
    const facet = page.getByRole('navigation', { name: 'Facets' }).getByTitle(value, { exact: true })
    const count = numberIn(await facet.locator('.number').textContent())
    await facet.click()
    await expect(facet).toHaveAttribute('aria-pressed', 'true')
    await expectRowCount(page, 'Hosts', count)
    await expect(found(page)).toHaveAttribute('data-count', String(count))
  })

test('with Shift, a facet gets one value more', async ({ page, visit }) => {
  await visit('/hosts?view=table&q=az:az1')
  const facets = page.getByRole('navigation', { name: 'Facets' })
  await facets.getByTitle('az2', { exact: true }).click({ modifiers: ['Shift'] })
  await expect(page).toHaveURL(/q=az:az1,az2/)
  await expectRowCount(page, 'Hosts', 12)
  await facets.getByTitle('az1', { exact: true }).focus()
  await page.keyboard.press('Shift+Enter')
  await expectRowCount(page, 'Hosts', 4)
})

test('every heading of the map opens exactly the hosts that it counts', { tag: '@rare' }, async ({ page, visit, service }) => {
  await report(service.client, { 'in-none-01': {} })
  for (const group of ['az', 'aggregate']) {
    await visit(`/hosts?group=${group}`)
    const headings = page.getByRole('region', { name: 'Map' }).getByRole('button', { name: / hosts?, / })
    await expect(headings.first()).toBeVisible()
    const names = await headings.allTextContents()
    expect(names.length).toBeGreaterThan(3)
    for (const name of names) {
      await page.getByRole('button', { name, exact: true }).click()
      await expectRowCount(page, 'Hosts', numberIn(/\S+ hosts?,/.exec(name)?.[0] ?? null))
      await expect(page).toHaveURL(/q=/)
      await page.goBack()
      await expect(page).not.toHaveURL(/q=/)
    }
  }
})

test('what an address says that the console does not know is left out', async ({ page, visit }) => {
  for (const search of ['view=xx&group=yy&colour=zz&no=such', 'sort=constructor', 'sort=-nonsense', 'q=%E0%A4%A&sort=%00']) {
    await visit(`/hosts?${search}`)
    await expect(found(page)).toBeVisible()
    await expect(page.getByRole('alert')).toBeHidden()
  }
  await visit('/hosts/az2-01?sheet=nonsense')
  await expect(page.getByRole('table', { name: 'Usage by resource class' })).toBeVisible()
})

test('every column is in sight at 1280', async ({ page, visit }) => {
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

test('a typed filter narrows as one types; Back undoes what was applied', async ({ page, visit }) => {
  await visit('/hosts?view=table')
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  const all = await found(page).getAttribute('data-count')
  await page.keyboard.press('/')
  await expect(filterOf(page)).toBeFocused()
  await page.keyboard.type('az:az1 status:DISABLED')
  await page.keyboard.press('Enter')
  await expect(found(page)).toHaveAttribute('data-count', '1')
  await expect.poll(() => firstCells(page, 'Hosts')).toEqual(['az1-02'])
  await expect(page).toHaveURL(/q=az:az1/)
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await expect(found(page)).toHaveAttribute('data-count', String(all))
  await page.goBack()
  await expect(found(page)).toHaveAttribute('data-count', '1')
})

test('the terms of a filter stand below it: each is edited there, taken out by its cross or by Delete, and Back brings it back', async ({
  page,
  visit,
}) => {
  const chips = page.getByRole('list', { name: 'Filter hosts: terms' }).getByRole('listitem')
  const chip = (written: string) => page.locator(`[data-term='${written}']`)
  await visit(`/hosts?view=table&q=${encodeURIComponent('az:az1 -agg:"with  space" status:ENABLED')}`)
  await expect(chips).toHaveText(['az:az1', '-agg:"with  space"', 'status:ENABLED'])
  await page.getByRole('button', { name: 'Remove status:ENABLED' }).click()
  await expect(chips).toHaveCount(2)
  await expect(filterOf(page)).toHaveValue('az:az1 -agg:"with  space"')
  await expect(chip('-agg:"with  space"')).toBeFocused()
  await page.goBack()
  await expect(chips).toHaveCount(3)

  await filterOf(page).focus()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Clear the filter' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(chip('az:az1')).toBeFocused()
  await page.keyboard.press('Delete')
  await expect(filterOf(page)).toHaveValue('-agg:"with  space" status:ENABLED')
  await expect(chip('-agg:"with  space"')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(filterOf(page)).toBeFocused()
  await page.keyboard.type('az:az2')
  await expect(chips).toHaveText(['az:az2', 'status:ENABLED'])
  await page.keyboard.press('Enter')
  // a key that is held down goes on before the list has followed
  await page.goto('/hosts?q=up+up+az:az1+status:ENABLED')
  await expect(chips).toHaveCount(4)
  await chip('up').first().focus()
  await page.evaluate(() => {
    for (let i = 0; i < 2; i++)
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', bubbles: true, cancelable: true }))
  })
  await expect(chips).toHaveText(['az:az1', 'status:ENABLED'])
  await page.goto('/hosts?q=up+up+az:az1+status:ENABLED')
  await chip('up').first().press('Delete')
  await expect(chips).toHaveCount(3)
  await expect(chip('up')).toBeFocused()
  await page.goto('/hosts?q=az:az2+status:ENABLED')
  await chip('status:ENABLED').press('Backspace')
  await expect(chip('az:az2')).toBeFocused()
  await chip('az:az2').press('Delete')
  await expect(filterOf(page)).toBeFocused()
  await expect(chips).toHaveCount(0)
})

test('however many terms a filter has, they take two lines at most, and the list leaves room for them', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  const many = Array.from({ length: 40 }, (_, i) => `-agg:none-of-them-${i}`).join(' ')
  await visit(`/hosts?view=table&q=${encodeURIComponent(many)}`)
  const chips = page.getByRole('list', { name: 'Filter hosts: terms' })
  await expect(chips).toBeVisible()
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  const { height = 0, y = 0 } = (await chips.boundingBox()) ?? {}
  expect(height).toBe(52)
  expect((await gridOf(page, 'Hosts').boundingBox())?.y).toBeGreaterThan(y + height)
  const beyond = () =>
    page.evaluate(() => {
      const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement
      return [scrollWidth - clientWidth, scrollHeight - clientHeight]
    })
  await expect.poll(beyond).toEqual([0, 0])
})

test('a filter that is wrong is said so in its place, and the list stays', async ({ page, visit }) => {
  await visit('/hosts?view=table')
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  const all = await found(page).getAttribute('data-count')
  await filterOf(page).fill('mem.fre>=60GiB')
  await filterOf(page).blur()
  await expect(page.getByText('mem.fre', { exact: false }).last()).toBeVisible()
  await expect(filterOf(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(found(page)).toHaveAttribute('data-count', String(all))
})

/** The hosts of a query that have the most memory free. */
async function withMostMemory(client: Client, query: string): Promise<readonly string[]> {
  const { hosts } = await client.request<{ hosts: { nodes: { name: string; capacity: { resourceClass: string; free: number }[] }[] } }>(
    'query MemoryFree($query: String) { hosts(first: 100, query: $query) { nodes { name capacity { resourceClass free } } } }',
    { query },
  )
  const free = hosts.nodes.map(({ name, capacity }) => ({
    name,
    mib: capacity.find(({ resourceClass }) => resourceClass === 'MEMORY_MB')?.free ?? 0,
  }))
  const most = Math.max(...free.map(({ mib }) => mib))
  return free.filter(({ mib }) => mib === most).map(({ name }) => name)
}

test('reload and a second browser show the same view', async ({ page, visit, browser, service }) => {
  await visit('/hosts?view=table&q=az:az1')
  await gridOf(page, 'Hosts').getByRole('button', { name: 'Memory free' }).click()
  await expect(page).toHaveURL(/sort=-mem\.free/)
  // which that is depends on what other tests put there
  const emptiest = await withMostMemory(service.client, 'az:az1')
  await expect.poll(async () => emptiest.includes((await firstCells(page, 'Hosts'))[0] ?? '')).toBe(true)
  const names = await firstCells(page, 'Hosts')
  await page.reload()
  await expect.poll(() => firstCells(page, 'Hosts')).toEqual(names)
  const elsewhere = await browser.newContext()
  try {
    const other = await elsewhere.newPage()
    await other.goto(`${page.url()}#key=${service.key}`)
    await expect.poll(() => firstCells(other, 'Hosts')).toEqual(names)
  } finally {
    await elsewhere.close()
  }
})

test('the sums of a host are the API’s, and they add up', async ({ page, visit, service }) => {
  await visit('/hosts/az2-03')
  const { host } = await service.client.request<{ host: { capacity: Record<string, number | string>[] } }>(
    '{ host(name: "az2-03") { capacity { resourceClass total reserved allocationRatio capacity used claimed free } } }',
  )
  const table = page.getByRole('table', { name: 'Usage by resource class' })
  await expect(table.getByRole('rowheader')).toHaveCount(host.capacity.length)
  for (const { resourceClass, total, reserved, capacity, used, claimed, free } of host.capacity) {
    const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: String(resourceClass), exact: true }) })
    const shown = await row.locator('[data-value]').evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute('data-value'))))
    expect(shown, String(resourceClass)).toEqual([total, reserved, capacity, used, claimed, free])
    expect(Number(capacity) - Number(used) - Number(claimed)).toBe(free)
  }
})

test('by keyboard alone: from anywhere to a host, to the next of the list, and back', async ({ page, visit }) => {
  await visit('/aggregates')
  await expect(page.getByRole('heading', { name: 'Aggregates', level: 1 })).toBeVisible()
  await pressSequence(page, 'g h')
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('az:az2')
  await page.keyboard.press('Enter')
  await expect(found(page)).toHaveAttribute('data-count', '4')
  for (let i = 0; i < 40 && !(await gridOf(page, 'Hosts').evaluate((grid) => grid === document.activeElement)); i++)
    await page.keyboard.press('Tab')
  await expect(gridOf(page, 'Hosts')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('j')
  await expect(rowsOf(page, 'Hosts').and(page.locator('[aria-selected=true]'))).toContainText('az2-02')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'az2-02', level: 1 })).toBeVisible()
  await page.keyboard.press(']')
  await expect(page.getByRole('heading', { name: 'az2-03', level: 1 })).toBeVisible()
  await page.keyboard.press('[')
  await expect(page.getByRole('heading', { name: 'az2-02', level: 1 })).toBeVisible()
  await page.goBack()
  await expect(found(page)).toHaveAttribute('data-count', '4')
})

test('Enter opens the row of j and k from anywhere, and Back returns to it', async ({ page, visit }) => {
  await visit('/hosts?view=table&sort=-host')
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  for (let i = 0; i < 3; i++) await page.keyboard.press('j')
  const marked = rowsOf(page, 'Hosts').and(page.locator('[aria-selected=true]'))
  await expect(marked).toHaveAttribute('aria-rowindex', '4')
  const [name = ''] = ((await marked.getByRole('link').textContent()) ?? '').split('\n')
  await page.keyboard.press('Enter')
  const heading = page.getByRole('heading', { name, level: 1 })
  await expect(heading).toBeFocused()
  await page.goBack()
  await expect(marked).toContainText(name)
  await page.goForward()
  await expect(heading).toBeVisible()
  await page.keyboard.press(']')
  await expect(heading).toBeHidden()
  const next = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
  await page.goBack()
  await expect(marked).toContainText(next)
})

test("j brings the keyboard to the list: Enter is the row's then, not the button's before it", async ({ page, visit }) => {
  await visit('/hosts?view=table')
  const grid = gridOf(page, 'Hosts')
  await expect(grid).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('az:az2')
  await page.keyboard.press('Enter')
  await expect(found(page)).toHaveAttribute('data-count', '4')
  await page.keyboard.press('Tab')
  await expect(grid).not.toBeFocused()
  await page.keyboard.press('j')
  await expect(grid).toBeFocused()
  const marked = rowsOf(page, 'Hosts').and(page.locator('[aria-selected=true]'))
  const name = (await marked.getByRole('link').textContent()) ?? ''
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
})

test('a list is copied in its order: the query that is copied answers the rows that are seen', async ({
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

test('the sheet of a host stands in its address, and each opens what its count says', async ({ page, visit, service }) => {
  await report(service.client, { 'busy-01': {} })
  await gather(service.client, 'zone-busy', { availabilityZone: 'busy', hosts: ['busy-01'] })
  for (let i = 0; i < 21; i++) await place(service.client, { zone: 'busy', vcpus: 0, memoryMb: 64, rootGb: 1 })
  await visit('/hosts/busy-01')
  await page.getByRole('tab', { name: 'Claims (21)' }).click()
  await expect(page).toHaveURL('/hosts/busy-01?sheet=claims')
  await page.reload()
  const claims = page.getByRole('table', { name: 'Live claims' })
  await expect(claims.getByRole('row')).toHaveCount(22)
  await page.getByRole('tab', { name: 'Decisions (21)' }).click()
  await expect(page.getByRole('table', { name: 'Recent decisions' }).getByRole('row')).toHaveCount(21)
  await page.getByRole('link', { name: 'All 21 decisions that chose this host' }).click()
  await expect(page).toHaveURL('/decisions?q=host:busy-01')
  await expectRowCount(page, 'Decisions', 21)
  await page.goBack()
  await expect(page).toHaveURL('/hosts/busy-01?sheet=decisions')
  await page.goBack()
  await expect(claims).toBeVisible()
})

test('what a storage service shows a host is shown with its age, and what a claim takes of a shared pool with the claim', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  const uuid = randomUUID()
  await report(service.client, { 'namespaced-01': {} })
  const { updateResourceStats } = await service.client.request<{ updateResourceStats: { appliedCount: number } }>(
    'mutation Report($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount } }',
    {
      updates: [
        {
          name: { host: 'namespaced-01' },
          reporter: { incarnation: randomUUID(), sequence: 7 },
          report: { namespace: { namespace: 'storage', version: '1.0', document: { pools: [{ uuid, name: 'ceph', totalGib: 100 }] } } },
        },
      ],
    },
  )
  expect(updateResourceStats.appliedCount).toBe(1)
  await gather(service.client, 'zone-namespaced', {
    availabilityZone: 'namespaced',
    hosts: ['namespaced-01'],
    metadata: { 'gantt:disk_pool': uuid },
  })
  await place(service.client, { zone: 'namespaced', rootGb: 30 })
  await visit('/hosts/namespaced-01')
  const namespace = page.locator('section', { has: page.getByRole('heading', { name: 'storage 1.0' }) })
  await expect(namespace).toContainText('Report 7, ')
  await expect(namespace).toContainText('s old by the time of the log')
  await expect(namespace).toContainText(uuid)
  await page.getByRole('tab', { name: 'Claims (1)' }).click()
  await expect(page.getByRole('table', { name: 'Live claims' })).toContainText(`of it in pool ${uuid}: 30 GiB`)
})

test('the map has a cursor for the keyboard, a line about its cell, and opens it', async ({ page, visit }) => {
  await visit('/hosts?view=map&q=az:az1')
  const map = page.getByRole('application', { name: /^Map of 8 hosts/ })
  await map.focus()
  await page.keyboard.press('ArrowRight')
  const line = page.locator('[data-cell-line]')
  await expect(line).toContainText(/^az1-0\d: az1/)
  const first = (await line.textContent())?.slice(0, 6)
  await page.keyboard.press('ArrowRight')
  await expect(line).not.toContainText(first ?? '')
  const name = (await line.textContent())?.slice(0, 6) ?? ''
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
})

test('a host is closed after a look at what that touches', async ({ page, visit, service }) => {
  await report(service.client, { 'to-close-01': {} })
  await visit('/hosts/to-close-01')
  await page.getByRole('button', { name: 'Set status' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Disabled', { exact: true }).click()
  await dialog.getByLabel('Reason').fill('fan replaced')
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(dialog.getByRole('status')).toContainText('It affects 1 host with 0 live claims.')
  const statusOf = async () =>
    (await service.client.request<{ host: { status: string } }>('{ host(name: "to-close-01") { status } }')).host.status
  expect(await statusOf()).toBe('ENABLED')
  await dialog.getByRole('button', { name: 'Set to disabled' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('main')).toContainText('fan replaced')
  expect(await statusOf()).toBe('DISABLED')
})

test('a host is evacuated after a look at where each of its instances would go; what is held is reported', async ({
  page,
  visit,
  service,
}) => {
  const { client } = service
  const traits = ['CUSTOM_LEAVES']
  await report(client, { 'leaving-01': { traits } })
  await place(client, { vcpus: 1, memoryMb: 1_024, extraSpecs: { 'trait:CUSTOM_LEAVES': 'required' } })
  await visit('/hosts/leaving-01')
  await page.getByRole('button', { name: 'Evacuate' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Preview the moves' }).click()
  // nobody else has what it needs
  await expect(dialog.getByRole('status')).toContainText('0 of 1 would find a destination; nothing is changed yet')
  await expect(dialog.getByRole('button', { name: 'Hold 0 places' })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await report(client, { 'leaving-02': { traits } })
  await page.getByRole('button', { name: 'Evacuate' }).click()
  await dialog.getByRole('button', { name: 'Preview the moves' }).click()
  await expect(dialog.getByRole('status')).toContainText('1 of 1 would find a destination; nothing is changed yet')
  const claimsOn = async (host: string) =>
    (
      await client.request<{ host: { claims: { totalCount: number } } }>(
        'query Claims($host: String!) { host(name: $host) { claims { totalCount } } }',
        {
          host,
        },
      )
    ).host.claims.totalCount
  expect(await claimsOn('leaving-02')).toBe(0)
  await dialog.getByRole('button', { name: 'Hold 1 place' }).click()
  await expect(dialog.getByRole('status')).toContainText('1 of 1 have a destination now')
  await expect(dialog.getByRole('row').filter({ hasText: 'leaving-02' })).toHaveCount(1)
  expect(await claimsOn('leaving-02')).toBe(1)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toBeHidden()
})

test('what a change would touch is shown of what is written now: an answer that comes after an edit is none', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await report(service.client, { 'late-look-01': {} })
  await visit('/hosts/late-look-01')
  await page.getByRole('button', { name: 'Set status' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('disk swap')
  const held = await holdCalls(page, (operation) => operation.includes('mutation HostSetStatus'))
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await expect.poll(held.count).toBe(1)
  await dialog.getByText('Draining', { exact: true }).click()
  const answered = page.waitForResponse((response) => operationOf(response.request()).includes('mutation HostSetStatus'))
  held.release()
  await (await answered).finished()
  await expect(dialog.getByRole('button', { name: 'Preview the impact' })).toBeEnabled()
  await expect(dialog.getByRole('status')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(dialog.getByRole('status')).toContainText('It affects 1 host')
  await dialog.getByRole('button', { name: 'Set to draining' }).click()
  await expect(dialog).toBeHidden()
  const { host } = await service.client.request<{ host: { status: string } }>('{ host(name: "late-look-01") { status } }')
  expect(host.status).toBe('DRAINING')
})

test('keys of the page below do nothing while a dialog is open', async ({ page, visit }) => {
  await visit('/hosts/az2-02')
  await page.getByRole('button', { name: 'Set status' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('a long story')
  await dialog.getByRole('button', { name: 'Cancel' }).focus()
  await pressSequence(page, 'g d / f')
  await expect(dialog.getByLabel('Reason')).toHaveValue('a long story')
  await expect(page).toHaveURL('/hosts/az2-02')
})

test('a draft outlives its key: refused, asked for again, Escape, signed in, sent', { tag: '@rare' }, async ({
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

test('a key that ends while one only looks on is asked for again, and the feed goes on with the new one', { tag: '@rare' }, async ({
  page,
  visit,
  service,
  provokes,
}) => {
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

test('a list that a key had no time to load is loaded with the next key', { tag: '@rare' }, async ({ page, visit, service, provokes }) => {
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
    // the page's and the dialog's, for a moment both
    await expect(page.getByRole('alert')).toHaveCount(0)
  }
})

test('after a service began anew, whose ordinals are of other hosts, no host is chosen that nobody chose', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await visit('/hosts?view=table')
  await expect(page.getByRole('checkbox').first()).toBeVisible()
  await page.getByRole('checkbox').first().check()
  await expect(page.locator('[data-chosen="1"]')).toBeVisible()
  const gap = {
    from: '0',
    to: '0',
    ordinals: '',
    names: [],
    otherNodes: [],
    renamed: [],
    dictionaries: [],
    columns: [],
    gap: { resumeAt: '0' },
  }
  let isGapReported = false
  await page.route('**/graphql', async (route) => {
    const operation = operationOf(route.request())
    if (operation.includes('subscription FleetDeltas') && !isGapReported) {
      isGapReported = true
      const body = `event: next\ndata: ${JSON.stringify({ data: { fleetDeltas: gap } })}\n\n`
      return route.fulfill({ contentType: 'text/event-stream', body })
    }
    if (!operation.includes('query FleetColumns')) return route.continue()
    const response = await route.fetch()
    const json = (await response.json()) as { data: { fleet: { columns: { names: string[] } } } }
    json.data.fleet.columns.names.reverse()
    return route.fulfill({ response, json })
  })
  // the stream begins anew
  await page.getByRole('button', { name: 'Freeze' }).click()
  await page.getByRole('button', { name: 'Follow' }).click()
  await expect.poll(() => isGapReported).toBe(true)
  await expect(page.locator('[data-chosen]')).toHaveCount(0)
  await expect(page.getByRole('checkbox').first()).toBeVisible()
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(0)
})

test('a feed that is lost is said to be, and comes back by itself', async ({ page, visit, axe, service, provokes }) => {
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

test('f freezes the list, and lets it follow again', async ({ page, visit, service }) => {
  await visit('/hosts?view=table&q=host:frozen-*')
  await expect(live(page)).toBeVisible()
  await page.keyboard.press('f')
  await expect(page.getByRole('button', { name: 'Follow' })).toBeVisible()
  await report(service.client, { 'frozen-01': {} })
  // one that follows has it by then
  const other = await page.context().newPage()
  await other.goto(`/hosts?view=table&q=host:frozen-*#key=${service.key}`)
  await expect(rowWith(other, 'Hosts', 'frozen-01')).toBeVisible()
  await other.close()
  await expect(rowWith(page, 'Hosts', 'frozen-01')).toHaveCount(0)
  await page.keyboard.press('f')
  await expect(rowWith(page, 'Hosts', 'frozen-01')).toBeVisible()
})

test('a failure of the service is reported with its code and request id, and can be tried again', async ({
  page,
  visit,
  axe,
  provokes,
}) => {
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

test('an empty fleet leads to its first host: the copied command is run, and the host appears', { tag: '@rare' }, async ({
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
    // its feed would complain of the end of the service
    await page.close()
    await service.stop()
  }
})

test.describe('looks', () => {
  test('the list, narrowed, as a map, without a hit @looks @rare', async ({ page, visit, look }) => {
    await visit('/hosts')
    await expect(gridOf(page, 'Hosts')).toBeVisible()
    await look('hosts')
    await filterOf(page).fill('az:')
    await expect(page.getByRole('listbox', { name: 'Filter fields' })).toBeVisible()
    await look('hosts with suggestions')
    await page.goto('/hosts?view=map&q=az:az1&colour=cpu')
    await expect(page.getByRole('application')).toBeVisible()
    await page.getByRole('application').focus()
    await page.keyboard.press('ArrowRight')
    await look('hosts as a map')
    const colour = page.getByRole('combobox', { name: 'Colour' })
    await colour.selectOption({ label: 'Report age' })
    await expect(page).toHaveURL(/colour=age/)
    await expect(page.getByRole('button', { name: /^az1 8 hosts, the oldest report/ })).toBeVisible()
    await expect(page.locator('[data-cell-line]')).toContainText(/; reported .+ ago$/)
    await colour.selectOption({ label: 'Memory free' })
    await expect(page.getByRole('button', { name: /^az1 8 hosts, .* of memory free in all$/ })).toBeVisible()
    await expect(page.getByText(/of memory free, the most of one host here$/)).toBeVisible()
    await page.goto('/hosts?q=host:no-such-host')
    await expect(page.getByRole('heading', { name: 'No host matches' })).toBeVisible()
    await look('hosts without a hit')
  })

  test('a host, its sheets, its status, and one that is absent @looks', { tag: '@rare' }, async ({ page, visit, look }) => {
    await visit('/hosts/az2-01')
    await expect(page.getByRole('table', { name: 'Usage by resource class' })).toBeVisible()
    await look('a host')
    for (const sheet of [/^Claims/, /^Decisions/, /^Raw/]) {
      await page.getByRole('tab', { name: sheet }).click()
      await look(`a host, ${sheet.source}`)
    }
    await page.getByRole('button', { name: 'Set status' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await look('setting a status')
    await page.goto('/hosts/no-such-host')
    await expect(page.getByRole('heading', { name: 'Host not found' })).toBeVisible()
    await look('no such host')
  })

  test('an empty fleet @looks', { tag: '@rare' }, async ({ page, emptyService, look }) => {
    await page.goto(`${emptyService.origin}/hosts#key=${emptyService.key}`)
    await expect(page.getByRole('heading', { name: 'No host has reported yet' })).toBeVisible()
    await look('an empty fleet')
    await page.goto(`${emptyService.origin}/decisions`)
    await expect(page.getByRole('heading', { name: 'No decisions yet' })).toBeVisible()
    await look('no decision yet')
    await page.goto(`${emptyService.origin}/aggregates`)
    await expect(page.getByRole('heading', { name: 'No aggregates yet' })).toBeVisible()
    await look('no aggregate yet')
  })
})

test('hosts are chosen by x and Shift-x, all of them by a step of its own, and their status is set after a look at each', async ({
  page,
  visit,
  service,
}) => {
  await report(service.client, { 'many-01': {}, 'many-02': {}, 'many-03': {}, 'many-04': {} })
  await visit('/hosts?view=table&q=host:many-*')
  await expectRowCount(page, 'Hosts', 4)
  await gridOf(page, 'Hosts').focus()
  for (const key of ['j', 'x', 'j', 'j', 'X']) await page.keyboard.press(key)
  await expect(page.locator('[data-chosen="3"]')).toBeVisible()
  await rowWith(page, 'Hosts', 'many-02').getByRole('checkbox').click()
  await expect(page.locator('[data-chosen="2"]')).toBeVisible()
  await page.getByRole('button', { name: 'Choose all 4 matching' }).click()
  await expect(page.locator('[data-chosen="4"]')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await expect(page.locator('[data-chosen="4"]')).toBeVisible()
  await page.getByRole('button', { name: 'Set status ...' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator('[data-hosts="4"]')).toHaveText('many-01, many-02, many-03, many-04')
  await dialog.getByLabel('Reason').fill('rack is moved')
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(dialog.getByRole('status')).toContainText('4 hosts with 0 live claims')
  await dialog.getByRole('button', { name: 'Set to disabled' }).click()
  await expect(dialog).toBeHidden()
  expect(await namesOf(service.client, 'host:many-* status:DISABLED')).toHaveLength(4)
  expect(await namesOf(service.client, 'status:DISABLED host:az1-01')).toHaveLength(0)
})

test('chosen hosts are led to the draft of an aggregate, with exactly their names in it', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const names = Array.from({ length: 3 }, (_, i) => `to-gather-${i}`)
  await report(service.client, Object.fromEntries(names.map((name) => [name, {}])))
  const uuid = await gather(service.client, 'gathered "by hand"', { hosts: ['az1-04'] })
  await visit('/hosts?view=table&q=host:to-gather-*')
  await expectRowCount(page, 'Hosts', 3)
  await rowWith(page, 'Hosts', 'to-gather-0').getByRole('checkbox').click()
  await rowWith(page, 'Hosts', 'to-gather-2').getByRole('checkbox').click()
  await page.getByRole('button', { name: 'Add to an aggregate ...' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add 2 hosts to an aggregate' })
  await dialog.getByLabel('Aggregate', { exact: true }).fill('"by hand')
  await dialog.getByRole('button', { name: 'gathered "by hand", 1 host' }).click()
  await expect(page).toHaveURL(`/aggregates/${uuid}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await expect(draft.getByLabel('Add hosts')).toHaveValue('to-gather-0\nto-gather-2')
  // it is a draft like any other: it stays over a reload, and names are not added again
  await page.reload()
  await expect(draft.getByLabel('Add hosts')).toHaveValue('to-gather-0\nto-gather-2')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await draft.getByRole('button', { name: /^Apply to version/ }).click()
  await expect(draft).toBeHidden()
  await expectRowCount(page, 'Members', 3)
})

const headsOf = (page: Page) =>
  gridOf(page, 'Hosts')
    .getByRole('columnheader')
    .evaluateAll((heads) => heads.map((head) => head.textContent?.replace(/[^A-Za-z, ]/g, '').trim()))

test('columns are chosen: in the address for who gets the link, kept for this browser, and back as usual', { tag: '@rare' }, async ({
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

test('a column is made wider by its edge and by a number, within limits, and stays so', { tag: '@rare' }, async ({ page, visit }) => {
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

test('hosts are ordered by several columns, with Shift by click and by keys, and the address says so', async ({ page, visit, service }) => {
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

test('nothing moves under the pointer when what is loaded late comes', async ({ page, visit }) => {
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

test('two presses count both, however soon the second comes after the first', { tag: '@rare' }, async ({ page, visit }) => {
  const pressTwice = (button: Locator, shiftKey = false): Promise<void> =>
    button.evaluate((element, shift) => {
      for (let press = 0; press < 2; press++)
        element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: shift }))
    }, shiftKey)
  await visit('/hosts?view=table&q=host:az*&sort=az,-mem.free')
  await pressTwice(gridOf(page, 'Hosts').getByRole('button', { name: 'Memory free' }), true)
  await expect(page).toHaveURL('/hosts?view=table&q=host:az*&sort=az')

  await pressTwice(page.getByRole('button', { name: 'Compare', exact: true }))
  const facets = page.getByRole('navigation', { name: 'Facets' })
  const zones = facets.getByRole('region', { name: 'Zone', exact: true }).getByRole('button')
  await zones.evaluateAll((buttons) => {
    for (const button of buttons.slice(0, 2)) button.dispatchEvent(new MouseEvent('click', { bubbles: true, ctrlKey: true }))
  })
  await expect(page).toHaveURL('/hosts?view=table&q=host:az*+az:az1,az2&sort=az')

  await page.getByRole('button', { name: 'Columns' }).click()
  const columns = page.getByRole('dialog', { name: 'Columns' })
  await columns.getByRole('checkbox').evaluateAll((boxes) => {
    for (const box of boxes.slice(1, 3)) if (box instanceof HTMLInputElement) box.click()
  })
  await expect(gridOf(page, 'Hosts').getByRole('columnheader', { name: 'Zone' })).toHaveCount(0)
  await expect(gridOf(page, 'Hosts').getByRole('columnheader', { name: 'State, status' })).toHaveCount(0)
})

test('hosts are chosen by a frame on the map and by x, and compared with the others: each count opens exactly that many', {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, look }) => {
  await visit('/hosts?q=host:az1-*,az2-*')
  const map = page.getByRole('application', { name: /^Map of 12 hosts/ })
  const { x, y } = await boxOfMap(page)
  // the first zone's eight hosts lie in the first row of cells
  await page.mouse.move(x + 2, y + 30)
  await page.mouse.down()
  await page.mouse.move(x + 400, y + 34, { steps: 4 })
  await page.mouse.up()
  await expect(page).toHaveURL('/hosts?q=host:az1-*,az2-*')
  await expect(page.locator('[data-chosen="8"]')).toBeVisible()
  await page.keyboard.press('c')
  await expect(page.locator('[data-inside="8"][data-outside="4"]')).toBeVisible()
  const panel = page.getByRole('region', { name: 'Compare' })
  await expect(panel.getByRole('region', { name: 'az', exact: true })).toContainText('differs by 100 %')
  await look('hosts compared with the others')
  const values = panel.locator('[data-opens]')
  const names = await values.evaluateAll((all) => all.map((one) => one.getAttribute('title') ?? ''))
  expect(names.length).toBeGreaterThan(8)
  for (const name of names.filter((one) => !/ s:| s to | min| h | d /.test(one))) {
    const value = panel.getByTitle(name, { exact: true }).first()
    const count = Number(await value.getAttribute('data-opens'))
    await value.click()
    await expect(found(page)).toHaveAttribute('data-count', String(count))
    await page.goBack()
    await expect(found(page)).toHaveAttribute('data-count', '12')
  }
  await map.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('x')
  await expect(page.locator('[data-chosen="7"]')).toBeVisible()
})

test('hosts are counted, found, ordered, grouped and compared by the CPUs that they report, and those that report none with them', {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, service, look }) => {
  const of = (model: string) => ({
    hypervisorType: 'QEMU',
    hypervisorVersion: 8_002_000,
    cpuInfo: { arch: 'x86_64', vendor: 'AMD', model },
  })
  await report(service.client, { 'kind-1': of('EPYC Milan'), 'kind-2': of('EPYC Rome'), 'kind-3': {}, 'kind-4': of('EPYC Rome') })
  await visit('/hosts?cols=host,cpu.model,hypervisor.version')
  const facet = page.getByRole('navigation', { name: 'Facets' }).getByRole('region', { name: 'CPU model' })
  await expect(facet.getByRole('button')).toHaveText([/^not reported/, 'EPYC Rome 2', 'EPYC Milan 1'])
  const counts = await facet.locator('.number').allTextContents()
  const total = await found(page).getAttribute('data-count')
  expect(counts.reduce((sum, count) => sum + numberIn(count), 0)).toBe(Number(total))
  for (const [title, count, query] of [
    ['EPYC Rome', 2, 'cpu.model:"EPYC Rome"'],
    ['CPU model not reported', Number(total) - 3, '-cpu.model:*'],
  ] as const) {
    await facet.getByTitle(title, { exact: true }).click()
    await expect(filterOf(page)).toHaveValue(query)
    await expectRowCount(page, 'Hosts', count)
    expect(await namesOf(service.client, query)).toHaveLength(count)
  }

  await visit('/hosts?q=host:kind-*&cols=host,cpu.model&group=cpu.model&compare=yes')
  await gridOf(page, 'Hosts').getByRole('button', { name: 'CPU model' }).click()
  // what is not reported comes before all others, here as in the API
  await expect.poll(() => firstCells(page, 'Hosts')).toEqual(['kind-3', 'kind-1', 'kind-2', 'kind-4'])
  await expect(rowWith(page, 'Hosts', 'kind-3')).toContainText('not reported')
  for (const name of ['kind-2', 'kind-4']) await rowWith(page, 'Hosts', name).getByRole('checkbox').click()
  await expect(page.locator('[data-inside="2"][data-outside="2"]')).toBeVisible()
  const first = page.getByRole('region', { name: 'Compare' }).getByRole('region', { name: /^\S+$/ }).first()
  await expect(first).toHaveAccessibleName('cpu.model')
  await expect(first).toContainText('differs by 100 %')
  await look('hosts by the model of their CPUs, compared')
  await page
    .getByRole('region', { name: 'Map' })
    .getByRole('button', { name: /^EPYC Rome.*2 hosts/ })
    .click()
  await expectRowCount(page, 'Hosts', 2)
  await visit('/hosts/kind-1')
  await page.getByRole('link', { name: 'CPU model EPYC Milan: similar hosts' }).click()
  await expect(filterOf(page)).toHaveValue('cpu.model:"EPYC Milan"')
  await expectRowCount(page, 'Hosts', 1)
})

test('a host with markup for a name, and the longest traits, do no harm and keep within the page; longer ones are refused', {
  tag: '@rare',
}, async ({ page, visit, service, context }) => {
  const name = '<img src=x onerror=alert(1)>'
  const trait = 'X'.repeat(255)
  await expect(report(service.client, { [name]: { traits: ['X'.repeat(10_000)] } })).rejects.toThrow(
    'it must be at most 255 characters long',
  )
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  await report(service.client, { [name]: { traits: [trait, '<b>bold</b>', 'CUSTOM_MARKUP'] } })
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const expectWithin = async (state: string) => {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(over, state).toBeLessThanOrEqual(0)
    expect(await page.locator('main img[src=x], main b:text-is("bold")').count(), state).toBe(0)
  }

  await visit('/hosts?cols=host,agg,trait&compare=yes')
  const row = rowWith(page, 'Hosts', name)
  await expect(row).toContainText('<b>bold</b>')
  await row.getByRole('checkbox').click()
  await expect(page.locator('[data-inside="1"]')).toBeVisible()
  await expectWithin('the list, its facets and what sets the host apart')
  await page.getByRole('navigation', { name: 'Facets' }).getByTitle('<b>bold</b>').click()
  await expectRowCount(page, 'Hosts', 1)
  await expectWithin('the list, narrowed')
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'CSV, 1 host' }).click()
  await expect(page.getByText('Copied: CSV, 1 host.')).toBeVisible()
  const csv = await page.evaluate(() => navigator.clipboard.readText())
  expect(csv.split('\r\n')[1]?.startsWith(`${name},${name},`)).toBe(true)
  // its columns of aggregates and traits are shown
  expect(csv.split('\r\n')[0]?.endsWith(',aggregates,traits')).toBe(true)
  expect(csv).toContain(trait)

  await page.goto(`/hosts/${encodeURIComponent(name)}`)
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expectWithin('the host')
  await page.getByRole('tab', { name: /^Raw/ }).click()
  await expectWithin('the host as JSON')

  const instance = randomUUID()
  const placed = await place(service.client, { instance, extraSpecs: { 'trait:CUSTOM_MARKUP': 'required' } })
  expect(placed.hosts).toEqual([name])
  const uuid = await gather(service.client, '<img src=x onerror=alert(2)>', { hosts: [name] })
  await page.goto('/hosts?view=map&q=trait:X*')
  await mapOf(page).focus()
  await page.keyboard.press('Home')
  await expect(page.locator('[data-cell-line]')).toContainText(`${name}:`)
  await expectWithin('the line of the map')
  await page.goto(`/hosts/${encodeURIComponent(name)}?sheet=timeline`)
  await expect(page.locator('tr[data-kind=AGGREGATE_JOINED]')).toContainText('onerror=alert(2)')
  await expectWithin('the timeline')
  await page.goto(`/aggregates/${uuid}`)
  await expect(rowWith(page, 'Members', name)).toBeVisible()
  await expectWithin('the members of an aggregate')
  await page.goto(`/claims?q=instance:${instance}`)
  await expect(rowWith(page, 'Claims', name)).toBeVisible()
  await expectWithin('the claims')
  await page.goto(`/decisions/${encodeURIComponent(placed.decisionId)}?host=${encodeURIComponent(name)}`)
  await expect(page.getByRole('region', { name: 'Why not a host' }).getByText(name).first()).toBeVisible()
  await expect(page.getByRole('grid').getByText(name).first()).toBeVisible()
  await expectWithin('a decision, its matrix and why not the host')
  await page.getByRole('button', { name: 'Copy for a ticket' }).click()
  await expect(page.getByText('Copied: Ticket, Markdown.')).toBeVisible()
  // in a ticket it is a text too: no tag stands there bare
  const ticket = await page.evaluate(() => navigator.clipboard.readText())
  expect(ticket).toContain('onerror=alert(1)')
  expect(ticket.replaceAll(/`[^`\n]*`/g, '')).not.toContain('<img src')
  expect(dialogs).toEqual([])
})

test('a trait that is too long to exist is answered in the filter and in a simulation, and keeps within the page', {
  tag: '@rare',
}, async ({ page, visit, provokes }) => {
  provokes(400)
  const trait = 'X'.repeat(10_000)
  await visit('/hosts')
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  await filterOf(page).fill(`trait:${trait}`)
  await filterOf(page).blur()
  await expect(page.getByText('the filter has 10006 characters; ')).toBeVisible()
  await expect(filterOf(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  await expectNoSidewaysScroll(page, 'the hosts')
  await page.goto('/simulate')
  await page.getByLabel('Extra specs').fill(`trait:${trait}=required`)
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(
    page
      .getByRole('main')
      .getByText(/at most 255 characters/)
      .first(),
  ).toBeVisible()
  await expectNoSidewaysScroll(page, 'the simulation')
})

test('a change that comes in moves neither what is chosen, nor a cursor, nor the place in the list', async ({ page, visit, service }) => {
  const names = Array.from({ length: 60 }, (_, i) => `keep-${String(i + 1).padStart(2, '0')}`)
  await report(service.client, Object.fromEntries(names.map((name) => [name, {}])))
  await visit('/hosts?q=host:keep-*')
  await expect(found(page)).toHaveAttribute('data-count', '60')
  await expect(live(page)).toBeVisible()
  const line = page.locator('[data-cell-line]')
  await mapOf(page).focus()
  for (const key of ['End', 'ArrowLeft', 'x']) await page.keyboard.press(key)
  await expect(page.locator('[data-chosen="1"]')).toBeVisible()
  await expect(line).toContainText('keep-59: ')
  for (let i = 0; i < 40; i++) await page.keyboard.press('j')
  const cursor = gridOf(page, 'Hosts').locator('[role=row][aria-selected=true]')
  await expect(cursor).toContainText('keep-40')
  const place = () => gridOf(page, 'Hosts').evaluate((grid) => grid.scrollTop)
  const before = await place()
  expect(before).toBeGreaterThan(0)

  // the fullest come first: its cell goes from one end of the map to the other
  await report(service.client, { 'keep-59': { memoryMbUsed: 16_384 }, 'keep-40': { memoryMbUsed: 32_768 } })
  await expect(cursor).toContainText('32 GiB')
  await expect(cursor).toContainText('keep-40')
  expect(await place()).toBe(before)
  await expect(page.locator('[data-chosen="1"]')).toBeVisible()
  await expect(line).toContainText('keep-59: ')
  await expect(line).toContainText('memory 25 %')
  await mapOf(page).focus()
  await page.keyboard.press('ArrowLeft')
  await expect(line).toContainText('keep-40: ')
})
