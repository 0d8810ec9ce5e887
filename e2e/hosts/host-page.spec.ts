import { randomUUID } from 'node:crypto'
import type { Client } from '@gantt/client'
import { holdCalls, operationOf } from '../calls.ts'
import { expect, type Page, test } from '../fixtures.ts'
import { expectRowCount, gridOf, rowsOf } from '../grid.ts'
import { pressSequence } from '../keyboard.ts'
import { gather, place, report } from '../seed.ts'
import { found } from './lists.ts'

test('the amounts of a host are those of the API, and they add up', async ({ page, visit, service }) => {
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

test('with the keyboard alone an operator goes from any page to a host, to the next host of the list, and back', async ({
  page,
  visit,
}) => {
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

test('Enter opens the row that j and k selected, wherever the focus is, and Back returns to the row', async ({ page, visit }) => {
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

test('j moves the focus to the list, so that Enter opens the row and does not press the button that had the focus', async ({
  page,
  visit,
}) => {
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

test('the selected tab of a host is in the URL, and each tab has as many rows as its count', async ({ page, visit, service }) => {
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

test('the report of a storage service is shown with its age, and a claim with its part of a shared pool', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
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
  await expect(namespace).toContainText('s old, according to the time of the log')
  await expect(namespace).toContainText(uuid)
  await page.getByRole('tab', { name: 'Claims (1)' }).click()
  await expect(page.getByRole('table', { name: 'Live claims' })).toContainText(`of it in pool ${uuid}: 30 GiB`)
})

/** Reports a host with three collectors, and documents of two of them. */
async function reportCollectors(client: Client, host: string): Promise<void> {
  await report(client, { [host]: {} })
  const incarnation = randomUUID()
  const since = new Date(Date.now() - 90_000).toISOString()
  const error = { code: 'TIME_LIMIT', text: 'it did not end within 10 s', at: since }
  const collectors = [
    { name: 'disks', namespace: 'storage', state: 'PAUSED', since },
    { name: 'nets', namespace: 'network', state: 'SENDING', since, intervalSeconds: 30 },
    { name: 'watts', namespace: 'power', state: 'FAILING', since, intervalSeconds: 30, error, lastGoodAt: since },
  ]
  const { updateResourceStats } = await client.request<{ updateResourceStats: { appliedCount: number } }>(
    'mutation Report($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount } }',
    {
      updates: [
        ['storage', { pools: [{ uuid: randomUUID(), name: 'ceph' }] }] as const,
        ['network', { physicalNetworks: [{ name: 'physnet1' }] }] as const,
        ['collectors', { collectors }] as const,
      ].map(([namespace, document]) => ({
        name: { host },
        reporter: { incarnation, sequence: 1 },
        report: { namespace: { namespace, version: '1.0', document } },
      })),
    },
  )
  expect(updateResourceStats.appliedCount).toBe(3)
}

const collectorIn = (page: Page, name: string) => page.locator(`[data-collector="${name}"]`)
const sectionIn = (page: Page, title: string) => page.locator('section', { has: page.getByRole('heading', { name: title }) })

test('the collectors of a host are shown with their states, and a document that is not sent is called so', { tag: '@colours' }, async ({
  page,
  visit,
  service,
  look,
}) => {
  await reportCollectors(service.client, 'collected-01')
  await visit('/hosts/collected-01')
  await expect(collectorIn(page, 'disks')).toContainText('not sent: no profile in use reads it')
  await expect(collectorIn(page, 'nets')).toContainText('sent every 30 s')
  await expect(collectorIn(page, 'watts')).toContainText('TIME_LIMIT: it did not end within 10 s')
  await expect(sectionIn(page, 'storage 1.0')).toContainText('Not sent now: no profile in use reads it, so the collector disks is paused.')
  await expect(sectionIn(page, 'network 1.0')).not.toContainText('Not sent now')
  // no document of this namespace was ever sent
  await expect(sectionIn(page, 'power')).toContainText('Not sent now: the collector watts fails. The host has no document.')
  await expect(page.getByRole('heading', { name: 'collectors 1.0' })).toHaveCount(0)
  await expect(page.getByRole('main')).not.toContainText('The agent has not repeated these states')
  await look('a host with collectors')
})

test('states of collectors that the agent has not repeated are shown with their age and in the past tense', {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, service, look }) => {
  const host = 'collected-02'
  await reportCollectors(service.client, host)
  // the states become outdated only after minutes, so the answer of the service is changed
  const reportedAt = new Date(Date.now() - 2 * 3_600_000).toISOString()
  await page.route('**/graphql', async (route) => {
    if (!operationOf(route.request()).includes('query Host(')) return route.continue()
    const response = await route.fetch()
    const { data } = await response.json()
    const collectors = data.host.collectors.map((collector: object) => ({ ...collector, outdated: true, reportedAt }))
    return route.fulfill({ response, json: { data: { ...data, host: { ...data.host, collectors } } } })
  })
  await visit(`/hosts/${host}`)
  await expect(page.getByRole('main')).toContainText(
    'The agent has not repeated these states since 2 h ago, so they may no longer be true.',
  )
  await expect(collectorIn(page, 'disks')).toContainText('was not sent: no profile in use read it')
  await expect(collectorIn(page, 'nets')).toContainText('was sent every 30 s')
  await expect(collectorIn(page, 'nets')).toContainText('the last one')
  await expect(collectorIn(page, 'watts')).toContainText('was failing')
  await expect(sectionIn(page, 'storage 1.0')).toContainText('The collector disks was paused: no profile in use read it. This is the last')
  await expect(sectionIn(page, 'network 1.0')).toContainText('The collector nets sent it every 30 s. This is its last document.')
  await expect(sectionIn(page, 'power')).toContainText('The collector watts was failing. The host has no document.')
  await expect(page.getByRole('main')).not.toContainText('Not sent now')
  await look('a host with outdated states of collectors')
})

test('a host is disabled after a preview of the impact', async ({ page, visit, service }) => {
  await report(service.client, { 'to-close-01': {} })
  await visit('/hosts/to-close-01')
  await page.getByRole('button', { name: 'Set status' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Disabled', { exact: true }).click()
  await dialog.getByLabel('Reason').fill('fan replaced')
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(dialog.getByRole('status')).toContainText('The change affects 1 host with 0 live claims.')
  const statusOf = async () =>
    (await service.client.request<{ host: { status: string } }>('{ host(name: "to-close-01") { status } }')).host.status
  expect(await statusOf()).toBe('ENABLED')
  await dialog.getByRole('button', { name: 'Set to disabled' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('main')).toContainText('fan replaced')
  expect(await statusOf()).toBe('DISABLED')
})

test('a host is evacuated after a preview of the destination of each instance, and the reserved destinations are shown', async ({
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
  // The instance needs a trait that only leaving-01 has, so there is no destination yet.
  await expect(dialog.getByRole('status')).toContainText('0 of 1 would find a destination; nothing is changed yet')
  await expect(dialog.getByRole('button', { name: 'Reserve 0 destinations' })).toBeDisabled()
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
  await dialog.getByRole('button', { name: 'Reserve 1 destination' }).click()
  await expect(dialog.getByRole('status')).toContainText('1 of 1 have a destination now')
  await expect(dialog.getByRole('row').filter({ hasText: 'leaving-02' })).toHaveCount(1)
  expect(await claimsOn('leaving-02')).toBe(1)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toBeHidden()
})

test('the answer of a preview is ignored if the input was edited meanwhile', { tag: '@rare' }, async ({ page, visit, service }) => {
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
  await expect(dialog.getByRole('status')).toContainText('The change affects 1 host')
  await dialog.getByRole('button', { name: 'Set to draining' }).click()
  await expect(dialog).toBeHidden()
  const { host } = await service.client.request<{ host: { status: string } }>('{ host(name: "late-look-01") { status } }')
  expect(host.status).toBe('DRAINING')
})

test('keyboard shortcuts of the page have no effect while a dialog is open', async ({ page, visit }) => {
  await visit('/hosts/az2-02')
  await page.getByRole('button', { name: 'Set status' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('a long story')
  await dialog.getByRole('button', { name: 'Cancel' }).focus()
  await pressSequence(page, 'g d / f')
  await expect(dialog.getByLabel('Reason')).toHaveValue('a long story')
  await expect(page).toHaveURL('/hosts/az2-02')
})
