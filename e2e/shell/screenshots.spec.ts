import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import { gridOf, rowsOf } from '../grid.ts'
import { place } from '../seed.ts'
import { type Demo, startDemo, startService } from '../service.ts'

// The images of docs/console.md and of the README, taken of the demo. `npm run screenshots` writes them into docs/images. Every other run
// writes them next to the results of the tests, to check that they can be made.
const FOLDER = process.env.GANTT_SCREENSHOTS ?? 'test-results/screenshots'
const MAX_BYTES = 250_000

const test = base.extend<{ readonly signedIn: Page }, { readonly demo: Demo }>({
  demo: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from this pattern
    async ({}, use) => {
      const demo = await startDemo()
      try {
        await use(demo)
      } finally {
        await demo.stop()
      }
    },
    { scope: 'worker', timeout: 150_000 },
  ],
  baseURL: async ({ demo }, use) => use(demo.origin),
  signedIn: async ({ page, demo }, use) => {
    await page.goto(`${demo.start}#key=${demo.key}`)
    await expect(page.locator('[data-headline]')).toBeVisible()
    await use(page)
  },
})

test('the demo’s first link opens a failed decision, and every other link opens an existing page', async ({ signedIn: page, demo }) => {
  await expect(page.locator('[data-outcome=NO_VALID_HOST]').first()).toBeVisible()
  await picture(page, 'explain')
  expect(demo.others.length).toBeGreaterThan(5)
  for (const link of demo.others) {
    await page.goto(link)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    if (link.startsWith('/decisions/')) await expect(page.locator('[data-headline]')).toBeVisible()
  }
})

test('screenshot of the overview', async ({ signedIn: page }) => {
  await page.goto('/overview')
  await expect(page.locator('[data-code]').first()).toBeVisible()
  await expect(page.locator('[data-flavor] [aria-label="Counting"]')).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Recent changes' }).locator('[data-change]').first()).toBeVisible()
  await picture(page, 'overview')
})

test('screenshots of claims, replicas, the audit and keys', async ({ signedIn: page }) => {
  for (const [name, label] of [
    ['claims', 'Claims'],
    ['replicas', 'Replicas'],
    ['audit', 'Audit'],
    ['keys', 'Keys'],
  ] as const) {
    await page.goto(`/${name}`)
    await expect(rowsOf(page, label).first()).toBeVisible()
    await picture(page, name)
  }
})

test('screenshot of GraphiQL', async ({ signedIn: page }) => {
  await page.goto('/decisions')
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'Open in GraphiQL' }).click()
  const graphiql = page.frameLocator('iframe[title=GraphiQL]')
  await graphiql.getByRole('button', { name: /Execute query/ }).click()
  await expect(graphiql.locator('.graphiql-response')).toContainText('"data"')
  await picture(page, 'graphiql')
})

test('screenshot of a page of the past', async ({ signedIn: page }) => {
  await page.getByRole('link', { name: /as it was for this decision/ }).click()
  await expect(page.getByRole('region', { name: 'Time travel' })).toHaveAttribute('data-as-of', /\d/)
  await expect(rowsOf(page, 'Hosts').first()).toBeVisible()
  await picture(page, 'past')
})

test('screenshot of the settings', async ({ signedIn: page }) => {
  // Only the first settings of the service are shown, because a setting further down contains the path of a temporary folder.
  await page.setViewportSize({ width: 1280, height: 700 })
  await page.goto('/settings')
  await expect(page.locator('[data-setting=PORT]')).toBeVisible()
  await picture(page, 'settings')
})

test('screenshots of all hosts and of one host', async ({ signedIn: page, demo }) => {
  await page.goto('/hosts')
  await expect(rowsOf(page, 'Hosts').first()).toBeVisible()
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Views' })).toBeEnabled()
  await picture(page, 'hosts')
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setEmulatedVisionDeficiency', { type: 'deuteranopia' })
  await picture(page, 'hosts-deuteranopia')
  await session.send('Emulation.setEmulatedVisionDeficiency', { type: 'none' })
  await session.detach()
  await page.goto(demo.others.find((link) => /^\/hosts\/./.test(link)) ?? '/hosts')
  await expect(page.getByRole('table', { name: 'Usage by resource class' })).toBeVisible()
  await picture(page, 'host')
})

test('screenshots of decisions: the list, the matrix, why a host was not chosen, and why another host was chosen', async ({
  signedIn: page,
  demo,
}) => {
  await page.goto(`${demo.start}?all=yes`)
  await expect(page.getByRole('group', { name: 'Filters that refuse hosts together' })).toBeVisible()
  await page.getByRole('region', { name: 'Hosts by filters' }).scrollIntoViewIfNeeded()
  await page.getByRole('region', { name: 'Hosts by filters' }).evaluate((region) => region.scrollIntoView({ block: 'start' }))
  await page.evaluate(() => window.scrollBy(0, -60))
  await picture(page, 'matrix')
  await page.goto(demo.start)
  await page.getByRole('region', { name: 'Nearest hosts' }).getByRole('button').first().click()
  await expect(page.locator('[data-why-not] [data-check]').first()).toBeVisible()
  await page.getByRole('region', { name: 'Why a host was not chosen' }).evaluate((region) => region.scrollIntoView({ block: 'start' }))
  await page.evaluate(() => window.scrollBy(0, -60))
  await picture(page, 'why-not')
  await page.goto('/decisions?q=outcome:NO_VALID_HOST')
  await expect(rowsOf(page, 'Decisions').first()).toBeVisible()
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await picture(page, 'decisions')
  await page.goto('/decisions?q=outcome:PLACED')
  await rowsOf(page, 'Decisions').first().click()
  const weights = page.getByRole('region', { name: 'Weights' })
  await expect(weights.locator('[data-host]').first()).toBeVisible()
  await weights.evaluate((region) => region.scrollIntoView({ block: 'start' }))
  await page.evaluate(() => window.scrollBy(0, -60))
  await picture(page, 'weights')
})

test('screenshots of the changes that would make a request fit, of two decisions side by side, and of a simulation', async ({
  signedIn: page,
  demo,
}) => {
  await page.goto(`${demo.start}?fit=yes`)
  const fitting = page.getByRole('region', { name: 'What would make the request fit', exact: true })
  await expect(fitting.locator('[data-fitting]')).toBeVisible({ timeout: 60_000 })
  await showTop(page, fitting)
  await picture(page, 'what-would-fit')
  await fitting
    .getByRole('link', { name: /^Simulate/ })
    .first()
    .click()
  await expect(page.locator('[data-placed]')).toBeVisible()
  await expect(page.locator('[data-fits]')).toBeVisible()
  await picture(page, 'simulate')
  await page.goto('/decisions?q=outcome:PLACED')
  await rowsOf(page, 'Decisions').first().click()
  const compare = page.getByRole('region', { name: 'Compare', exact: true })
  await compare.getByRole('textbox').focus()
  await compare.getByRole('button', { name: 'Compare', exact: true }).click()
  await expect(compare.locator('[data-compared]')).toBeVisible()
  await showTop(page, compare)
  await picture(page, 'compare')
})

test('screenshots of aggregates: the list, and the draft of one aggregate', async ({ signedIn: page, demo }) => {
  await page.goto('/aggregates')
  await expect(rowsOf(page, 'Aggregates').first()).toBeVisible()
  await picture(page, 'aggregates')
  await page.goto(`${demo.others.find((link) => /^\/aggregates\/./.test(link))}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft' })
  await expect(gridOf(page, 'Members')).toBeVisible()
  await draft.getByLabel('Set metadata').fill('maintenance=2026-12')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(draft.locator('[data-impact]')).toBeVisible()
  await page.evaluate(() => window.scrollTo(0, 0))
  await picture(page, 'aggregate')
})

test('screenshots of a profile with a canary, and of its effect on past requests', async ({ signedIn: page, demo }) => {
  const weighers = [
    { name: 'RAMWeigher', multiplier: -1 },
    { name: 'CPUWeigher', multiplier: 1 },
  ]
  const filters = [{ name: 'ComputeFilter' }, { name: 'AvailabilityZoneFilter' }, { name: 'TraitsFilter', shadow: true }]
  await demo.client.request(
    `mutation Write($input: ProfileVersionInput!) { profileVersionCreate(profile: "default", input: $input) { __typename } }`,
    { input: { note: 'Packs by memory, and only evaluates traits.', filters, weighers } },
  )
  const { profile } = await demo.client.request<{ profile: { versions: { nodes: readonly { number: number }[] } } }>(
    '{ profile(name: "default") { versions(first: 500) { nodes { number } } } }',
    {},
  )
  const number = profile.versions.nodes.at(-1)?.number
  await page.goto(`/profiles/default?version=${number}&last=24h&check=yes`)
  const evaluation = page.getByRole('region', { name: 'Effect on past requests' })
  await expect(evaluation.locator('[data-evaluated]')).toBeVisible({ timeout: 60_000 })
  await expect(page.locator('[data-diff]')).toBeVisible()
  await picture(page, 'profile')
  await showTop(page, evaluation)
  await picture(page, 'profile-evaluation')

  // This version is nearly the same as the active version, so most decisions agree.
  const decides = await demo.client.request<{
    profile: {
      active: { weighers: readonly { name: string; multiplier: number; options: object }[]; filters: readonly { name: string }[] }
    }
  }>('{ profile(name: "default") { active { filters { name } weighers { name multiplier options } } } }', {})
  const near = decides.profile.active.weighers.map((one) => ({ ...one, multiplier: one.multiplier * (one.name === 'RAMWeigher' ? 2 : 1) }))
  const { profileVersionCreate } = await demo.client.request<{ profileVersionCreate: { version: { id: string } } }>(
    `mutation Near($input: ProfileVersionInput!) {
      profileVersionCreate(profile: "default", input: $input) { ... on ProfilePayload { version { id } } } }`,
    { input: { note: 'Memory counts twice.', filters: decides.profile.active.filters, weighers: near } },
  )
  await demo.client.request(
    'mutation Try($version: ID!) { profileActivate(version: $version, rollout: { mode: SHADOW }) { __typename } }',
    { version: profileVersionCreate.version.id },
  )
  for (let i = 0; i < 60; i++) await place(demo.client, { vcpus: 1 + (i % 8), memoryMb: 1_024 * (1 + (i % 13)) })
  await page.goto('/profiles/default')
  await expect(page.getByRole('region', { name: 'Ranks of the choices' })).toBeVisible({ timeout: 60_000 })
  await showTop(page, page.getByRole('region', { name: 'Rollout' }))
  await picture(page, 'profile-rollout')
  await demo.client.request('mutation Back { profileRollback(profile: "default", reason: "the picture is taken") { __typename } }', {})
})

test('screenshots of the palette, and of the fleet before its first host', async ({ signedIn: page, demo }) => {
  await page.goto('/aggregates')
  await expect(rowsOf(page, 'Aggregates').first()).toBeVisible()
  await page.keyboard.press('Control+k')
  const [, zone = 'z2'] = /\/hosts\/(\w+)/.exec(demo.others.join(' ')) ?? []
  await page.getByRole('textbox', { name: 'Search and go' }).fill(zone)
  await expect(page.getByRole('button', { name: zone }).first()).toBeVisible()
  await picture(page, 'palette')
  const service = await startService()
  try {
    await page.goto(`${service.origin}/hosts#key=${service.key}`)
    await expect(page.getByRole('heading', { name: 'No host has reported yet' })).toBeVisible()
    await picture(page, 'empty-fleet')
  } finally {
    await page.close()
    await service.stop()
  }
})

/** Scrolls a section to the position below the header of the page. */
async function showTop(page: Page, section: Locator): Promise<void> {
  await section.evaluate((one) => one.scrollIntoView({ block: 'start' }))
  await page.evaluate(() => window.scrollBy(0, -60))
}

async function picture(page: Page, name: string): Promise<void> {
  // The text cursor is hidden, and the pointer is moved away, so that no element is highlighted.
  await page.mouse.move(0, 0)
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  await mkdir(FOLDER, { recursive: true })
  await writeFile(path.join(FOLDER, `${name}.png`), png)
  // Only the images that are written into the repository have to be small. The size of all others depends on the instances that the demo
  // placed last.
  if (process.env.GANTT_SCREENSHOTS !== undefined) expect(png.length, `bytes of ${name}.png`).toBeLessThan(MAX_BYTES)
}
