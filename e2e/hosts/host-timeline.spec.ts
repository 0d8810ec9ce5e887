import { randomUUID } from 'node:crypto'
import type { Client } from '@gantt/client'
import { expect, type Page, test } from '../fixtures.ts'
import { boxOf } from '../layout.ts'
import { gather, keyFor, place, report, setStatus } from '../seed.ts'

const kindsOn = (page: Page): Promise<(string | null)[]> =>
  page.locator('tr[data-kind]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-kind')))

/** Makes a host with a history: it reports, is disabled and enabled, joins an aggregate, gets an instance, and grows. */
async function aLife(client: Client, host: string, ask: Parameters<typeof place>[1] = {}): Promise<{ readonly instance: string }> {
  const instance = randomUUID()
  await report(client, { [host]: { traits: ['HW_A'] } })
  await setStatus(client, host, 'DISABLED', 'disk swap')
  await setStatus(client, host, 'ENABLED', 'disk is new')
  await gather(client, `rack of ${host}`, { availabilityZone: `zone-${host}`, hosts: [host] })
  await place(client, { zone: `zone-${host}`, instance, ...ask })
  await report(client, { [host]: { vcpus: 32, traits: ['HW_B'] } })
  return { instance }
}

test('a host shows its events and their accounts, with links to the console at that time @looks', { tag: '@rare' }, async ({
  page,
  visit,
  look,
  service,
}) => {
  const { instance } = await aLife(service.client, 'tl-01')
  await visit('/hosts/tl-01')
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await expect(page).toHaveURL('/hosts/tl-01?sheet=timeline')
  await expect(page.locator('[data-happened]')).toHaveAttribute('data-happened', '6')
  expect(await kindsOn(page)).toEqual(['INVENTORY', 'CLAIM_MADE', 'AGGREGATE_JOINED', 'STATUS', 'STATUS', 'FIRST_REPORT'])
  await expect(page.locator('tr[data-kind=INVENTORY]')).toContainText('vcpus 16 → 32')
  await expect(page.locator('tr[data-kind=CLAIM_MADE]')).toContainText(instance)
  const closed = page.locator('tr[data-kind=STATUS]').last()
  await expect(closed).toContainText('status ENABLED → DISABLED')
  await expect(closed).toContainText('disk swap')
  await look('the timeline of a host')

  await closed.getByRole('link', { name: 'admin' }).click()
  await expect(page).toHaveURL(/\/audit\?q=request/)
  await expect(page.getByRole('row', { name: /hostSetStatus/ })).toHaveCount(1)
  await page.goBack()
  await page
    .locator('tr[data-kind=CLAIM_MADE]')
    .getByRole('link', { name: /its decision/ })
    .click()
  await expect(page.locator('[data-outcome=PLACED]').first()).toBeVisible()
  await page.goBack()

  await closed.getByRole('link', { name: /the console as it was then/ }).click()
  await expect(page.getByRole('region', { name: 'Time travel' })).toBeVisible()
  await expect(page.locator('[data-happened]')).toHaveAttribute('data-happened', '2')
  await expect(page.getByText(': disk swap')).toBeVisible()
  await page.reload()
  await expect(page.locator('[data-happened]')).toHaveAttribute('data-happened', '2')
  expect(await kindsOn(page)).toEqual(['STATUS', 'FIRST_REPORT'])
})

test('the history of a host is drawn as lanes, and each step links to the console at that time', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await report(service.client, { 'tl-06': {} })
  await gather(service.client, 'rack of tl-06', { availabilityZone: 'zone-tl-06', hosts: ['tl-06'] })
  await place(service.client, { zone: 'zone-tl-06' })
  await setStatus(service.client, 'tl-06', 'DRAINING', 'moves to hall 2')
  await visit('/hosts/tl-06?sheet=timeline')
  const lanes = page.getByRole('application', { name: /^The timeline as lanes/ })
  const line = page.locator('[data-lane-line]')
  const status = lanes.locator('[data-lane=status] [data-word]')
  await expect(status.last()).toHaveAttribute('data-word', 'draining')
  await expect(lanes.locator('[data-lane=liveness] [data-word]')).toHaveText('+ up')
  await expect(lanes.locator('[data-lane=inventory] [data-mark]')).toHaveText('*')
  await expect(lanes.locator('[data-lane=claims] [data-mark]')).toHaveText('+')

  await lanes.focus()
  await page.keyboard.press('ArrowLeft')
  await expect(line).toContainText('(step 4 of 4): The status was set: status ENABLED -> DRAINING (moves to hall 2).')
  await page.keyboard.press('ArrowLeft')
  await expect(line).toContainText('(step 3 of 4): Resources were claimed')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Time travel' })).toBeVisible()
  await expect(page.locator('[data-happened]')).toHaveAttribute('data-happened', '3')
  await expect(status).toHaveText('+ enabled')
  await page.keyboard.press('Home')
  await expect(line).toContainText('(step 1 of 3): The host reported for the first time.')
  await page.goBack()
  await expect(status.last()).toHaveAttribute('data-word', 'draining')

  // The last state extends to the right end of the lanes.
  const { width, height } = await boxOf(lanes)
  await lanes.click({ position: { x: width - 2, y: height / 2 } })
  await expect(page).toHaveURL(/[?&]at=\d+/)
  await expect(page.locator('[data-happened]')).toHaveAttribute('data-happened', '4')
})

test('the kinds of shown events are selected by keyboard, and are in the URL', { tag: '@rare' }, async ({ page, visit, service }) => {
  await aLife(service.client, 'tl-02')
  await visit('/hosts/tl-02?sheet=timeline&kinds=status,claims')
  await expect(page.locator('[data-happened]')).toHaveAttribute('data-happened', '3')
  const shown = page.getByRole('group', { name: 'Kinds shown' })
  await expect(shown.getByRole('checkbox', { checked: true })).toHaveCount(2)
  await shown.getByRole('checkbox', { name: 'Claims' }).focus()
  await page.keyboard.press('Space')
  await expect(page).toHaveURL('/hosts/tl-02?sheet=timeline&kinds=status')
  await expect(page.locator('[data-happened]')).toHaveAttribute('data-happened', '2')
  for (const name of ['Added and removed', 'Aggregates', 'Inventory', 'Liveness', 'Status']) {
    await page.keyboard.press('Shift+Tab')
    await expect(shown.getByRole('checkbox', { name, exact: true })).toBeFocused()
  }
  await page.keyboard.press('Space')
  await expect(page.getByText('No kind is selected')).toBeVisible()
  await page.goBack()
  await expect(page.locator('[data-happened]')).toHaveAttribute('data-happened', '2')
  await shown.getByRole('checkbox', { name: 'Status' }).uncheck()
  await shown.getByRole('checkbox', { name: 'Lost attempts' }).check()
  await expect(page.getByText('No events of these kinds: lost attempts.')).toBeVisible()
})

test('a long history is loaded in parts, and without the scope for the audit no accounts are shown', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await report(service.client, { 'tl-03': {} })
  for (let i = 0; i < 55; i++) await setStatus(service.client, 'tl-03', i % 2 === 0 ? 'DISABLED' : 'ENABLED', `turn ${i}`)
  await visit('/hosts/tl-03?sheet=timeline')
  await expect(page.getByText('The newest 50 of 56.')).toBeVisible()
  await expect(page.locator('tr[data-kind]').first().getByRole('link', { name: 'admin' })).toBeVisible()
  await page.getByRole('button', { name: 'Show 6 more' }).click()
  await expect(page.getByText('56 in total.')).toBeVisible()
  await expect(page.locator('tr[data-kind]')).toHaveCount(56)
  const reader = await keyFor(service.client, 'tl-reader', ['READ'])
  // Leaves the page first. A link that differs from the present URL only in its key changes only the fragment, and the browser then loads
  // no page.
  await page.goto('about:blank')
  await page.goto(`/hosts/tl-03?sheet=timeline#key=${reader}`)
  await expect(page.getByText('The newest 50 of 56.')).toBeVisible()
  await expect(page.locator('tr[data-kind]').first()).toContainText('turn 54')
  await expect(page.locator('tr[data-kind]').getByRole('link', { name: 'admin' })).toHaveCount(0)
})

test('digit keys select the tabs of a host: decisions link to "why not this host", raw data begins with the last report’s changes @looks @rare', async ({
  page,
  visit,
  look,
  service,
}) => {
  await aLife(service.client, 'tl-04')
  await report(service.client, { 'tl-05': {} })
  await visit('/hosts/tl-04')
  await expect(page.getByRole('tab', { name: 'Summary', selected: true })).toBeVisible()
  await page.keyboard.press('3')
  await expect(page).toHaveURL('/hosts/tl-04?sheet=decisions')
  const others = page.getByRole('table', { name: 'Recent decisions without this host' })
  await expect(others.getByRole('link').first()).toBeVisible()
  await look('the decisions of a host')
  await others.getByRole('link').first().click()
  await expect(page).toHaveURL(/\/decisions\/.*[?&]host=tl-04/)
  await expect(page.getByRole('region', { name: 'Why a host was not chosen' }).getByText('tl-04').first()).toBeVisible()
  await page.goBack()
  await expect(others).toBeVisible()

  await page.keyboard.press('5')
  const changes = page.getByRole('table', { name: 'Last inventory change' })
  await expect(changes.getByRole('row', { name: 'vcpus' }).getByRole('cell')).toHaveText(['vcpus', '16', '32'])
  await expect(changes).toContainText('HW_B')
  await look('a host as JSON, with its last change')
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(keys).toContainText('Go to: Timeline')
  await page.keyboard.press('Escape')
  await expect(keys).toBeHidden()
  await page.keyboard.press('1')
  await expect(page).toHaveURL('/hosts/tl-04')

  await page.goto('/hosts/tl-05?sheet=raw')
  await expect(page.getByText('Its inventory is unchanged since its first report.')).toBeVisible()
})

test('PCI devices are shown by kind and NUMA cell, with the counts of free devices and the holders @looks', { tag: '@rare' }, async ({
  page,
  visit,
  look,
  service,
}) => {
  await report(service.client, {
    'pci-01': {
      pciPools: [
        {
          vendorId: '15b3',
          productId: '1018',
          deviceType: 'type-VF',
          numaNode: 0,
          tags: [{ key: 'physical_network', value: 'phys-a' }],
          total: 8,
        },
        { vendorId: '10de', productId: '20b0', total: 4, used: 1 },
      ],
      numaCells: [
        {
          ...{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 8_192, cpuUsage: 1, pinnedCpus: [1] },
          pages: [{ sizeKib: 2_048, total: 1_024, reserved: 24, used: 250 }],
        },
        { id: 1, cpuset: [4, 5], memoryMb: 8_192 },
      ],
    },
  })
  await gather(service.client, 'rack of pci-01', { availabilityZone: 'zone-pci', hosts: ['pci-01'] })
  const instance = randomUUID()
  await place(service.client, { zone: 'zone-pci', instance, pciRequests: [{ count: 2, vendorId: '15b3' }] })
  await visit('/hosts/pci-01')
  const section = page.getByRole('region', { name: 'PCI devices' })
  const nic = section.locator('tr').filter({ hasText: '15b3:1018' })
  await expect(nic).toContainText('physical_network=phys-a')
  await expect(nic.getByRole('cell')).toHaveText([
    'type-VF',
    '0',
    'physical_network=phys-a',
    '8',
    'by claims',
    '6',
    /25 %/,
    /2 by .* \(confirmed\)/,
  ])
  await expect(section.locator('tr').filter({ hasText: '10de:20b0' }).getByRole('cell')).toHaveText([
    ...['not reported', 'not known', 'none', '4', '1', '3', /25 %/, 'no claim'],
  ])
  // The devices 15b3:1018 are attached to NUMA cell 0, so its box shows them together with its CPUs and used pages.
  const cell = page.getByRole('region', { name: 'NUMA cell 0' })
  await expect(cell).toContainText('4 CPUs: 1 dedicated (1), 3 shared (0,2-3). Shared vCPUs: 1 used or claimed, 2 free')
  await expect(cell).toContainText('Pages of 2 MiB: 250 of 1,000 used or claimed (25 %), 750 free, 24 more reserved.')
  await expect(cell).toContainText('PCI 15b3:1018, type-VF: 6 of 8 free.')
  await expect(cell.locator('[data-cpu=shared]')).toHaveCount(3)
  const other = page.getByRole('region', { name: 'NUMA cell 1' })
  await expect(other).toContainText('2 CPUs: 2 free (4-5).')
  await expect(other).not.toContainText('PCI')
  await look('a host with PCI devices')
  await nic.getByRole('link', { name: instance }).click()
  await expect(page).toHaveURL(/\/claims\?q=instance/)
})
