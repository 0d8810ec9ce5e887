import type { Client } from '@gantt/client'
import type { Browser, Page } from '@playwright/test'
import { checkAccessibility, expect } from '../fixtures.ts'
import { expectRowCount, gridOf, inWords, rowsOf } from '../grid.ts'
import { tabTo } from '../keyboard.ts'
import type { Service } from '../service.ts'
import { EXTRA_TIMEOUT_MS, hostsWhere, isOpen, LARGE, test, zoneOf } from './large-fleet.ts'

// The six questions of an operator on the large fleet, answered with the keyboard alone. Every answer is compared with the API's, and
// every view is opened again by its link in another browser. Only one colour scheme is checked here. decisions.spec.ts checks the others on
// the small fleet, and three runs on this fleet would take three times as long.

const MATRIX = 'Hosts by filters'

// For each question the service examines all hosts several times: for the page, for another browser, and for the test itself.
test.describe.configure({ timeout: 120_000 + EXTRA_TIMEOUT_MS })

test('questions 1 and 2: what happened, and which filters refused the hosts?', async ({ page, browser, large }) => {
  await openFromList(page, large, 'm1.huge', large.refused.decisionId)
  const { headline, steps } = await explain(large.client, large.refused.decisionId)

  await page.keyboard.press('1')
  await expect(page.locator('[data-headline]')).toBeFocused()
  await expect(page.locator('[data-headline]')).toHaveText(headline)

  await page.keyboard.press('2')
  await expect(page.getByRole('heading', { name: 'Filter funnel' })).toBeFocused()
  const asked = steps.filter(({ skippedBecause }) => skippedBecause === null)
  const left = asked.at(-1)?.passed ?? -1
  expect(asked.reduce((sum, { rejected }) => sum + rejected, left)).toBe(LARGE)
  await expect(page.locator('[data-law=sum]')).toHaveText(`${inWords(LARGE)} refused + 0 left = ${inWords(LARGE)} hosts`)
  for (const { name, passed, rejected } of asked)
    await expect(page.locator(`[data-filter="${name}"]`)).toContainText(
      `${inWords(passed)}${rejected === 0 ? '0' : `−${inWords(rejected)}`}`,
    )

  const most = asked.reduce((one, other) => (other.rejected > one.rejected ? other : one))
  // Disabled hosts are refused by an earlier filter, so they are not in this count.
  const elsewhere = hostsWhere((i) => zoneOf(i) !== 3 && isOpen(i))
  expect(most.rejected).toBe(elsewhere)
  await tabTo(page, page.getByRole('button', { name: `${inWords(elsewhere)} hosts refused by ${most.name}`, exact: true }))
  await page.keyboard.press('Enter')
  // The list of the counted hosts has the focus.
  await expect(gridOf(page, MATRIX)).toBeFocused()
  await expectRowCount(page, MATRIX, elsewhere)
  await page.keyboard.press('End')
  await expect(rowsOf(page, MATRIX).last()).toHaveAttribute('aria-rowindex', String(elsewhere + 1))
  await checkAccessibility(page, 'a decision over the large fleet')
  await expectSameView(page, browser, large, async (other) => {
    await expectRowCount(other, MATRIX, elsewhere)
    await expect(other.locator('[data-headline]')).toHaveText(headline)
  })
})

test('question 3: why was host X not chosen?', async ({ page, browser, large }) => {
  await openFromList(page, large, 'm1.huge', large.refused.decisionId)
  for (const host of [large.names.at(-17) ?? '', 'no-such-host']) {
    const { headline, verdict } = await whyNot(large.client, large.refused.decisionId, host)
    await page.keyboard.press('3')
    await expect(page.getByLabel('Why not host')).toBeFocused()
    await page.keyboard.type(host)
    await page.keyboard.press('Enter')
    await expectAnswer(page, host, headline, verdict)
    await expect(page.locator(`[data-why-not="${host}"]`).getByRole('heading', { level: 3 })).toBeFocused()
  }
  await page.keyboard.press('Escape')
  await expect(page.locator('[data-why-not]')).toBeHidden()
  // The host with the smallest shortfall is the first in the matrix. The answer about this host can also be opened from the matrix.
  await expect(gridOf(page, MATRIX)).toBeFocused()
  await page.keyboard.press('Home')
  const first = gridOf(page, MATRIX).locator('[role=row][aria-rowindex="2"]')
  await expect(first).toHaveAttribute('aria-selected', 'true')
  const nearest = ((await first.getByRole('gridcell').first().textContent()) ?? '').trim()
  await page.keyboard.press('Enter')
  const { headline, verdict } = await whyNot(large.client, large.refused.decisionId, nearest)
  await expectAnswer(page, nearest, headline, verdict)
  await expectSameView(page, browser, large, (other) => expectAnswer(other, nearest, headline, verdict))
})

test('question 4: why was this host chosen?', async ({ page, browser, large }) => {
  const { decisionId, hosts } = large.placed
  await openFromList(page, large, 'm1.large', decisionId)
  const { weighing } = await explain(large.client, decisionId)
  await page.keyboard.press('4')
  await expect(page.getByRole('heading', { name: 'Why this host' })).toBeFocused()
  const weights = page.getByRole('region', { name: 'Weights', exact: true })
  const listed = Math.min(50, weighing.candidateCount)
  if (listed < weighing.candidateCount)
    await expect(weights).toContainText(`Truncated at 50 of ${inWords(weighing.candidateCount)} hosts that passed`)
  expect(weighing.hosts[0]?.hostName).toBe(hosts[0])
  const rows = weights.locator('tr[data-host]')
  await expect(rows).toHaveCount(listed)
  for (const [i, { hostName, totalWeight, weights: parts }] of weighing.hosts.slice(0, 5).entries()) {
    await expect(rows.nth(i)).toHaveAttribute('data-host', hostName)
    await expect(rows.nth(i).locator(`[title="${totalWeight}"]`)).toBeVisible()
    expect(parts.reduce((sum, { weighted }) => sum + weighted, 0)).toBeCloseTo(totalWeight, 9)
  }
  await expect(weights.locator('[data-margin]')).toHaveAttribute('data-margin', String(weighing.margin))
  for (const { name, decisive, flipsBelow } of weighing.weighers) {
    const row = weights.locator(`[data-weigher="${name}"]`)
    if (decisive) await expect(row).toContainText('decides')
    if (flipsBelow !== null) await expect(row.locator(`[title="${flipsBelow}"]`)).toBeVisible()
  }
  const other = weighing.hosts[3]?.hostName ?? ''
  await tabTo(page, weights.getByRole('button', { name: `Compare with rank 4, ${other}` }))
  await page.keyboard.press('Enter')
  await expect(weights.locator('[data-comparison]')).toContainText(`${hosts[0]} against ${other}`)
  const text = await weights.locator('[data-comparison]').textContent()
  await expectSameView(page, browser, large, (there) => expect(there.locator('[data-comparison]')).toHaveText(text ?? ''))
})

test('question 5: what would make the request fit?', async ({ page, browser, large }) => {
  await openFromList(page, large, 'm1.huge', large.refused.decisionId)
  await page.keyboard.press('5')
  const section = page.getByRole('region', { name: 'What would make the request fit', exact: true })
  await expect(section.getByRole('heading', { name: 'What would make the request fit' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  // A search that reaches its time limit finds fewer changes, but still the smallest one. If two searches run at the same time, one of the
  // two searches can find no change at all.
  await expect(page.locator('[data-counterfactual]').first()).toBeVisible({ timeout: 60_000 })
  let least = ''
  await expect
    .poll(async () => {
      least = (await whatWouldFit(large.client, large.refused.decisionId)).counterfactuals[0]?.text ?? ''
      return least
    })
    .not.toBe('')
  const expectFound = async (one: Page): Promise<void> => {
    const found = one.locator('[data-counterfactual]')
    await expect(found.first()).toContainText(least, { timeout: 60_000 })
    await expect(one.locator('[data-fitting]')).toContainText(least)
    await expect(one.locator('[data-fitting]')).toHaveAttribute('data-fitting', String(await found.count()))
    for (const row of await found.all()) await expect(row).toHaveAttribute('data-verified', 'true')
  }
  await expectFound(page)
  await expectSameView(page, browser, large, expectFound)
  // The proposed change works when it is simulated.
  await tabTo(page, section.getByRole('link', { name: `Simulate: ${least}`, exact: true }))
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-placed]')).toHaveAttribute('data-placed', '1', { timeout: 60_000 })
})

test('question 6: why did the same request go to another host before?', async ({ page, browser, large }) => {
  const [first, second] = large.twice
  await openFromList(page, large, 'm1.twice', second.decisionId, 2)
  const compared = await compare(large.client, first.decisionId, second.decisionId)
  expect(compared.cause).toBe('FLEET')
  await page.keyboard.press('6')
  const comparison = page.getByRole('region', { name: 'Compare', exact: true })
  await expect(comparison.getByRole('heading', { name: 'Compare with another decision' })).toBeFocused()
  // The newest similar decision is already selected.
  await expect(comparison.getByLabel('Similar decision')).toHaveValue(first.decisionId)
  await tabTo(page, comparison.getByRole('button', { name: 'Compare', exact: true }))
  await page.keyboard.press('Enter')
  const expectCompared = async (one: Page): Promise<void> => {
    await expect(one.locator('[data-compared]')).toHaveAttribute('data-compared', compared.cause)
    await expect(one.locator('[data-cause-text]')).toHaveText(compared.text)
    await expect(one.locator('[data-flipped]')).toHaveAttribute('data-flipped', String(compared.flippedCount))
    for (const { hostName, because } of compared.flipped) await expect(one.locator(`[data-flip="${hostName}"]`)).toContainText(because)
  }
  await expectCompared(page)
  await expectSameView(page, browser, large, expectCompared)
})

/** Opens a decision from the list, as an operator who knows the name of an instance's flavor would. */
async function openFromList(page: Page, { key, origin }: Service, flavor: string, id: string, hits = 1): Promise<void> {
  await page.goto(`${origin}/decisions#key=${key}`)
  await expect(gridOf(page, 'Decisions')).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type(`flavor:${flavor}`)
  await page.keyboard.press('Enter')
  await expectRowCount(page, 'Decisions', hits)
  await tabTo(page, gridOf(page, 'Decisions'))
  for (const pressed of ['j', 'Enter']) await page.keyboard.press(pressed)
  await expect(page).toHaveURL(`/decisions/${encodeURIComponent(id)}`)
  await expect(page.locator('[data-headline]')).toBeVisible()
}

/** Asserts that the link of the view shows the same content in another browser. */
async function expectSameView(page: Page, browser: Browser, { key }: Service, shows: (other: Page) => Promise<void>): Promise<void> {
  const elsewhere = await browser.newContext({ viewport: page.viewportSize() })
  try {
    const other = await elsewhere.newPage()
    await other.goto(`${page.url()}#key=${key}`)
    await shows(other)
  } finally {
    await elsewhere.close()
  }
}

interface Check {
  readonly filter: string
  readonly status: string
  readonly text: string | null
}

async function expectAnswer(page: Page, host: string, headline: string, verdict: { readonly checks: readonly Check[] }): Promise<void> {
  const answer = page.locator(`[data-why-not="${host}"]`)
  await expect(answer.getByRole('heading', { level: 3 })).toHaveText(headline)
  for (const { filter, status, text } of verdict.checks) {
    if (status === 'NOT_ASKED') continue
    await expect(answer.locator(`[data-check="${filter}"]`)).toHaveAttribute('data-status', status)
    if (text !== null) await expect(answer.locator(`[data-check="${filter}"]`)).toContainText(text)
  }
}

interface Explained {
  readonly headline: string
  readonly steps: readonly {
    readonly name: string
    readonly passed: number
    readonly rejected: number
    readonly skippedBecause: string | null
  }[]
  readonly weighing: {
    readonly candidateCount: number
    readonly margin: number
    readonly weighers: readonly { readonly name: string; readonly decisive: boolean; readonly flipsBelow: number | null }[]
    readonly hosts: readonly {
      readonly hostName: string
      readonly totalWeight: number
      readonly weights: readonly { readonly weighted: number }[]
    }[]
  }
}

async function explain(client: Client, id: string): Promise<Explained> {
  const { explainPlacement } = await client.request<{ explainPlacement: Explained }>(
    `query Explain($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) {
      headline steps { name passed rejected skippedBecause }
      weighing(top: 50) { candidateCount margin weighers { name decisive flipsBelow } hosts { hostName totalWeight weights { weighted } } } } }`,
    { id },
  )
  return explainPlacement
}

interface Answer {
  readonly headline: string
  readonly verdict: { readonly checks: readonly Check[] }
}

async function whyNot(client: Client, id: string, host: string): Promise<Answer> {
  const answer = await client.request<{ whyNot: Answer }>(
    `query WhyNot($id: ID!, $host: String!) { whyNot(input: { subject: { decisionId: $id }, host: { host: $host } }) {
      headline verdict { checks { filter status text } } } }`,
    { id, host },
  )
  return answer.whyNot
}

interface Compared {
  readonly cause: string
  readonly text: string
  readonly flippedCount: number
  readonly flipped: readonly { readonly hostName: string; readonly because: string }[]
}

async function compare(client: Client, a: string, b: string): Promise<Compared> {
  const { compareDecisions } = await client.request<{ compareDecisions: Compared }>(
    `query Compare($a: ID!, $b: ID!) { compareDecisions(a: $a, b: $b) { cause text flippedCount flipped(first: 50) { hostName because } } }`,
    { a, b },
  )
  return compareDecisions
}

interface Fitting {
  readonly headline: string
  readonly counterfactuals: readonly { readonly text: string; readonly verified: boolean }[]
}

async function whatWouldFit(client: Client, id: string): Promise<Fitting> {
  const answer = await client.request<{ whatWouldFit: Fitting }>(
    `query Fit($id: ID!) { whatWouldFit(input: { decisionId: $id, first: 10 }) { headline counterfactuals { text verified } } }`,
    { id },
  )
  return answer.whatWouldFit
}
