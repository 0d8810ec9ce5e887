import type { Client } from '@gantt/client'
import { holdCalls } from '../calls.ts'
import { expect, type Page, test } from '../fixtures.ts'
import { expectRowCount, gridOf, numberIn } from '../grid.ts'
import { pressSequence } from '../keyboard.ts'
import { boxOf } from '../layout.ts'
import { gather, keyFor, place, report } from '../seed.ts'

interface Fleet {
  readonly fleet: {
    readonly totals: readonly {
      readonly key: string
      readonly hosts: number
      readonly usage: readonly { readonly resourceClass: string; readonly used: number; readonly capacity: number }[]
    }[]
  }
}

test('the zones show the usage of their hosts, and link to exactly these hosts', async ({ page, visit, service }) => {
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
  await zone.getByRole('link', { name: 'az2', exact: true }).click()
  await expect(page).toHaveURL('/hosts?q=az:az2')
  await expectRowCount(page, 'Hosts', hosts)
  await page.goBack()
  await zone.getByRole('link', { name: /^VCPU of az2/ }).click()
  await expect(page).toHaveURL('/hosts?q=az:az2')
})

test('hosts without capacity are counted in their zone, and the zone links to these hosts', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const nothing = { vcpus: 0, memoryMb: 0, localGb: 0, localGbUsed: 0 }
  await report(service.client, { 'bare-01': nothing, 'bare-02': nothing })
  await gather(service.client, 'zone-bare', { availabilityZone: 'bare', hosts: ['bare-01', 'bare-02'] })
  await visit('/overview')
  const zone = page.locator('tr[data-zone="bare"]')
  await expect(zone).toContainText('no capacity')
  await zone.getByRole('link', { name: '2 hosts of bare: open them' }).click()
  await expectRowCount(page, 'Hosts', 2)
})

test('changes are marked on the chart, with links to their rows of the audit', async ({ page, visit, service }) => {
  await place(service.client, { flavor: 'm1.marked', vcpus: 999 })
  const uuid = await gather(service.client, 'marked-on-the-chart', {})
  await visit('/overview')
  const rate = page.getByRole('region', { name: 'Decisions over time' })
  await expect(rate.locator('[data-marks]')).toBeVisible()
  await expect(rate.locator('[data-mark]')).not.toHaveCount(0)
  await chart(page).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Shift+Home')
  await expect(chartLine(page)).toContainText(`aggregateCreate of ${uuid}`)
  await page.getByText('As a table').click()
  await rate.getByRole('link', { name: `aggregateCreate of ${uuid}: its row of the audit` }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Audit' })).toBeVisible()
  await expect(page.locator('[data-entry]')).toContainText(`aggregateCreate of ${uuid}`)
})

test('every count of a failure reason links to exactly as many decisions', async ({ page, visit, service }) => {
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
    // The list loads further rows while it is scrolled.
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

test('a count links to exactly the counted decisions, without decisions that were made later', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await place(service.client, { flavor: 'm1.before', vcpus: 999 })
  await visit('/overview?last=24h')
  const figure = (label: string) => page.locator(`[data-figure="${label}"]`).getByRole('link')
  await expect(figure('Failed')).toBeVisible()
  // The page counts every 15 s. From here on its requests are delayed, so that the shown counts stay the same.
  const counting = await holdCalls(page, (operation) => operation.includes('OverviewActivity'))
  for (const label of ['Failed', 'Decisions, 24h']) {
    const count = numberIn(await figure(label).textContent())
    await place(service.client, { flavor: 'm1.since', vcpus: 999 })
    await figure(label).click()
    await expect(page.locator(`[data-count="${count}"]`)).toBeVisible()
    await page.goBack()
    await expect(figure(label)).toBeVisible()
  }
  counting.release()
})

const chart = (page: Page) => page.getByRole('region', { name: 'Decisions over time' }).getByRole('application')
const chartLine = (page: Page) => page.getByRole('region', { name: 'Decisions over time' }).locator('[data-brush-line]')
const figure = (page: Page, label: string | RegExp) => page.locator('[data-figure]').filter({ has: page.getByText(label, { exact: true }) })

interface Counted {
  readonly activity: { readonly decisions: number; readonly failed: number; readonly took: { readonly p99Ms: number } }
}

/** The service's counts for the period in the URL. */
const countOfAddress = async (page: Page, client: Client): Promise<Counted['activity']> => {
  const { since, until } = Object.fromEntries(new URL(page.url()).searchParams)
  const query = `query Count($since: DateTime, $until: DateTime) {
    activity(since: $since, until: $until) { decisions failed took { p99Ms } } }`
  return (await client.request<Counted>(query, { since, until })).activity
}

test('the latency chart is below the chart of decision counts, and both charts share cursor, keys and time range', async ({
  page,
  visit,
  service,
}) => {
  await place(service.client, { flavor: 'm1.timed', vcpus: 999 })
  await visit('/overview')
  await expect(figure(page, 'p99')).toContainText(/\d m?s/)
  await chart(page).focus()
  await page.keyboard.press('End')
  await expect(chartLine(page)).toContainText(/[1-9]\d* decisions?, [1-9]\d* failed, p50 [\d.,]+ m?s, p99 [\d.,]+ m?s/)
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect(chartLine(page)).toContainText('decision')
  await page.keyboard.press('Shift+End')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/since=.+until=/)
  const { decisions, failed } = await countOfAddress(page, service.client)
  await expect(page.locator('[data-range]')).toBeVisible()
  await expect(figure(page, /^Decisions, [\d.]+ min$/).getByRole('link')).toHaveText(String(decisions))
  await expect(figure(page, 'Failed').getByRole('link')).toHaveText(new RegExp(`^${failed},`))
  const shown = await page.getByRole('region', { name: 'Failure causes' }).locator('[data-code]').count()
  expect(shown).toBeGreaterThan(0)
  await page.goBack()
  await expect(page).toHaveURL('/overview')
  await expect(page.locator('[data-range]')).toHaveCount(0)
})

test('a range drawn with the mouse survives a reload, and a button clears it', { tag: '@rare' }, async ({ page, visit, service }) => {
  await place(service.client, { flavor: 'm1.drawn', vcpus: 999 })
  await visit('/overview?last=15m')
  // Wait for the figures above the chart. They are loaded separately, and when they appear they move the chart down.
  await expect(figure(page, 'Hosts up')).toBeVisible()
  const { x, y, width, height } = await boxOf(chart(page))
  // Both charts share one time range, so the drag begins on the latency chart and ends on the chart above.
  await page.mouse.move(x + 2, y + height - 6)
  await page.mouse.down()
  await page.mouse.move(x + width / 2, y + 6, { steps: 4 })
  await expect(chartLine(page)).toContainText(' to ')
  await page.mouse.up()
  await expect(page).toHaveURL(/last=15m.*since=.+until=/)
  const { decisions } = await countOfAddress(page, service.client)
  const count = figure(page, /^Decisions, [\d.]+ min$/).getByRole('link')
  await expect(count).toHaveText(String(decisions))
  const address = page.url()
  await page.reload()
  await expect(count).toHaveText(String(decisions))
  expect(page.url()).toBe(address)
  await page.getByRole('button', { name: 'All of the last 15m' }).click()
  await expect(page).toHaveURL('/overview?last=15m')
  await expect(figure(page, 'Decisions, 15m')).toBeVisible()
})

test('figures show their change compared with the preceding period of equal length', async ({ page, visit, service }) => {
  const { client } = service
  await place(client, { flavor: 'm1.earlier', vcpus: 999 })
  const { decisionId } = await place(client, { flavor: 'm1.later', vcpus: 1, memoryMb: 64 })
  const { decision } = await client.request<{ decision: { at: string } }>('query At($id: ID!) { decision(id: $id) { at } }', {
    id: decisionId,
  })
  const counted = async () =>
    (
      await client.request<{ activity: { until: string; decisions: number; before: { decisions: number } } }>(
        'query Before($since: DateTime) { activity(since: $since) { until decisions before { decisions } } }',
        { since: decision.at },
      )
    ).activity
  await expect.poll(async () => (await counted()).before.decisions).toBeGreaterThan(0)
  const { until, decisions, before } = await counted()
  await visit(`/overview?since=${decision.at}&until=${until}`)
  const change = (100 * (decisions - before.decisions)) / before.decisions
  const trend = figure(page, /^Decisions, /).locator('[data-trend]')
  await expect(trend).toHaveText(change === 0 ? '±0 %' : /^[+−][\d.,]+ %$/)
  await expect(trend).toContainText(change < 0 ? '-' : change > 0 ? '+' : '±')
  await expect(figure(page, 'Failed').locator('[data-trend]')).toHaveText(/^[+−][\d.]+ points$/)
  await expect(figure(page, 'p99').locator('[data-trend]')).toHaveText(/%$/)
})

test('for each zone the page shows how many instances of a requested flavor fit, and the flavor can be simulated and pinned', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  // The flavor is requested more often than those of other tests. Only one request is placed, so that other tests have enough capacity.
  const { activity } = await service.client.request<{ readonly activity: { readonly flavors: readonly { readonly decisions: number }[] } }>(
    '{ activity(window: "P1D", steps: 1) { flavors { decisions } } }',
    {},
  )
  const most = activity.flavors[0]?.decisions ?? 0
  for (let i = 0; i <= most; i++)
    await place(service.client, { flavor: 'm1.counted', vcpus: 3, memoryMb: 2_048, zone: i === 0 ? 'az2' : 'none' })
  const { capacity } = await service.client.request<{
    readonly capacity: { readonly fits: number; readonly groups: readonly { readonly key: string; readonly fits: number }[] }
  }>('query Count($spec: SpecInput!) { capacity(input: { spec: $spec }) { fits groups { key fits } } }', {
    spec: { gantt: { flavor: { vcpus: 3, memoryMb: 2_048 } } },
  })
  await visit('/overview')
  const row = page.locator('[data-flavor="m1.counted"]')
  await expect(row.locator('[data-fits]')).toHaveAttribute('data-fits', String(capacity.fits))
  // The zone of the request does not limit the counts.
  for (const { key, fits } of capacity.groups) expect(numberIn(await row.locator(`[data-zone="${key}"]`).textContent())).toBe(fits)
  await row.getByRole('link', { name: 'm1.counted', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Simulate' })).toBeVisible()
  await expect(page.locator('[data-fits]')).toHaveAttribute('data-fits', String(capacity.fits))

  // The pin is stored in this browser and is in the URL. It therefore remains after a visit of another page, and for all who have the link.
  await page.goBack()
  await row.getByRole('button', { name: 'Pin m1.counted' }).click()
  await expect(page).toHaveURL(/pin=/)
  await expect(page.locator('[data-flavor]').first()).toHaveAttribute('data-pinned', 'true')
  const address = page.url()
  await page.getByRole('link', { name: 'Hosts', exact: true }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Hosts' })).toBeVisible()
  await page.getByRole('link', { name: 'Overview', exact: true }).first().click()
  await expect(page).toHaveURL(address)
  await page.getByRole('button', { name: 'Unpin m1.counted' }).click()
  await expect(page).toHaveURL('/overview')
  await page.goto(address)
  await expect(page.locator('[data-pinned="true"]')).toHaveAttribute('data-flavor', 'm1.counted')
  await expect(page.locator('[data-pinned="true"] [data-fits]')).toHaveAttribute('data-fits', String(capacity.fits))
})

test('the selected time span is in the URL, the last changes are listed, and the chart is also shown as a table', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await visit('/hosts')
  await pressSequence(page, 'g o')
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeFocused()
  await page.getByText('24h', { exact: true }).click()
  await expect(page).toHaveURL('/overview?last=24h')
  await page.reload()
  await expect(page.getByRole('radio', { name: '24h' })).toBeChecked()
  await keyFor(service.client, 'overview-reader', ['READ'])
  await page.reload()
  await expect(page.locator('[data-change="apiKeyCreate"]').first()).toBeVisible()
  await page.getByText('As a table').click()
  await expect(page.getByRole('region', { name: 'Decisions step by step' }).getByRole('row').nth(1)).toBeVisible()
})

test('in the past no replica and no conflict is shown, because they are known only for the present', async ({ page, visit, service }) => {
  const { fleet } = await service.client.request<{ readonly fleet: { readonly asOf: string } }>('{ fleet { asOf } }')
  await visit('/overview')
  await expect(figure(page, 'Replicas live')).toBeVisible()
  await expect(figure(page, 'Conflicts')).toBeVisible()
  await visit(`/overview?at=${fleet.asOf}`)
  await expect(figure(page, 'Hosts up')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Time travel' })).toContainText('requests and changes are current.')
  await expect(figure(page, 'Replicas live')).toHaveCount(0)
  await expect(figure(page, 'Conflicts')).toHaveCount(0)
})

test('with a read-only key the list of changes shows the missing scope, and the rest of the page is complete', async ({
  page,
  service,
}) => {
  const reader = await keyFor(service.client, 'reads-the-overview', ['READ'])
  await page.goto(`/overview#key=${reader}`)
  await expect(page.getByRole('region', { name: 'Recent changes' })).toContainText(
    'Only a key with the scope OPERATE can read the audit; yours has READ',
  )
  await expect(page.locator('[data-zone="az1"]').first()).toBeVisible()
})

test('if the service does not answer, the last values stay on the page and are marked as old', { tag: '@rare' }, async ({
  page,
  visit,
  provokes,
}) => {
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

test('appearance: the overview, with hosts and of an empty fleet @looks', { tag: '@rare' }, async ({ page, visit, look, emptyService }) => {
  await visit('/overview')
  await expect(page.locator('[data-code]').first()).toBeVisible()
  await expect(page.locator('[data-fits]').first()).toBeVisible()
  await look('the overview')
  await page.goto(`${emptyService.origin}/overview#key=${emptyService.key}`)
  await expect(page.getByRole('heading', { name: 'No host has reported yet' })).toBeVisible()
  await look('the overview of an empty fleet')
})
