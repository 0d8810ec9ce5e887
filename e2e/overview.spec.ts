import { expect, test } from './fixtures.ts'
import { expectRowCount, gridOf, numberIn } from './grid.ts'
import { pressSequence } from './keyboard.ts'
import { keyFor, place } from './seed.ts'

interface Fleet {
  readonly fleet: {
    readonly totals: readonly {
      readonly key: string
      readonly hosts: number
      readonly usage: readonly { readonly resourceClass: string; readonly used: number; readonly capacity: number }[]
    }[]
  }
}

test('the zones are as full as their hosts, and open exactly these', async ({ page, visit, service }) => {
  await visit('/')
  await expect(page).toHaveURL('/overview')
  const { fleet } = await service.client.request<Fleet>('{ fleet { totals { key hosts usage { resourceClass used capacity } } } }')
  expect(fleet.totals.reduce((sum, { hosts }) => sum + hosts, 0)).toBeGreaterThanOrEqual(service.seed.hostCount)
  for (const { key, usage } of fleet.totals)
    for (const { resourceClass, used, capacity } of usage) {
      const row = page.locator(`[data-zone="${key}"][data-class="${resourceClass}"]`)
      await expect(row).toContainText(`${Math.round((100 * used) / capacity)} %`)
    }
  const zone = page.locator('[data-zone="az2"][data-class="VCPU"]')
  const hosts = fleet.totals.find(({ key }) => key === 'az2')?.hosts ?? 0
  await zone.getByRole('link', { name: 'az2' }).click()
  await expect(page).toHaveURL('/hosts?q=az:az2')
  await expectRowCount(page, 'Hosts', hosts)
})

test('every count of a reason opens exactly that many decisions', async ({ page, visit, service }) => {
  await place(service.client, { flavor: 'm1.wide', vcpus: 999 })
  await visit('/overview')
  const rows = page.locator('[data-code]')
  await expect(rows).not.toHaveCount(0)
  const codes = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-code') ?? ''))
  for (const code of codes) {
    const link = page.locator(`[data-code="${code}"]`).getByRole('link')
    const count = numberIn(await link.textContent())
    await link.click()
    await expect(page).toHaveURL(/\/decisions\?/)
    // the list loads as one goes down
    const list = gridOf(page, 'Decisions')
    await expect
      .poll(async () => {
        await list.press('End')
        return list.getAttribute('aria-rowcount')
      })
      .toBe(String(count + 1))
    await page.goBack()
    await expect(link).toBeVisible()
  }
})

test('what is asked most is counted zone by zone, and simulated by a press', async ({ page, visit, service }) => {
  // most of all, whatever other tests asked for; and it takes no room from them
  for (let i = 0; i < 24; i++)
    await place(service.client, { flavor: 'm1.counted', vcpus: 3, memoryMb: 2_048, zone: i === 0 ? 'az2' : 'none' })
  const { capacity } = await service.client.request<{
    readonly capacity: { readonly fits: number; readonly groups: readonly { readonly key: string; readonly fits: number }[] }
  }>('query Count($spec: SpecInput!) { capacity(input: { spec: $spec }) { fits groups { key fits } } }', {
    spec: { gantt: { flavor: { vcpus: 3, memoryMb: 2_048 } } },
  })
  await visit('/overview')
  const row = page.locator('[data-flavor="m1.counted"]')
  await expect(row.locator('[data-fits]')).toHaveAttribute('data-fits', String(capacity.fits))
  // the zone that was asked for does not narrow it
  for (const { key, fits } of capacity.groups) expect(numberIn(await row.locator(`[data-zone="${key}"]`).textContent())).toBe(fits)
  await row.getByRole('link', { name: 'm1.counted' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Simulate' })).toBeVisible()
  await expect(page.locator('[data-fits]')).toHaveAttribute('data-fits', String(capacity.fits))
})

test('the span stands in the address, and stays; what was changed last is told', async ({ page, visit, service }) => {
  await visit('/hosts')
  await pressSequence(page, 'g o')
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeFocused()
  await page.getByText('24h', { exact: true }).click()
  await expect(page).toHaveURL('/overview?last=24h')
  await page.reload()
  await expect(page.getByRole('radio', { name: '24h' })).toBeChecked()
  await keyFor(service.client, 'told-on-the-overview', ['READ'])
  await page.reload()
  await expect(page.locator('[data-change="apiKeyCreate"]').first()).toBeVisible()
  await page.getByText('As a table').click()
  await expect(page.getByRole('region', { name: 'Decisions step by step' }).getByRole('row').nth(1)).toBeVisible()
})

test('a key that may only read is told which scope the changes need; the rest stands', async ({ page, service }) => {
  const reader = await keyFor(service.client, 'reads-the-overview', ['READ'])
  await page.goto(`/overview#key=${reader}`)
  await expect(page.getByRole('region', { name: 'What was changed last' })).toContainText('needs OPERATE to read; yours has READ')
  await expect(page.locator('[data-zone="az1"]').first()).toBeVisible()
})

test('where the service does not answer the last numbers stay, and are said to be old', async ({ page, visit, provokes }) => {
  provokes('ERR_FAILED')
  await visit('/overview')
  await expect(page.locator('[data-zone="az1"]').first()).toBeVisible()
  await page.route('**/graphql', (route) => route.abort())
  await expect(page.getByRole('alert').first()).toContainText('The service cannot be reached', { timeout: 30_000 })
  await expect(page.locator('[data-zone="az1"]').first()).toBeVisible()
  await expect(page.locator('.stale').first()).toBeVisible()
  await expect(page.locator('[data-as-of-read]').first()).toContainText('ago')
  await page.unroute('**/graphql')
})

test('looks: the overview, of an empty fleet too @looks', async ({ page, visit, look, emptyService }) => {
  await visit('/overview')
  await expect(page.locator('[data-code]').first()).toBeVisible()
  await expect(page.locator('[data-fits]').first()).toBeVisible()
  await look('the overview')
  await page.goto(`${emptyService.origin}/overview#key=${emptyService.key}`)
  await expect(page.getByRole('heading', { name: 'No host has reported yet' })).toBeVisible()
  await look('the overview of an empty fleet')
})
