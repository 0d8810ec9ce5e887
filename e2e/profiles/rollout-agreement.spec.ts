import type { Client } from '@gantt/client'
import { test as base, expect, type Page } from '../fixtures.ts'
import { expectRowCount } from '../grid.ts'
import { place, report } from '../seed.ts'
import { type Service, startService } from '../service.ts'

// Rollouts change the decisions of the whole service. So these tests have their own service, and each test uses another profile.

const HOSTS = 12

const test = base.extend<object, { readonly fleet: Service }>({
  fleet: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from this pattern
    async ({}, use) => {
      const service = await startService()
      try {
        // Each host has slightly less free memory than the previous host.
        await report(service.client, Object.fromEntries(Array.from({ length: HOSTS }, (_, i) => [`h${i}`, { memoryMbUsed: i * 2_048 }])))
        await use(service)
      } finally {
        await service.stop()
      }
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ fleet }, use) => use(fleet.origin),
  visit: async ({ page, fleet }, use) => {
    await use(async (path) => {
      await page.goto(`${path}#key=${fleet.key}`)
      await expect(page.getByRole('main')).toBeVisible()
    })
  },
})

interface Parts {
  readonly multiplier: number
  readonly filters?: readonly object[]
}

async function write(client: Client, profile: string, { multiplier, filters = [] }: Parts): Promise<void> {
  const { profileVersionCreate } = await client.request<{ profileVersionCreate: { version?: object; message?: string } }>(
    `mutation Write($profile: String!, $input: ProfileVersionInput!) {
      profileVersionCreate(profile: $profile, input: $input) { ... on ProfilePayload { version { number } } ... on UserError { message } } }`,
    { profile, input: { note: '', filters: [{ name: 'RamFilter' }, ...filters], weighers: [{ name: 'RAMWeigher', multiplier }] } },
  )
  if (profileVersionCreate.version === undefined) throw new Error(`${profile} was not written: ${profileVersionCreate.message}`)
}

async function tryOut(client: Client, version: string, rollout: object): Promise<void> {
  const { profileActivate } = await client.request<{ profileActivate: { message?: string } }>(
    `mutation Activate($version: ID!, $rollout: RolloutInput) {
      profileActivate(version: $version, rollout: $rollout) { ... on UserError { message } } }`,
    { version, rollout },
  )
  if (profileActivate.message !== undefined) throw new Error(profileActivate.message)
}

/**
 * Creates a profile whose second version is in a rollout. The first version spreads instances over the hosts. The second version packs
 * them. The second version also refuses one host, and therefore has no rank for this host.
 */
async function openRollout(client: Client, profile: string, mode = 'SHADOW'): Promise<void> {
  await write(client, profile, { multiplier: 1 })
  const isolated = { name: 'IsolatedHostsFilter', options: { isolated_hosts: ['h1'], isolated_images: ['none'] } }
  await write(client, profile, { multiplier: -1, filters: [isolated] })
  await tryOut(client, `${profile}@2`, { mode, ...(mode === 'CANARY' && { percent: 100 }) })
}

const PLACED = 4

/** Makes placements on which the versions disagree, and a refusal on which they agree. */
async function decide(client: Client, profile: string): Promise<void> {
  for (let i = 0; i < PLACED; i++) await place(client, { profile, vcpus: 1, memoryMb: 1_100 })
  await place(client, { profile, vcpus: 1, memoryMb: 9_999_999 })
}

const agreement = (page: Page) => page.getByRole('region', { name: 'Agreement of both versions, by time' })
const ranks = (page: Page) => page.getByRole('region', { name: 'Ranks of the choices' })
const bars = (page: Page) => agreement(page).getByRole('application')
const plot = (page: Page) => ranks(page).getByRole('application')

test('bars show the share of agreement over time, can be used by keyboard, and link to their decisions', { tag: '@rare' }, async ({
  page,
  visit,
  fleet,
}) => {
  const { client } = fleet
  await openRollout(client, 'bars')
  await visit('/profiles/bars')
  await expect(agreement(page)).toContainText('No decision was repeated by the other version yet')
  await expect(bars(page)).toBeHidden()
  await expect(ranks(page)).toBeHidden()

  await decide(client, 'bars')
  await expect(agreement(page)).toHaveAttribute('data-agreement', String(PLACED + 1), { timeout: 30_000 })
  await expect(agreement(page).locator('[data-kind="agreed"]')).toContainText('same outcome 1')
  await expect(agreement(page).locator('[data-kind="elsewhere"]')).toContainText(`elsewhere ${PLACED}`)

  // All bars are selected, because the decisions can be in any of these minutes.
  await bars(page).focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await expect(agreement(page).locator('[data-brush-line]')).toContainText(
    `20 % of ${PLACED + 1} with the same outcome, ${PLACED} elsewhere`,
  )
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/decisions\?q=profile/)
  await expectRowCount(page, 'Decisions', PLACED + 1)

  await page.goBack()
  await agreement(page).getByText('As a table').click()
  const rows = agreement(page).locator('[data-step]')
  await expect(rows.first()).toBeVisible()
  const counts = await rows.locator('td:nth-child(2)').allTextContents()
  expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(PLACED + 1)
  await rows.first().getByRole('link').click()
  await expectRowCount(page, 'Decisions', Number(counts[0]))
})

test('the points together count every disagreement, and each links to what the other version would have decided', { tag: '@rare' }, async ({
  page,
  visit,
  fleet,
}) => {
  const { client } = fleet
  await openRollout(client, 'points')
  await decide(client, 'points')
  await visit('/profiles/points')
  await expect(ranks(page)).toBeVisible({ timeout: 30_000 })
  const rows = page.locator('[data-disagreement]')
  await expect(rows).toHaveCount(PLACED)
  // The table and the drawing show the same decisions.
  const counts: number[] = []
  const count = Number(await ranks(page).getAttribute('data-points'))
  await expect(plot(page).locator('[data-point]')).toHaveCount(count)
  await plot(page).focus()
  const line = ranks(page).locator('[data-scatter-line]')
  for (let i = 0; i < count; i++) {
    await page.keyboard.press(i === 0 ? 'Home' : 'ArrowRight')
    await expect(plot(page).locator('[data-shown]')).toHaveCount(1)
    counts.push(Number.parseInt((await line.textContent()) ?? '', 10))
  }
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(PLACED)
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/decisions\/[^?]+\?by=points%402/)
  await expect(page.getByText('This is what points@2 would have done')).toBeVisible()
})

test('decisions of a canary are compared with the active version, and a refused host is shown with the reason in place of a rank', {
  tag: '@rare',
}, async ({ page, visit, fleet }) => {
  const { client } = fleet
  await write(client, 'refused', { multiplier: -1 })
  const isolated = { name: 'IsolatedHostsFilter', options: { isolated_hosts: ['h11'], isolated_images: ['none'] } }
  await write(client, 'refused', { multiplier: -1, filters: [isolated] })
  await tryOut(client, 'refused@2', { mode: 'CANARY', percent: 100 })
  await place(client, { profile: 'refused', vcpus: 1, memoryMb: 64 })
  await visit('/profiles/refused')
  await expect(ranks(page)).toHaveAttribute('data-points', '1', { timeout: 30_000 })
  const row = page.locator('[data-disagreement]')
  await expect(row).toContainText('h11')
  await expect(row.locator('td.number').first()).toHaveText('none')
  await expect(row).toContainText('IsolatedHostsFilter refuses it: ')
  await plot(page).locator('[data-point]').hover()
  await expect(ranks(page).locator('[data-scatter-line]')).toContainText('no rank by @2')
  await expect(ranks(page).locator('[data-scatter-line]')).toContainText('IsolatedHostsFilter refuses it')
  await plot(page).locator('[data-point]').click()
  await expect(page).toHaveURL(/\?by=refused%401/)
})

test('appearance: the agreement of a rollout @looks', { tag: '@rare' }, async ({ page, visit, fleet, look }, { project }) => {
  const { client } = fleet
  const name = `looks-${project.name}`
  await openRollout(client, name)
  await visit(`/profiles/${name}`)
  await expect(agreement(page)).toContainText('No decision was repeated by the other version yet')
  await look('a rollout without compared decisions')
  await decide(client, name)
  await expect(ranks(page)).toBeVisible({ timeout: 30_000 })
  await agreement(page).getByText('As a table').click()
  await plot(page).focus()
  await page.keyboard.press('Home')
  await look('a rollout over time, and the ranks of its disagreements')
})
