import { randomUUID } from 'node:crypto'
import type { Client } from '@gantt/client'
import { operationOf } from './calls.ts'
import { expect, type Page, type SeededService, test } from './fixtures.ts'
import { expectRowCount, firstCells, gridOf, numberIn, rowsOf, rowWith } from './grid.ts'
import { pressSequence, tabTo } from './keyboard.ts'
import { place, report, setStatus } from './seed.ts'
import { startService } from './service.ts'

const MATRIX = 'Hosts by filters'
const matrixCount = (page: Page) => page.getByRole('region', { name: MATRIX }).locator('[data-rows]')
const answerAbout = (page: Page, host: string) => page.locator(`[data-why-not="${host}"]`)
const countHosts = (count: number): string => `${count} ${count === 1 ? 'host' : 'hosts'}`
const addressOf = (id: string): string => `/decisions/${encodeURIComponent(id)}`

interface Explained {
  readonly headline: string
  readonly hostCount: number
  readonly steps: readonly {
    readonly name: string
    readonly entered: number
    readonly passed: number
    readonly rejected: number
    readonly soleRejections: number
    readonly skippedBecause: string | null
    readonly reasons: readonly { readonly code: string; readonly hosts: number }[]
  }[]
  readonly nearMisses: readonly { readonly hostName: string }[]
}

async function explain(client: Client, id: string): Promise<Explained> {
  const { explainPlacement } = await client.request<{ explainPlacement: Explained }>(
    `query Explain($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) {
      headline hostCount nearMisses(first: 10) { hostName }
      steps { name entered passed rejected soleRejections skippedBecause reasons { code hosts } } } }`,
    { id },
  )
  return explainPlacement
}

interface Check {
  readonly filter: string
  readonly status: string
  readonly text: string | null
  readonly facts: readonly { required: string | null; actual: string | null; shortfall: string | null; unit: string | null }[]
}

async function whyNot(client: Client, id: string, host: string): Promise<{ headline: string; verdict: { checks: readonly Check[] } }> {
  const answer = await client.request<{ whyNot: { headline: string; verdict: { checks: readonly Check[] } } }>(
    `query WhyNot($id: ID!, $host: String!) { whyNot(input: { subject: { decisionId: $id }, host: { host: $host } }) {
      headline verdict { checks { filter status text facts { required actual shortfall unit } } } } }`,
    { id, host },
  )
  return answer.whyNot
}

/** What stands in the answer about a host is what the API says, number by number. */
async function expectAnswerOfApi(page: Page, client: Client, id: string, host: string): Promise<void> {
  const { headline, verdict } = await whyNot(client, id, host)
  const answer = answerAbout(page, host)
  await expect(answer.getByRole('heading', { level: 3 })).toHaveText(headline)
  const ran = verdict.checks.filter(({ status }) => status !== 'NOT_ASKED')
  expect(ran.some(({ status }) => status === 'FAIL')).toBe(true)
  await expect(answer.locator('[data-check]')).toHaveCount(ran.length)
  for (const { filter, status, text, facts } of ran) {
    const row = answer.locator(`[data-check="${filter}"]`)
    await expect(row).toHaveAttribute('data-status', status)
    if (text !== null) await expect(row).toContainText(text)
    const [fact] = facts
    for (const name of ['required', 'actual', 'shortfall'] as const) {
      const value = fact?.[name] ?? null
      await expect(row.locator(`[data-fact=${name}]`)).toHaveText(value === null ? '' : `${value}${fact?.unit ? ` ${fact.unit}` : ''}`)
    }
  }
}

test('a request fails; by clicking one finds which hosts failed on what, and why not one of them', async ({ page, visit, service }) => {
  const { client } = service
  await visit('/decisions')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  const { decisionId, outcome } = await place(client, { flavor: 'x1.clicked', vcpus: 12, memoryMb: 61_440, zone: 'az1' })
  expect(outcome).toBe('NO_VALID_HOST')

  await rowWith(page, 'Decisions', 'x1.clicked').click()
  await expect(page).toHaveURL(addressOf(decisionId))
  const explained = await explain(client, decisionId)
  await expect(page.locator('[data-headline]')).toHaveText(explained.headline)

  const ram = explained.steps.find(({ name }) => name === 'RamFilter')
  expect(ram?.rejected).toBeGreaterThan(0)
  await page.getByRole('button', { name: `${countHosts(ram?.rejected ?? 0)} refused by RamFilter`, exact: true }).click()
  await expect(matrixCount(page)).toHaveAttribute('data-rows', String(ram?.rejected))

  const [host = ''] = await firstCells(page, MATRIX)
  await rowWith(page, MATRIX, host).click()
  await expectAnswerOfApi(page, client, decisionId, host)
  await page.getByRole('link', { name: 'Open the host' }).click()
  await expect(page.getByRole('heading', { name: host, level: 1 })).toBeVisible()
})

test('the same by keyboard alone', { tag: '@rare' }, async ({ page, visit, service }) => {
  const { client } = service
  const { decisionId } = await place(client, { flavor: 'x1.typed', vcpus: 12, memoryMb: 61_440, zone: 'az1' })
  await visit('/hosts')
  await expect(page.getByRole('heading', { name: 'Hosts', level: 1 })).toBeVisible()
  await pressSequence(page, 'g d')
  await expect(gridOf(page, 'Decisions')).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('flavor:x1.typed')
  await page.keyboard.press('Enter')
  await expectRowCount(page, 'Decisions', 1)
  await tabTo(page, gridOf(page, 'Decisions'))
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(addressOf(decisionId))
  await expect(page.locator('[data-headline]')).toBeVisible()

  const ram = (await explain(client, decisionId)).steps.find(({ name }) => name === 'RamFilter')
  const count = page.getByRole('button', { name: `${countHosts(ram?.rejected ?? 0)} refused by RamFilter`, exact: true })
  await tabTo(page, count)
  await page.keyboard.press('Enter')
  await expect(matrixCount(page)).toHaveAttribute('data-rows', String(ram?.rejected))
  await page.keyboard.press('j')
  const [host = ''] = await firstCells(page, MATRIX)
  await page.keyboard.press('Enter')

  // Enter on the count opened it again; the matrix is opened from within, or any host by its name
  await page.keyboard.press('w')
  await page.keyboard.press('Control+a')
  await page.keyboard.type(host)
  await page.keyboard.press('Enter')
  await expect(answerAbout(page, host).getByRole('heading', { level: 3 })).toBeFocused()
  await expectAnswerOfApi(page, client, decisionId, host)
  await page.keyboard.press('Escape')
  await expect(answerAbout(page, host)).toBeHidden()
})

test('the numbers of the funnel are the API’s, and they add up', async ({ page, visit, service }) => {
  const { decisionId } = service.seed.refused
  const { steps, hostCount } = await explain(service.client, decisionId)
  await visit(addressOf(decisionId))
  const asked = steps.filter(({ skippedBecause }) => skippedBecause === null)
  await expect(page.locator('[data-filter]')).toHaveCount(asked.length)
  for (const [i, { name, rejected, reasons }] of asked.entries()) {
    const step = page.locator('[data-filter]').nth(i)
    await expect(step).toHaveAttribute('data-filter', name)
    if (rejected > 0)
      await expect(step.getByRole('button', { name: new RegExp(`hosts? refused by ${name}`) }).first()).toHaveText(`−${rejected}`)
    for (const { code, hosts } of reasons)
      await expect(step.getByRole('button', { name: `${countHosts(hosts)} refused by ${name} for ${code}` })).toBeVisible()
    expect(asked[i + 1]?.entered ?? asked.at(-1)?.passed).toBe(steps.find((one) => one.name === name)?.passed)
  }
  const refused = asked.reduce((sum, { rejected }) => sum + rejected, 0)
  await expect(page.locator('[data-law=sum]')).toHaveText(`${refused} refused + 0 left = ${countHosts(hostCount)}`)
})

test('every count opens exactly that many hosts', async ({ page, visit, service }) => {
  await visit(`${addressOf(service.seed.refused.decisionId)}?all=yes`)
  const regions = [
    page.getByRole('region', { name: 'Filters' }).getByRole('button', { name: /hosts?/ }),
    page.getByRole('group', { name: 'Filters that refuse hosts together' }).getByRole('button'),
  ]
  await expect(page.getByRole('group', { name: 'Filters that refuse hosts together' })).toBeVisible()
  let opened = 0
  for (const counts of regions)
    for (const label of await counts.evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''))) {
      await page.getByRole('button', { name: label, exact: true }).click()
      const count = numberIn(label)
      await expect(matrixCount(page), label).toHaveAttribute('data-rows', String(count))
      await expectRowCount(page, MATRIX, count)
      if (count > 0) expect((await firstCells(page, MATRIX)).length, label).toBe(count)
      opened++
    }
  expect(opened).toBeGreaterThan(6)
})

test('how much is missing is counted by amount; each bar opens exactly the hosts that lack so much @looks', async ({
  page,
  visit,
  look,
  service,
}) => {
  const { decisionId } = service.seed.refused
  const { explainPlacement } = await service.client.request<{
    explainPlacement: {
      verdicts: {
        nodes: readonly { hostName: string; checks: readonly { status: string; facts: readonly { shortfall: string | null }[] }[] }[]
      }
    }
  }>(
    `query Short($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) {
      verdicts(first: 100, filter: { reason: ["memory.short"] }) { nodes { hostName checks { status facts { shortfall } } } } } }`,
    { id: decisionId },
  )
  const lacking = explainPlacement.verdicts.nodes.map(({ checks }) =>
    Number(checks.find(({ status }) => status === 'FAIL')?.facts[0]?.shortfall),
  )
  expect(lacking.length).toBeGreaterThan(2)
  await visit(addressOf(decisionId))
  await page.getByRole('button', { name: `${countHosts(lacking.length)} refused by RamFilter for memory.short` }).click()
  const bars = page.getByRole('region', { name: 'How much is missing: memory.short' })
  await bars.getByText('As a list').click()
  const counts = bars.getByRole('button')
  await expect(counts.first()).toBeVisible()
  const labels = await counts.evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''))
  expect(labels.map(numberIn).reduce((sum, count) => sum + count, 0)).toBe(lacking.length)
  for (const label of labels) {
    await page.getByRole('button', { name: label, exact: true }).click()
    await expectRowCount(page, MATRIX, numberIn(label))
    const [from = 0, to = 0] = (new URL(page.url()).searchParams.get('short') ?? '').split('-').map(Number)
    expect(lacking.filter((amount) => amount >= from && amount < to).length, label).toBe(numberIn(label))
  }
  await look('how much is missing')
  const address = page.url()
  await page.reload()
  await expectRowCount(page, MATRIX, numberIn(labels.at(-1) ?? ''))
  expect(page.url()).toBe(address)
  // by keys: the bar of the cursor, then all of them
  const drawn = bars.getByRole('application')
  await drawn.focus()
  for (const key of ['Home', 'Shift+End', 'Enter']) await page.keyboard.press(key)
  await expectRowCount(page, MATRIX, lacking.length)
  await page.getByRole('button', { name: /^Show all hosts, not only those/ }).click()
  await expect(page).not.toHaveURL(/short=/)
})

test('reload and a second browser show the same view of a decision', { tag: '@rare' }, async ({ page, visit, browser, service }) => {
  const { decisionId } = service.seed.refused
  await visit(addressOf(decisionId))
  const ram = (await explain(service.client, decisionId)).steps.find(({ name }) => name === 'RamFilter')
  await page.getByRole('button', { name: `${countHosts(ram?.rejected ?? 0)} refused by RamFilter`, exact: true }).click()
  await gridOf(page, MATRIX).getByRole('button', { name: 'Host', exact: true }).click()
  await expect(page).toHaveURL(/sort=name/)
  const [host = ''] = await firstCells(page, MATRIX)
  await rowWith(page, MATRIX, host).click()
  await expect(answerAbout(page, host).locator('[data-check]').first()).toBeVisible()
  const text = await page.getByRole('main').textContent()
  await page.reload()
  await expect(answerAbout(page, host).locator('[data-check]').first()).toBeVisible()
  await expect.poll(() => page.getByRole('main').textContent()).toBe(text)
  const elsewhere = await browser.newContext({ viewport: page.viewportSize() })
  try {
    const other = await elsewhere.newPage()
    await other.goto(`${page.url()}#key=${service.key}`)
    await expect(answerAbout(other, host).locator('[data-check]').first()).toBeVisible()
    await expect.poll(() => other.getByRole('main').textContent()).toBe(text)
  } finally {
    await elsewhere.close()
  }
})

test('a placed request shows why this host, with the API’s totals', async ({ page, visit, service }) => {
  const { decisionId, hosts } = service.seed.placed
  await visit(addressOf(decisionId))
  const { explainPlacement } = await service.client.request<{
    explainPlacement: { weighing: { hosts: { hostName: string; outcome: string; totalWeight: number; weights: { weighted: number }[] }[] } }
  }>(
    `query Weighing($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) {
      weighing(top: 50) { hosts { hostName outcome totalWeight weights { weighted } } } } }`,
    { id: decisionId },
  )
  const weighed = explainPlacement.weighing.hosts
  const rows = page.getByRole('region', { name: 'Weights' }).locator('[data-host]')
  await expect(rows).toHaveCount(weighed.length)
  for (const [i, { hostName, outcome, totalWeight, weights }] of weighed.entries()) {
    await expect(rows.nth(i)).toHaveAttribute('data-host', hostName)
    await expect(rows.nth(i)).toHaveAttribute('data-outcome', outcome)
    await expect(rows.nth(i).locator(`[title="${totalWeight}"]`)).toBeVisible()
    expect(weights.reduce((sum, { weighted }) => sum + weighted, 0)).toBeCloseTo(totalWeight, 9)
  }
  await expect(page.locator('[data-outcome=SELECTED]')).toHaveAttribute('data-host', hosts[0] ?? '')
})

test('what was asked without effect is named on the page of the decision, and where the same is simulated', async ({
  page,
  visit,
  service,
}) => {
  const { decisionId } = await place(service.client, { extraSpecs: { 'hw:cpu_policy': 'dedicated' } })
  const ignored = page.getByRole('region', { name: 'Without effect' })
  await visit(addressOf(decisionId))
  await expect(ignored).toContainText('flavor.extraSpecs.hw:cpu_policy')
  await page.getByRole('link', { name: 'Simulate from this' }).click()
  await expect(page.getByRole('region', { name: 'Outcome' }).getByRole('region', { name: 'Without effect' })).toContainText(
    'flavor.extraSpecs.hw:cpu_policy',
  )
  await visit(addressOf(service.seed.placed.decisionId))
  await expect(page.getByRole('region', { name: 'Weights' })).toBeVisible()
  await expect(ignored).toHaveCount(0)
})

test('the text for a ticket has the sentence and the link', async ({ page, context, visit, service }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  const { decisionId } = service.seed.refused
  await visit(addressOf(decisionId))
  await page.getByRole('button', { name: 'Copy for a ticket' }).click()
  await expect(page.getByText('Copied: Ticket, Markdown.')).toBeVisible()
  const text = await page.evaluate(() => navigator.clipboard.readText())
  expect(text).toContain((await explain(service.client, decisionId)).headline)
  expect(text.trim().split('\n').at(-1)).toBe(page.url())
})

test('what is copied for the project of a request is what it may be reported, and names no host', async ({
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
  await page.getByRole('menuitem', { name: 'For its project, text' }).click()
  await expect(page.getByText('Copied: For its project, text.')).toBeVisible()
  const text = await page.evaluate(() => navigator.clipboard.readText())
  const { decision } = await service.client.request<{
    decision: { tenantExplanation: { headline: string; demands: readonly { text: string }[] } }
  }>('query Tenant($id: ID!) { decision(id: $id) { tenantExplanation { headline demands { text } } } }', { id: decisionId })
  const { headline, demands } = decision.tenantExplanation
  expect(demands.length).toBeGreaterThan(0)
  expect(text.split('\n')).toEqual([headline, '', ...demands.map((demand) => `- ${demand.text}`)])
  expect(text).not.toMatch(/az1-\d/)
})

const waitingButton = (page: Page, count: number) => page.getByRole('button', { name: `${count} new`, exact: true })

test('new decisions wait while one reads the list, and come in when asked for', async ({ page, visit, service }) => {
  await visit('/decisions')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await gridOf(page, 'Decisions').focus()
  // the cursor in the first row is enough
  await page.keyboard.press('ArrowDown')
  const { y } = (await gridOf(page, 'Decisions').boundingBox()) ?? { y: -1 }
  await place(service.client, { flavor: 'x1.waiting' })
  await expect(waitingButton(page, 1)).toBeVisible()
  expect((await gridOf(page, 'Decisions').boundingBox())?.y, 'nothing moves when they are announced').toBe(y)
  await expect(rowWith(page, 'Decisions', 'x1.waiting')).toHaveCount(0)
  await page.keyboard.press('n')
  await expect(rowWith(page, 'Decisions', 'x1.waiting')).toBeVisible()
  await expect(waitingButton(page, 1)).toBeHidden()
})

test('how a decision ended is shown by colour too, in light and in dark', { tag: '@rare' }, async ({ page, visit }) => {
  await visit('/decisions?q=outcome:NO_VALID_HOST')
  const badge = rowsOf(page, 'Decisions').first().locator('[data-outcome=NO_VALID_HOST]')
  await expect(badge).toBeVisible()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(badge).not.toHaveCSS('background-color', 'rgba(0, 0, 0, 0)')
  }
})

test('no row moves under the pointer; what waited comes in when it leaves', async ({ page, visit, service }) => {
  await visit('/decisions')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await rowsOf(page, 'Decisions').first().hover()
  await place(service.client, { flavor: 'x1.hovered' })
  await expect(waitingButton(page, 1)).toBeVisible()
  await expect(rowWith(page, 'Decisions', 'x1.hovered')).toHaveCount(0)
  await page.getByRole('heading', { name: 'Decisions', level: 1 }).hover()
  await expect(rowWith(page, 'Decisions', 'x1.hovered')).toBeVisible()
})

test('the feed follows the filter', async ({ page, visit, service }) => {
  await visit('/decisions?q=flavor:x1.this')
  await expect(page.getByRole('heading', { name: 'No decision matches' })).toBeVisible()
  await page.getByRole('combobox', { name: 'Filter decisions' }).fill('flavor:x1.that')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/x1\.that/)
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await place(service.client, { flavor: 'x1.that' })
  await expect(rowWith(page, 'Decisions', 'x1.that')).toBeVisible()
})

test('a new decision costs one page, however many were read', { tag: '@rare' }, async ({ page, visit, service }) => {
  for (let i = 0; i < 60; i++) await place(service.client, { flavor: 'x1.paged', vcpus: 400 })
  await visit('/decisions?q=flavor:x1.paged')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await gridOf(page, 'Decisions').focus()
  await page.keyboard.press('End')
  await expectRowCount(page, 'Decisions', 60)
  const read: unknown[] = []
  page.on('request', (request) => {
    const { variables } = (request.postDataJSON() ?? {}) as { variables?: { after?: string | null } }
    if (operationOf(request).includes('query DecisionList')) read.push(variables?.after)
  })
  await place(service.client, { flavor: 'x1.paged', vcpus: 400 })
  await waitingButton(page, 1).click()
  await expect(rowsOf(page, 'Decisions').first()).toBeVisible()
  await expectRowCount(page, 'Decisions', 50)
  expect(read).toEqual([null])
})

test('an answer that comes late takes no row out of a live list', { tag: '@rare' }, async ({ page, visit, service }) => {
  const placeOne = () => place(service.client, { flavor: 'x1.late' })
  await placeOne()
  await visit('/decisions?q=flavor:x1.late')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await expectRowCount(page, 'Decisions', 1)
  const counts = await gridOf(page, 'Decisions').evaluateHandle((grid) => {
    const seen = [Number(grid.getAttribute('aria-rowcount'))]
    new MutationObserver(() => seen.push(Number(grid.getAttribute('aria-rowcount')))).observe(grid, { attributeFilter: ['aria-rowcount'] })
    return seen
  })
  let isLate = false
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/graphql', async (route) => {
    if (isLate || !operationOf(route.request()).startsWith('query DecisionList')) return route.continue()
    const response = await route.fetch()
    isLate = true
    await released
    await route.fulfill({ response })
  })
  await placeOne()
  await expect.poll(() => isLate).toBe(true)
  await placeOne()
  await expectRowCount(page, 'Decisions', 3)
  release()
  await placeOne()
  await expectRowCount(page, 'Decisions', 4)
  const seen = await counts.jsonValue()
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
})

test('what was copied is said', { tag: '@rare' }, async ({ page, context, visit, service }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  const { decisionId } = service.seed.refused
  await visit(addressOf(decisionId))
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'Command line' }).click()
  await expect(page.getByText('Copied: Command line.')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`gantt explain ${decisionId}`)
})

test('why not a host that nobody knows', { tag: '@rare' }, async ({ page, visit, axe, service }) => {
  await visit(`${addressOf(service.seed.refused.decisionId)}?host=no-such-host`)
  const answer = answerAbout(page, 'no-such-host')
  await expect(answer.getByRole('heading', { level: 3 })).toHaveText(
    (await whyNot(service.client, service.seed.refused.decisionId, 'no-such-host')).headline,
  )
  await expect(answer.getByRole('link', { name: 'Open the host' })).toHaveCount(0)
  await axe('an unknown host')
})

test('a request without any host says so, and shows no empty matrix', { tag: '@rare' }, async ({ page, axe }) => {
  // a service of its own: others count on one without decisions
  const service = await startService()
  try {
    const { decisionId, outcome } = await place(service.client, {})
    expect(outcome).toBe('NO_VALID_HOST')
    await page.goto(`${service.origin}${addressOf(decisionId)}#key=${service.key}`)
    await expect(page.getByRole('heading', { name: 'No hosts to check' })).toBeVisible()
    await expect(page.getByRole('region', { name: MATRIX })).toHaveCount(0)
    await axe('a request without any host')
    await page.goto('about:blank')
  } finally {
    await service.stop()
  }
})

test('every instance of a request has its own view', async ({ page, visit, service }) => {
  const { decisionId, hosts } = await place(service.client, { flavor: 'x1.three', numInstances: 3, zone: 'az1' })
  expect(hosts).toHaveLength(3)
  await visit(addressOf(decisionId))
  for (const [i, host] of hosts.entries()) {
    await page.getByRole('tab', { name: `Instance ${i + 1}`, exact: true }).click()
    await expect(page.locator('[data-outcome=SELECTED]')).toHaveAttribute('data-host', host)
    await expect(page.locator('[data-headline]')).toContainText(host)
  }
  await page.goBack()
  await expect(page.getByRole('tab', { name: 'Instance 2', exact: true })).toHaveAttribute('aria-selected', 'true')
})

test('a gang that the solver placed shows its numbers, and each member with its host', { tag: '@rare' }, async ({
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

test('matrix and weights have room for their columns at 1280 pixels', { tag: '@rare' }, async ({ page, visit, service }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await visit(addressOf(service.seed.placed.decisionId))
  const over = (grid: HTMLElement | SVGElement): number => grid.scrollWidth - grid.clientWidth
  expect(await gridOf(page, MATRIX).evaluate(over)).toBe(0)
  expect(await page.getByRole('region', { name: 'Totals of the best hosts' }).evaluate(over)).toBe(0)
  // next to the answer about a host there is less room: names are shorter, and none is cut
  await visit(`${addressOf(service.seed.placed.decisionId)}?host=az1-02`)
  await expect(answerAbout(page, 'az1-02')).toBeVisible()
  const cut = await gridOf(page, MATRIX)
    .getByRole('columnheader')
    .evaluateAll((heads) => heads.filter((head) => head.scrollWidth > head.clientWidth).map((head) => head.textContent))
  expect(cut).toEqual([])
})

test('a filter of decisions narrows to the outcome', async ({ page, visit }) => {
  // of the flavors of the seed alone: other tests may have left more than are in sight
  await visit('/decisions?q=outcome:NO_VALID_HOST flavor:m1.huge,m1.large')
  await expect(rowWith(page, 'Decisions', 'm1.huge')).toBeVisible()
  await expect(rowsOf(page, 'Decisions').locator('[data-outcome=PLACED]')).toHaveCount(0)
})

test.describe('looks', () => {
  test('the list, and without a hit @looks', { tag: '@rare' }, async ({ page, visit, look }) => {
    await visit('/decisions')
    await expect(rowsOf(page, 'Decisions').first()).toBeVisible()
    await page.keyboard.press('j')
    await look('decisions')
    await page.goto('/decisions?q=flavor:no-such-flavor')
    await expect(page.getByRole('heading', { name: 'No decision matches' })).toBeVisible()
    await look('decisions without a hit')
  })

  test('a refused request, asked about a host, with every filter @looks', async ({ page, visit, look, service }) => {
    await visit(`${addressOf(service.seed.refused.decisionId)}?all=yes&host=az1-05`)
    await expect(answerAbout(page, 'az1-05').locator('[data-check]').first()).toBeVisible()
    await expect(gridOf(page, MATRIX)).toBeVisible()
    await look('a refused request')
  })

  test('a placed request, compared with another host @looks', { tag: '@rare' }, async ({ page, visit, look, service }) => {
    await visit(`${addressOf(service.seed.placed.decisionId)}?pin=az1-04`)
    await expect(page.getByRole('region', { name: 'Weights' }).locator('[data-host]').first()).toBeVisible()
    await page.getByText('The original request').click()
    await look('a placed request')
  })

  test('two decisions side by side @looks', { tag: '@rare' }, async ({ page, visit, look, service }) => {
    const { placed, refused } = service.seed
    await visit(`${addressOf(refused.decisionId)}?with=${encodeURIComponent(placed.decisionId)}`)
    await expect(page.locator('[data-compared]')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Request of both' })).toContainText('flavor.memoryMb')
    await look('two decisions side by side')
  })

  test('what would make it fit, and the receipt verified @looks', { tag: '@rare' }, async ({ page, visit, look, service }) => {
    await visit(`${addressOf(service.seed.refused.decisionId)}?fit=yes`)
    // it moves what is below it
    await expect(page.locator('[data-counterfactual]').first()).toBeVisible()
    await page.getByRole('button', { name: 'Verify' }).click()
    await expect(page.getByRole('list', { name: 'Verified parts' })).toHaveAttribute('data-verified', 'SAME')
    await look('what would make it fit')
  })

  test('an id that is none @looks', { tag: '@rare' }, async ({ page, visit, look, provokes }) => {
    provokes(400)
    await visit(addressOf('no-such-id'))
    await expect(page.getByRole('alert')).toContainText('it must be the global id of a Decision')
    await look('an id that is none')
  })
})

test('the tries before a decision stand in a line: which host each had, why it was lost, and each leads to itself', async ({
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

test('a decision is asked of another profile from its page: everything below is of that one, as the API says, by the link too', async ({
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
  await page.getByRole('button', { name: 'Back to what was decided' }).click()
  await expect(page).not.toHaveURL(/[?&]by=/)
  await expect(profiles).toHaveValue('')
})

/** A service asks with an id of its own for the request; answers once the audit knows it. */
async function placeAs(service: SeededService, requestId: string, instance: string, flavor: string): Promise<string> {
  const response = await fetch(new URL('/graphql', service.origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.key}`, 'x-request-id': requestId },
    body: JSON.stringify({
      query: `mutation Place($input: SelectDestinationsInput!) { selectDestinations(input: $input) { ... on SelectDestinationsPayload { decision { id } } } }`,
      variables: {
        input: {
          idempotencyKey: randomUUID(),
          spec: { gantt: { flavor: { name: flavor, vcpus: 1, memoryMb: 64 }, instanceUuids: [instance] } },
        },
      },
    }),
  })
  const { data } = (await response.json()) as { data: { selectDestinations: { decision: { id: string } } } }
  const { id } = data.selectDestinations.decision
  const known = 'query Known($id: ID!) { decision(id: $id) { requestIds } }'
  await expect
    .poll(async () => (await service.client.request<{ decision: { requestIds: string[] } }>(known, { id })).decision.requestIds)
    .toEqual([requestId])
  return id
}

test('the id of a request leads to its decision: by a line of a log in the palette and in the filter; and on to the audit', async ({
  page,
  visit,
  service,
}) => {
  const requestId = `req-${randomUUID()}`
  const instance = randomUUID()
  const id = await placeAs(service, requestId, instance, 'x1.traced')
  const other = await placeAs(service, `req-${randomUUID()}`, randomUUID(), 'x1.untraced')
  const line = `INFO nova.scheduler [None ${requestId} 5f3c - - - -] [instance: ${instance}] No valid host`
  await visit('/decisions?cols=flavor,request')
  const grid = gridOf(page, 'Decisions')
  await expect(grid).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search and go' }).fill(line)
  await expect(page.getByRole('button', { name: new RegExp(`of instance ${instance}`) })).toBeVisible()
  await page.getByRole('button', { name: /^x1\.traced/ }).click()
  await expect(page).toHaveURL(addressOf(id))
  const request = page.getByRole('link', { name: requestId })
  await expect(request).toHaveAttribute('href', `/audit?q=request:${requestId}`)
  await page.goBack()
  const filter = page.getByRole('combobox', { name: 'Filter decisions' })
  const paste = (text: string) =>
    filter.evaluate((input, pasted) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', pasted)
      input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
  await expect(grid).toBeVisible()
  await paste(line)
  await expect(filter).toHaveValue(`id:${requestId},${instance}`)
  await expectRowCount(page, 'Decisions', 1)
  await expect(rowWith(page, 'Decisions', requestId)).toContainText('x1.traced')
  await filter.fill('')
  // what both lead to is offered
  await paste(`${line}; retried as ${other}`)
  await expectRowCount(page, 'Decisions', 2)
})

test('[ and ] go through the decisions of the list, and those behind a list of claims', async ({ page, visit, service }) => {
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.unshift((await place(service.client, { flavor: 'x1.neighbour', vcpus: 1, memoryMb: 64 })).decisionId)
  await visit('/decisions?q=flavor:x1.neighbour')
  await expectRowCount(page, 'Decisions', 3)
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
  await expect(page).toHaveURL(addressOf(ids[1] ?? ''))
  for (const [key, next] of [
    ['[', ids[0]],
    [']', ids[1]],
    [']', ids[2]],
    [']', ids[2]],
  ] as const) {
    await expect(page.locator('[data-headline]')).toBeVisible()
    await page.keyboard.press(key)
    await expect(page).toHaveURL(addressOf(next ?? ''))
  }
  await page.goBack()
  await expectRowCount(page, 'Decisions', 3)
})

test('a decision is compared with the try before it, whatever it asked for', { tag: '@rare' }, async ({ page, visit, service }) => {
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

test('what would make it fit leads to where it is done: by the places that the API names', { tag: '@rare' }, async ({ page }) => {
  // a fleet of its own: what would make it fit depends on all that others left
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

test('a decision is replayed on the fleet as it is now: in the address, said on the page, as the API says, and nothing is decided', {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, service, look }) => {
  const { client } = service
  const { decisionId } = await place(client, { flavor: 'x1.replayed', vcpus: 1, memoryMb: 64 })
  // its claim holds room now, which it did not when it was decided
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
  await expect(page.getByRole('heading', { name: 'What would make it fit' })).toHaveCount(0)
  await look('a decision on the present fleet')
  await page.reload()
  await expect(headline).toHaveText(explainPlacement.headline)
  await page.getByRole('button', { name: 'Back to what was decided' }).click()
  await expect(page).not.toHaveURL(/[?&]on=/)
  const { decisionCounts } = await client.request<{ decisionCounts: { decisions: number } }>(
    'query Count { decisionCounts(query: "flavor:x1.replayed") { decisions } }',
  )
  expect(decisionCounts.decisions).toBe(1)
})

test('a filter that finds none says how long all of a decision is kept; the list shows each', { tag: '@rare' }, async ({ page, visit }) => {
  await visit('/decisions?q=flavor:no-such')
  await expect(page.getByText('Full records are kept for 7 days')).toBeVisible()
  await visit('/decisions?cols=at,kept')
  await expect(rowsOf(page, 'Decisions').first()).toContainText('all')
})
