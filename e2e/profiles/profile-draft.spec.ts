import type { Client } from '@gantt/client'
import { operationOf } from '../calls.ts'
import { test as base, expect, type Page } from '../fixtures.ts'
import { tabTo } from '../keyboard.ts'
import { keyFor, place, report } from '../seed.ts'
import { type Service, startService } from '../service.ts'

// All tests of this file share one service. Each test uses another profile, so that they do not affect each other.

interface Fleet extends Service {
  readonly reader: string
}

const test = base.extend<object, { readonly fleet: Fleet }>({
  fleet: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from this pattern
    async ({}, use) => {
      const service = await startService()
      try {
        await report(service.client, { small: { memoryMbUsed: 61_440 }, large: {} })
        await use({ ...service, reader: await keyFor(service.client, 'reader', ['READ']) })
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

interface Version {
  readonly number: number
  readonly state: string
  readonly note: string
  readonly filters: readonly { readonly name: string; readonly shadow: boolean }[]
  readonly weighers: readonly { readonly name: string; readonly multiplier: number }[]
}

async function write(client: Client, profile: string, multiplier: number): Promise<void> {
  await client.request(
    `mutation Write($profile: String!, $input: ProfileVersionInput!) {
      profileVersionCreate(profile: $profile, input: $input) { __typename } }`,
    {
      profile,
      input: {
        note: `times ${multiplier}`,
        filters: ['ComputeFilter', 'RamFilter', 'CoreFilter'].map((name) => ({ name })),
        weighers: [{ name: 'RAMWeigher', multiplier }],
      },
    },
  )
}

async function versionsOf(client: Client, name: string): Promise<readonly Version[]> {
  const { profile } = await client.request<{ profile: { versions: { nodes: readonly Version[] } } }>(
    `query Versions($name: String!) { profile(name: $name) { versions(first: 50) { nodes {
      number state note filters { name shadow } weighers { name multiplier } } } } }`,
    { name },
  )
  return profile.versions.nodes
}

const part = (page: Page, id: string) => page.locator(`[data-part="${id}"]`)
const orderOf = (page: Page, label: string) =>
  page
    .getByRole('list', { name: label })
    .locator('[data-part]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-part')))
const diff = (page: Page) => page.getByRole('region', { name: 'Changes of the draft' })

test('with the keyboard alone a version is drafted, evaluated, written, and then activated', { tag: '@rare' }, async ({
  page,
  visit,
  fleet,
}) => {
  const { client } = fleet
  const name = 'by-keyboard'
  await write(client, name, 1)
  await place(client, { flavor: 'm1.drafted', vcpus: 1, memoryMb: 512, profile: name })
  await visit(`/profiles/${name}`)
  await expect(page.getByRole('region', { name: 'Version' })).toContainText('This version is active.')
  await page.keyboard.press('e')
  await expect(page).toHaveURL(`/profiles/${name}/draft?from=1`)
  await expect(diff(page)).toContainText('No changes yet.')

  // The filter is moved to the front, which is announced to screen readers.
  await page.keyboard.press('1')
  await tabTo(page, part(page, 'RamFilter').getByRole('button', { name: 'Move RamFilter, 2 of 3' }))
  await page.keyboard.press('Alt+ArrowUp')
  await expect(page.locator('[data-said="filters"]')).toHaveText('RamFilter is 1 of 3 now.')
  await expect(part(page, 'RamFilter').getByRole('button', { name: 'Move RamFilter, 1 of 3' })).toBeFocused()
  expect(await orderOf(page, 'Filters of the draft')).toEqual(['RamFilter', 'ComputeFilter', 'CoreFilter'])
  await page.keyboard.press('Alt+ArrowDown')
  await page.keyboard.press('Alt+ArrowDown')
  await expect(page.locator('[data-said="filters"]')).toHaveText('RamFilter is 3 of 3 now.')
  await expect(part(page, 'RamFilter').getByRole('button', { name: 'Move RamFilter, 3 of 3' })).toBeFocused()

  // RamFilter is set to shadow mode, and CoreFilter is switched off.
  await tabTo(page, part(page, 'RamFilter').getByRole('switch', { name: 'RamFilter in shadow mode: it refuses no host' }))
  await page.keyboard.press('Space')
  await page.keyboard.press('1')
  await tabTo(page, part(page, 'CoreFilter').getByRole('switch', { name: 'Use CoreFilter' }))
  await page.keyboard.press('Space')

  // A negative multiplier reverses the weigher, and the row shows this.
  await tabTo(page, page.getByRole('textbox', { name: 'Multiplier of RAMWeigher, as a number' }))
  await page.keyboard.press('Control+a')
  await page.keyboard.type('-1.5')
  await expect(part(page, 'RAMWeigher').locator('[data-multiplier]')).toHaveText('−1.5')
  await expect(part(page, 'RAMWeigher')).toContainText('The negative multiplier reverses the order.')
  await expect(diff(page).locator('[data-diff]')).toHaveAttribute('data-diff', '3')
  await expect(diff(page)).toContainText('weighers.RAMWeigher.multiplier+1−1.5')

  // The draft survives a reload.
  await page.reload()
  await expect(diff(page).locator('[data-diff]')).toHaveAttribute('data-diff', '3')

  await tabTo(page, page.getByRole('textbox', { name: 'Note' }))
  await page.keyboard.type('packs by memory')
  await page.keyboard.press('4')
  // In a field, a digit is an ordinary character and no shortcut.
  await expect(page.getByRole('textbox', { name: 'Note' })).toHaveValue('packs by memory4')
  await page.keyboard.press('Backspace')
  await tabTo(page, page.getByRole('button', { name: 'Decide the requests again by the draft' }))
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-evaluated="1"]')).toBeVisible()
  await expect(page.locator('[data-check-old]')).toHaveCount(0)
  expect(await versionsOf(client, name)).toHaveLength(1)

  await tabTo(page, page.getByRole('button', { name: `Write ${name}@2` }))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/profiles/${name}?version=2`)
  expect((await versionsOf(client, name)).at(-1)).toEqual({
    number: 2,
    state: 'DRAFT',
    note: 'packs by memory',
    filters: [
      { name: 'ComputeFilter', shadow: false },
      { name: 'RamFilter', shadow: true },
    ],
    weighers: [{ name: 'RAMWeigher', multiplier: -1.5 }],
  })

  // A version that is not in a rollout must be evaluated before it can be activated.
  await page.getByRole('button', { name: 'Activate', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator('[data-checked]')).toContainText(`${name}@2 against ${name}@1: 1 of 1 requests`)
  await dialog.getByRole('button', { name: `Activate ${name}@2` }).click()
  await expect(page.locator('[data-summary-of]')).toHaveText(`${name}@2 decides all calls. No rollout.`)
})

test('a version without a rollout cannot be activated before its evaluation arrives', { tag: '@rare' }, async ({
  page,
  visit,
  fleet,
  provokes,
}) => {
  provokes('ERR_FAILED')
  await write(fleet.client, 'unchecked', 1)
  await write(fleet.client, 'unchecked', -1)
  await page.route('**/graphql', async (route) => {
    if (operationOf(route.request()).includes('query ProfileCheck')) await route.abort()
    else await route.continue()
  })
  await visit('/profiles/unchecked?version=2')
  await page.getByRole('button', { name: 'Activate', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator('[data-effect]')).toBeVisible()
  await expect(dialog.getByRole('alert')).toContainText('The service cannot be reached')
  await expect(dialog.getByRole('button', { name: 'Activate unchecked@2' })).toBeDisabled()
  await page.unroute('**/graphql')
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await expect(dialog.getByRole('button', { name: 'Activate unchecked@2' })).toBeEnabled()
})

test("an error is shown at its field, before sending and after the service's refusal", { tag: '@rare' }, async ({ page, visit, fleet }) => {
  await write(fleet.client, 'wrong', 1)
  await visit('/profiles/wrong/draft')
  await page.getByLabel('Add a filter').selectOption('MetricsFilter')
  await expect(page.locator('[data-said="filters"]')).toHaveText('MetricsFilter is 4 of 4 now.')
  await page.getByLabel('Add a weigher').selectOption('CPUWeigher')
  await page.getByRole('textbox', { name: 'Multiplier of CPUWeigher, as a number' }).fill('2e9')
  await page.getByRole('button', { name: 'Write wrong@2' }).click()
  await expect(page.locator('[data-problem="note"]')).toContainText('required')
  await page.getByRole('textbox', { name: 'Note' }).fill('too much')
  await page.getByRole('button', { name: 'Validate' }).click()
  await expect(page.locator('[data-problem="weighers.CPUWeigher.multiplier"]')).toBeVisible()
  await expect(part(page, 'CPUWeigher').locator('[data-wrong]')).toBeVisible()
  await page.getByRole('textbox', { name: 'Multiplier of CPUWeigher, as a number' }).fill('2')
  await page.getByRole('button', { name: 'Validate' }).click()
  await expect(page.locator('[data-can-be-written]')).toContainText('wrong@2')
  expect(await versionsOf(fleet.client, 'wrong')).toHaveLength(1)
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(page).toHaveURL('/profiles/wrong?version=1')
})

test('if another operator writes a version first, the page shows its changes, and applies the draft with its moved filter on top of it', {
  tag: '@rare',
}, async ({ page, visit, fleet }) => {
  const { client } = fleet
  await write(client, 'contested', 1)
  await visit('/profiles/contested/draft')
  await part(page, 'CoreFilter').locator('.draft-grip').dragTo(part(page, 'ComputeFilter'))
  await expect.poll(() => orderOf(page, 'Filters of the draft')).toEqual(['CoreFilter', 'ComputeFilter', 'RamFilter'])
  await page.getByRole('textbox', { name: 'Note' }).fill('cores first')
  await write(client, 'contested', 7)
  await page.getByRole('button', { name: 'Write contested@2' }).click()
  const conflict = page.locator('[data-conflict="2"]')
  await expect(conflict.locator('[data-side="Changes of the other operator"]')).toContainText('weighers.RAMWeigher.multiplier+1+7')
  await expect(conflict.locator('[data-side="Your changes on top of that version"]')).toContainText(
    'filters.CoreFilterposition 3position 1',
  )
  await conflict.getByRole('button', { name: 'Apply my changes to version 2' }).click()
  await expect(page.getByRole('textbox', { name: 'Multiplier of RAMWeigher, as a number' })).toHaveValue('7')
  await page.getByRole('button', { name: 'Write contested@3' }).click()
  await expect(page).toHaveURL('/profiles/contested?version=3')
  const written = (await versionsOf(client, 'contested')).at(-1)
  expect(written?.filters.map(({ name }) => name)).toEqual(['CoreFilter', 'ComputeFilter', 'RamFilter'])
  expect(written?.weighers).toEqual([{ name: 'RAMWeigher', multiplier: 7 }])
})

test('only one draft exists at a time, it is kept while the past is shown, and keys that may not write versions have none', {
  tag: '@rare',
}, async ({ page, visit, fleet }) => {
  await write(fleet.client, 'waiting', 1)
  await write(fleet.client, 'waiting', -1)
  await visit('/profiles/waiting/draft?from=1')
  await page.getByRole('textbox', { name: 'Multiplier of RAMWeigher, as a number' }).fill('3')
  await page.goto('/profiles/waiting/draft?from=2')
  await expect(page.locator('[data-kept="1"]')).toBeVisible()
  await page.getByRole('button', { name: 'Continue with the draft' }).click()
  await expect(page.getByRole('textbox', { name: 'Multiplier of RAMWeigher, as a number' })).toHaveValue('3')
  await page.goto(`/profiles/waiting/draft?at=${encodeURIComponent(new Date().toISOString())}`)
  await expect(page.getByRole('heading', { name: 'Drafts cannot be edited while the console shows the past' })).toBeVisible()
  await page.goto('/profiles/waiting/draft')
  await expect(page.getByRole('textbox', { name: 'Multiplier of RAMWeigher, as a number' })).toHaveValue('3')
  await page.goto(`/profiles/waiting/draft#key=${fleet.reader}`)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Your key may not write versions' })).toBeVisible()
  await page.goto('/profiles/waiting')
  await expect(page.getByRole('region', { name: 'Version' })).toContainText('This version is active.')
  await expect(page.getByRole('button', { name: /^Draft from/ })).toHaveCount(0)
})

test('appearance: a draft @looks', { tag: '@rare' }, async ({ page, visit, fleet, look }, { project }) => {
  const name = `looks-${project.name}`
  await write(fleet.client, name, -2)
  await visit(`/profiles/${name}/draft`)
  await page.getByLabel('Add a weigher').selectOption('CPUWeigher')
  await page.getByRole('switch', { name: 'Use CoreFilter' }).press('Space')
  await page.getByRole('textbox', { name: 'Multiplier of RAMWeigher, as a number' }).fill('much')
  await page.getByRole('button', { name: `Write ${name}@2` }).click()
  await expect(page.locator('[data-problem="note"]')).toBeVisible()
  await look('a draft with invalid values')
})
