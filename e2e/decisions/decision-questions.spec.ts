import { randomUUID } from 'node:crypto'
import { expect, test } from '../fixtures.ts'
import { gridOf } from '../grid.ts'
import { place, report, setStatus } from '../seed.ts'
import { startService } from '../service.ts'
import { addressOf, answerAbout, explain, MATRIX } from './explained.ts'

test('fields of a request that have no effect are listed on the page of the decision and in its simulation', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const { decisionId } = await place(service.client, { extraSpecs: { 'hw:cpu_policy': 'dedicated' } })
  const ignored = page.getByRole('region', { name: 'Without effect' })
  await visit(addressOf(decisionId))
  await expect(ignored).toContainText('flavor.extraSpecs.hw:cpu_policy')
  await page.getByRole('link', { name: 'Simulate this request' }).click()
  await expect(page.getByRole('region', { name: 'Outcome' }).getByRole('region', { name: 'Without effect' })).toContainText(
    'flavor.extraSpecs.hw:cpu_policy',
  )
  await visit(addressOf(service.seed.placed.decisionId))
  await expect(page.getByRole('region', { name: 'Weights' })).toBeVisible()
  await expect(ignored).toHaveCount(0)
})

test('the text that is copied for a ticket has the headline of the decision, and ends with the link of its page', async ({
  page,
  context,
  visit,
  service,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  const { decisionId } = service.seed.refused
  await visit(addressOf(decisionId))
  await page.getByRole('button', { name: 'Copy for a ticket' }).click()
  await expect(page.getByText('Copied: Ticket, Markdown.')).toBeVisible()
  const text = await page.evaluate(() => navigator.clipboard.readText())
  expect(text).toContain((await explain(service.client, decisionId)).headline)
  expect(text.trim().split('\n').at(-1)).toBe(page.url())
})

test('the text that is copied for the project of a request has only facts that the project may read, and no host names', async ({
  page,
  context,
  visit,
  service,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  const { decisionId } = service.seed.refused
  await visit(addressOf(decisionId))
  await expect(page.locator('[data-headline]')).toBeVisible()
  await page.keyboard.press('Y')
  await page.getByRole('menuitem', { name: 'For the tenant, as text' }).click()
  await expect(page.getByText('Copied: For the tenant, as text.')).toBeVisible()
  const text = await page.evaluate(() => navigator.clipboard.readText())
  const { decision } = await service.client.request<{
    decision: { tenantExplanation: { headline: string; demands: readonly { text: string }[] } }
  }>('query Tenant($id: ID!) { decision(id: $id) { tenantExplanation { headline demands { text } } } }', { id: decisionId })
  const { headline, demands } = decision.tenantExplanation
  expect(demands.length).toBeGreaterThan(0)
  expect(text.split('\n')).toEqual([headline, '', ...demands.map((demand) => `- ${demand.text}`)])
  expect(text).not.toMatch(/az1-\d/)
})

test('the page of a gang that the solver placed shows the result of the solver, and each member with its host', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await service.client.request(
    `mutation { profileVersionCreate(profile: "gangs", input: { note: "batches", scheduler: SOLVER,
      filters: [{ name: "ComputeFilter" }], weighers: [{ name: "RAMWeigher", multiplier: 1 }] }) { __typename } }`,
  )
  const gang = [{ name: 'database', instances: 1, vcpus: 4, memoryMb: 8_192 }]
  const { decisionId, hosts } = await place(service.client, { zone: 'az1', profile: 'gangs', gang })
  await visit(addressOf(decisionId))
  const solver = page.getByRole('region', { name: 'Solver' })
  await expect(solver).toContainText('OPTIMAL')
  await expect(solver.locator('[data-number=gap]')).toHaveText('gap 0 %')
  const destinations = page.getByRole('region', { name: 'Destinations', exact: true }).getByRole('row')
  await expect(destinations.nth(1)).toContainText(`flavor${hosts[0]}`)
  await expect(destinations.nth(2)).toContainText(`database${hosts[1]}`)
})

test('the columns of the matrix and of the weights fit at 1280 pixels', { tag: '@rare' }, async ({ page, visit, service }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await visit(addressOf(service.seed.placed.decisionId))
  const over = (grid: HTMLElement | SVGElement): number => grid.scrollWidth - grid.clientWidth
  expect(await gridOf(page, MATRIX).evaluate(over)).toBe(0)
  expect(await page.getByRole('region', { name: 'Totals of the best hosts' }).evaluate(over)).toBe(0)
  // The panel with the answer about a host leaves less space for the matrix. Its headings are then abbreviated, and must not be cut.
  await visit(`${addressOf(service.seed.placed.decisionId)}?host=az1-02`)
  await expect(answerAbout(page, 'az1-02')).toBeVisible()
  const cut = await gridOf(page, MATRIX)
    .getByRole('columnheader')
    .evaluateAll((heads) => heads.filter((head) => head.scrollWidth > head.clientWidth).map((head) => head.textContent))
  expect(cut).toEqual([])
})

test('the attempts before a decision are listed with their hosts, with the reasons why they failed, and with links', async ({
  page,
  visit,
  service,
}) => {
  const { client } = service
  const instance = randomUUID()
  const ask = { flavor: 'x1.tried', vcpus: 1, memoryMb: 1_024, instance }
  const first = await place(client, ask)
  const { decision } = await client.request<{
    decision: { destinations: { selected: { host: { name: string }; claim: { id: string; fence: number } } }[] }
  }>(`query Held($id: ID!) { decision(id: $id) { destinations { selected { host { name } claim { id fence } } } } }`, {
    id: first.decisionId,
  })
  const [held] = decision.destinations
  await client.request(`mutation Release($claims: [ClaimRef!]!) { claimRelease(claims: $claims, reason: "no image") { __typename } }`, {
    claims: [{ id: held?.selected.claim.id, fence: held?.selected.claim.fence }],
  })
  const second = await place(client, ask)
  await visit(addressOf(second.decisionId))
  const tries = page.getByRole('navigation', { name: 'Attempts' })
  await expect(tries.getByRole('listitem')).toHaveCount(2)
  const lost = tries.locator('[data-try="1"]')
  await expect(lost).toContainText(`${held?.selected.host.name} its claim was released: no image`)
  await expect(tries.locator('[data-try="2"]')).toHaveAttribute('aria-current', 'true')
  await lost.getByRole('link').focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(encodeURIComponent(first.decisionId)))
  await expect(page.locator('.fact-line')).toContainText(/took [\d.]+ m?s/)
  await expect(tries).toHaveCount(0)
})

test('for a decision that is replayed with another profile, the page and a shared link show the results of the API', async ({
  page,
  visit,
  service,
}) => {
  const { client } = service
  const { decisionId } = await place(client, { flavor: 'x1.asked', vcpus: 1, memoryMb: 1_024 })
  await visit(addressOf(decisionId))
  const headline = page.locator('[data-headline]')
  await expect(headline).toBeVisible()
  const profiles = page.getByLabel('Replay with profile')
  const other = 'best-fit@0'
  await expect(profiles.locator(`option[value="${other}"]`)).toBeAttached()
  await profiles.selectOption(other)
  await expect(page).toHaveURL(/[?&]by=best-fit/)
  const { explainPlacement } = await client.request<{ explainPlacement: { headline: string } }>(
    `query By($id: ID!, $by: String!) { explainPlacement(input: { subject: { decisionId: $id }, profile: $by }) { headline } }`,
    { id: decisionId, by: other },
  )
  await expect(headline).toHaveText(explainPlacement.headline)
  await expect(page.getByRole('status').filter({ hasText: `This is what ${other} would have done` })).toBeVisible()
  await page.reload()
  await expect(headline).toHaveText(explainPlacement.headline)
  await page.getByRole('button', { name: 'Back to the recorded decision' }).click()
  await expect(page).not.toHaveURL(/[?&]by=/)
  await expect(profiles).toHaveValue('')
})

test('a decision is compared with the attempt before it, even if that attempt requested other resources', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const instance = randomUUID()
  const first = await place(service.client, { flavor: 'x1.first-try', vcpus: 999, memoryMb: 64, instance })
  const second = await place(service.client, { flavor: 'x1.second-try', vcpus: 998, memoryMb: 64, instance })
  await visit(addressOf(second.decisionId))
  await expect(page.locator('[data-headline]')).toBeVisible()
  await page.keyboard.press('6')
  const comparison = page.getByRole('region', { name: 'Compare', exact: true })
  await expect(comparison.getByLabel('Similar decision')).toHaveValue(first.decisionId)
  await expect(comparison.getByRole('button', { name: 'Compare', exact: true })).toBeEnabled()
})

test('each change that would make a request fit links to the page where it is made, as the API states', { tag: '@rare' }, async ({
  page,
}) => {
  // This test has its own fleet, because the result depends on objects that other tests create.
  const service = await startService()
  try {
    await report(service.client, { shut: {}, full: {} })
    await setStatus(service.client, 'shut', 'DISABLED', 'disk swap')
    await place(service.client, { flavor: 'x1.taker', vcpus: 1, memoryMb: 60_000, reservedFor: 'PT1H' })
    const { decisionId } = await place(service.client, { flavor: 'x1.unfit', vcpus: 2, memoryMb: 60_000 })
    const { whatWouldFit } = await service.client.request<{
      whatWouldFit: { counterfactuals: { text: string; changes: { places: { kind: string; name: string }[] }[] }[] }
    }>(
      'query Fit($id: ID!) { whatWouldFit(input: { decisionId: $id, first: 10 }) { counterfactuals { text changes { places { kind name } } } } }',
      { id: decisionId },
    )
    const placed = whatWouldFit.counterfactuals.map(({ text, changes }) => ({ text, places: changes.flatMap(({ places }) => places) }))
    expect(new Set(placed.flatMap(({ places }) => places.map(({ kind }) => kind)))).toEqual(new Set(['HOST', 'CLAIM']))
    await page.goto(`${service.origin}${addressOf(decisionId)}?fit=yes#key=${service.key}`)
    await expect(page.locator('[data-fitting]')).toBeVisible({ timeout: 60_000 })
    for (const { text, places } of placed)
      for (const { kind, name } of places) {
        const link = page.locator('[data-counterfactual]').filter({ hasText: text }).locator(`[data-place="${kind}"]`).first()
        await expect(link).toHaveAttribute('href', new RegExp(encodeURIComponent(name)))
      }
    await page.goto('about:blank')
  } finally {
    await service.stop()
  }
})

test('for a decision that is replayed on the present fleet, the page shows the result of the API, the URL has the revision, and no decision is made', {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, service, look }) => {
  const { client } = service
  const { decisionId } = await place(client, { flavor: 'x1.replayed', vcpus: 1, memoryMb: 64 })
  // The present fleet differs from that of the decision, because the claim of the decision now holds resources.
  await visit(addressOf(decisionId))
  const headline = page.locator('[data-headline]')
  await expect(headline).toBeVisible()
  await page.getByRole('button', { name: 'Replay now' }).click()
  await expect(page).toHaveURL(/[?&]on=\d+/)
  const on = new URL(page.url()).searchParams.get('on')
  const { explainPlacement } = await client.request<{ explainPlacement: { headline: string; fleetRevision: string } }>(
    'query On($id: ID!, $on: Revision!) { explainPlacement(input: { subject: { decisionId: $id }, at: $on }) { headline fleetRevision } }',
    { id: decisionId, on },
  )
  await expect(page.getByRole('status').filter({ hasText: `would do on the fleet of revision ${on}` })).toBeVisible()
  await expect(headline).toHaveText(explainPlacement.headline)
  await expect(page.getByRole('heading', { name: 'What would make the request fit' })).toHaveCount(0)
  await look('a decision on the present fleet')
  await page.reload()
  await expect(headline).toHaveText(explainPlacement.headline)
  await page.getByRole('button', { name: 'Back to the recorded decision' }).click()
  await expect(page).not.toHaveURL(/[?&]on=/)
  const { decisionCounts } = await client.request<{ decisionCounts: { decisions: number } }>(
    'query Count { decisionCounts(query: "flavor:x1.replayed") { decisions } }',
  )
  expect(decisionCounts.decisions).toBe(1)
})
