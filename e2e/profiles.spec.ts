import type { Client } from '@gantt/client'
import { operationOf } from './calls.ts'
import { test as base, expect, type Page } from './fixtures.ts'
import { expectRowCount, gridOf, rowWith } from './grid.ts'
import { pressSequence, tabTo } from './keyboard.ts'
import { activate, keyFor, type Part, place, report, writeVersion as write } from './seed.ts'
import { type Service, startService } from './service.ts'

// Rollouts change how the whole service decides, so these tests have one of their own, and each its own profile in it.

interface Fleet extends Service {
  /** A key that may only read. */
  readonly reader: string
}

const test = base.extend<object, { readonly fleet: Fleet }>({
  fleet: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs
    async ({}, use) => {
      const service = await startService()
      try {
        await report(service.client, {
          'small-1': { memoryMbUsed: 61_440 },
          'small-2': { memoryMbUsed: 57_344 },
          'large-1': {},
          'large-2': { memoryMbUsed: 8_192, traits: ['HW_CPU_X86_AVX2'] },
        })
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

const SPREADS: readonly Part[] = [{ name: 'RAMWeigher', multiplier: 1 }]
const PACKS: readonly Part[] = [{ name: 'RAMWeigher', multiplier: -1 }]

/** Two versions: the first decides. */
async function writeTwo(client: Client, profile: string, filters: readonly Part[] = []): Promise<void> {
  await write(client, profile, 'spreads', SPREADS)
  await write(client, profile, 'packs', PACKS, filters)
}

interface State {
  readonly active: { readonly number: number }
  readonly rollout: { readonly mode: string; readonly percent: number; readonly candidate: { readonly number: number } } | null
}

async function stateOf(client: Client, name: string): Promise<State> {
  const { profile } = await client.request<{ profile: State }>(
    `query State($name: String!) { profile(name: $name) { active { number } rollout { mode percent candidate { number } } } }`,
    { name },
  )
  return profile
}

const summary = (page: Page) => page.locator('[data-summary-of]')
const evaluation = (page: Page) => page.getByRole('region', { name: 'Effect on past requests' })
const dialog = (page: Page) => page.getByRole('dialog')

test('by keyboard alone a version is tried as a shadow, becomes a canary, decides, and is taken back; the audit reports who', async ({
  page,
  visit,
  fleet,
}) => {
  const { client } = fleet
  await writeTwo(client, 'a-course')
  await visit('/hosts')
  await pressSequence(page, 'g p')
  await expect(gridOf(page, 'Profiles')).toBeVisible()
  await expect(rowWith(page, 'Profiles', 'a-course')).toContainText('@1')
  // the first of the list, by name
  await page.keyboard.press('j')
  await page.keyboard.press('o')
  await expect(page.getByRole('heading', { level: 1, name: 'a-course' })).toBeFocused()
  await expect(summary(page)).toHaveText('a-course@1 decides all calls. No rollout.')

  // to the other version, and what may be done with it
  await page.keyboard.press('k')
  await expect(page).toHaveURL('/profiles/a-course?version=2')
  await expect(page.locator('[data-diff="1"]')).toContainText('weighers')

  /** Presses a button of a dialog, or of the section that a key leads to. */
  const step = async (name: string, section?: string): Promise<void> => {
    if (section !== undefined) await page.keyboard.press(section)
    await tabTo(page, page.getByRole('button', { name, exact: true }))
    await page.keyboard.press('Enter')
  }
  await step('Try as a shadow', '3')
  await expect(dialog(page).locator('[data-effect]')).toContainText('a-course@2 runs in parallel with a-course@1')
  expect(await stateOf(client, 'a-course')).toEqual({ active: { number: 1 }, rollout: null })
  await step('Try a-course@2 as a shadow')
  await expect(dialog(page)).toBeHidden()
  await expect(summary(page)).toContainText('a-course@2 is its shadow')
  await expect(page.locator('[data-version="2"] [data-state]')).toHaveAttribute('data-state', 'SHADOW')

  await step('Canary', '3')
  await expect(dialog(page).getByLabel('Percent of the calls')).toBeFocused()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('0')
  await expect(dialog(page).getByText('0.01 to 100')).toBeVisible()
  await expect(dialog(page).getByRole('button', { name: 'Preview the effect' })).toBeDisabled()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('12.5')
  await step('Preview the effect')
  await expect(dialog(page).locator('[data-effect]')).toContainText('a-course@2 decides 12.5 % of the calls')
  await step('Let a-course@2 decide a share of the calls')
  await expect(summary(page)).toHaveText('a-course@1 decides, and a-course@2 a canary of 12.5 % of the calls.')
  expect(await stateOf(client, 'a-course')).toEqual({
    active: { number: 1 },
    rollout: { mode: 'CANARY', percent: 12.5, candidate: { number: 2 } },
  })

  await step('Activate', '3')
  await expect(dialog(page).locator('[data-effect]')).toContainText('its canary of 12.5 % ends')
  await step('Activate a-course@2')
  await expect(summary(page)).toHaveText('a-course@2 decides all calls. No rollout.')
  await expect(page.locator('[data-version="1"] [data-state]')).toHaveAttribute('data-state', 'RETIRED')

  // the last stop before the first section
  await page.keyboard.press('1')
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByRole('button', { name: 'Roll back' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByLabel('Reason')).toBeFocused()
  await page.keyboard.type('it packs')
  await step('Preview the effect')
  await expect(dialog(page).locator('[data-effect]')).toContainText(
    'a-course@1 decides again. a-course@2, which decides now, is marked as rolled back.',
  )
  await step('Roll a-course back')
  await expect(summary(page)).toHaveText('a-course@1 decides all calls. No rollout.')
  await expect(page.locator('[data-version="2"] [data-state]')).toHaveAttribute('data-state', 'ROLLED_BACK')
  expect(await stateOf(client, 'a-course')).toEqual({ active: { number: 1 }, rollout: null })

  // newest first; what was only looked at is not among them
  await expect(page.locator('[data-action]')).toHaveText([
    /rolled back: it packs$/,
    /activated a-course@2$/,
    /made a-course@2 a canary of 12.5 %$/,
    /made a-course@2 a shadow$/,
    /created the next version$/,
    /created the next version$/,
  ])
})

test('a step that cannot be is refused in the dialog, with the reason', async ({ page, visit, fleet }) => {
  await writeTwo(fleet.client, 'refused')
  await activate(fleet.client, 'refused@2', { mode: 'SHADOW' })
  await visit('/profiles/refused')
  await page.getByRole('button', { name: 'Roll back' }).click()
  // another operator is faster
  await fleet.client.request(`mutation { profileRollback(profile: "refused", reason: "mine") { __typename } }`, {})
  await dialog(page).getByLabel('Reason').fill('yours')
  await dialog(page).getByRole('button', { name: 'Preview the effect' }).click()
  await expect(dialog(page).locator('[data-refused="PRECONDITION"]')).toContainText('have a version that is tried or was active before')
  await expect(dialog(page).getByLabel('Reason')).toHaveValue('yours')
})

test('a step that somebody else took since it was looked at is not followed by another one', { tag: '@rare' }, async ({
  page,
  visit,
  fleet,
}) => {
  await writeTwo(fleet.client, 'faster')
  await write(fleet.client, 'faster', 'packs more', PACKS)
  await activate(fleet.client, 'faster@2')
  await activate(fleet.client, 'faster@3', { mode: 'CANARY', percent: 5 })
  await visit('/profiles/faster')
  await page.getByRole('button', { name: 'Roll back' }).click()
  await dialog(page).getByLabel('Reason').fill('yours')
  await dialog(page).getByRole('button', { name: 'Preview the effect' }).click()
  await expect(dialog(page).locator('[data-effect]')).toContainText('The canary of 5 % of faster@3 ends')
  await fleet.client.request(`mutation { profileRollback(profile: "faster", reason: "mine") { __typename } }`, {})
  await dialog(page).getByRole('button', { name: 'Roll faster back' }).click()
  await expect(dialog(page).locator('[data-refused="CONFLICT"]')).toContainText('The rollout changed meanwhile')
  expect(await stateOf(fleet.client, 'faster')).toEqual({ active: { number: 2 }, rollout: null })
  // seen again it is another step
  await dialog(page).getByRole('button', { name: 'Preview the effect' }).click()
  await expect(dialog(page).locator('[data-effect]')).toContainText('faster@1 decides again')
})

test('a link to an old version shows it among many newer ones', { tag: '@rare' }, async ({ page, visit, fleet }) => {
  for (let i = 0; i < 14; i++) await write(fleet.client, 'long', `the ${i}th`, SPREADS)
  await visit('/profiles/long?version=2')
  await expect(page.locator('[data-version="2"]')).toBeInViewport()
})

test('a service that is away leaves the dialog as it is, and a second try does it', async ({ page, visit, fleet, provokes }) => {
  provokes('ERR_CONNECTION_REFUSED')
  await writeTwo(fleet.client, 'away')
  let isUnavailable = true
  await page.route('**/graphql', async (route) => {
    if (isUnavailable && operationOf(route.request()).includes('mutation ProfileActivate')) await route.abort('connectionrefused')
    else await route.continue()
  })
  await visit('/profiles/away?version=2')
  await page.getByRole('button', { name: 'Activate', exact: true }).click()
  await expect(dialog(page).getByRole('alert')).toContainText('The service cannot be reached')
  isUnavailable = false
  await dialog(page).getByRole('button', { name: 'Preview the effect' }).click()
  await dialog(page).getByRole('button', { name: 'Activate away@2' }).click()
  await expect(summary(page)).toHaveText('away@2 decides all calls. No rollout.')
})

interface Compared {
  readonly compareProfiles: {
    readonly sampled: number
    readonly newFailures: number
    readonly elsewhere: number
    readonly zones: readonly {
      readonly zone: string
      readonly resources: readonly { readonly resourceClass: string; readonly baseline: number; readonly candidate: number }[]
    }[]
    readonly disagreements: readonly { readonly kind: string; readonly because: string; readonly decision: { readonly id: string } }[]
  }
}

test('what a version would have changed is reported with its requests, and the link asks the same', async ({
  page,
  visit,
  browser,
  fleet,
}) => {
  const { client } = fleet
  // the first asks nobody for a trait
  await writeTwo(client, 'checked', [{ name: 'TraitsFilter' }])
  const placeBy = (extraSpecs: Readonly<Record<string, string>>) =>
    place(client, { flavor: 'm1.checked', vcpus: 1, memoryMb: 1_024, profile: 'checked', extraSpecs })
  const placed = [await placeBy({}), await placeBy({ 'trait:CUSTOM_NOBODY_HAS_IT': 'required' })]
  expect(placed.map(({ outcome }) => outcome)).toEqual(['PLACED', 'PLACED'])
  await visit('/profiles/checked?version=2')
  await expect(page.getByRole('heading', { name: 'Effect on past requests' })).toBeVisible()
  await page.keyboard.press('4')
  await expect(page.getByRole('heading', { name: 'Effect on past requests' })).toBeFocused()
  await tabTo(page, evaluation(page).getByRole('button', { name: 'Decide them again' }))
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/profiles/checked?version=2&against=1&check=yes')

  const { compareProfiles } = await client.request<Compared>(
    `{ compareProfiles(baseline: "checked@1", candidate: { version: "checked@2" }) {
      sampled newFailures elsewhere zones { zone resources { resourceClass baseline candidate } }
      disagreements { kind because decision { id } } } }`,
    {},
  )
  expect(compareProfiles).toMatchObject({ sampled: 2, newFailures: 1, elsewhere: 1 })
  const expectAnswer = async (one: Page): Promise<void> => {
    await expect(evaluation(one).locator('[data-evaluated]')).toHaveAttribute('data-evaluated', '2')
    await expect(evaluation(one)).toContainText('1 request would newly fail.')
    await expect(evaluation(one).locator('[data-figure="newly failing"][data-bad] dd')).toHaveText('! 1')
    await expect(evaluation(one).locator('[data-figure="go elsewhere"] dd')).toHaveText('1')
    await expect(evaluation(one).locator('[data-disagreement]')).toHaveCount(2)
    await expect(evaluation(one).locator('[data-disagreement]').first()).toHaveAttribute('data-disagreement', 'NEW_FAILURE')
    await expect(evaluation(one).locator('[data-disagreement]').first()).toContainText('no host')
    for (const { because } of compareProfiles.disagreements) await expect(evaluation(one)).toContainText(because)
    const taken = compareProfiles.zones.flatMap(({ zone, resources }) => resources.map((each) => ({ zone, ...each })))
    expect(taken.length).toBeGreaterThan(0)
    for (const { zone, resourceClass, baseline, candidate } of taken)
      await expect(evaluation(one).locator(`[data-zone="${zone}"][data-takes="${resourceClass}"]`)).toHaveAttribute(
        'data-shift',
        String(candidate - baseline),
      )
    // one of two instances finds no host by it
    const shifts = taken.map(({ resourceClass, baseline, candidate }) => (resourceClass === 'MEMORY_MB' ? candidate - baseline : 0))
    expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBe(-1_024)
    await expect(evaluation(one).locator('[data-takes=MEMORY_MB][data-shift^="-"]').first()).toContainText(/−[12] GiB/)
  }
  await expectAnswer(page)
  const elsewhere = await browser.newContext()
  try {
    const other = await elsewhere.newPage()
    // who may only read sees all of it, and no step to take
    await other.goto(`${page.url()}#key=${fleet.reader}`)
    await expectAnswer(other)
    await expect(other.getByText('to try or activate it a key needs ADMIN; yours has READ')).toBeVisible()
    for (const name of ['Try as a shadow', 'Canary', 'Activate', 'Roll back'])
      await expect(other.getByRole('button', { name, exact: true })).toHaveCount(0)
    await expect(other.getByText('The audit needs a key with OPERATE')).toBeVisible()
  } finally {
    await elsewhere.close()
  }
  // each leads to its decision
  await evaluation(page).locator('[data-disagreement=NEW_FAILURE] a').click()
  await expect(page).toHaveURL(`/decisions/${encodeURIComponent(placed[1]?.decisionId ?? '')}`)
  await expect(page.locator('[data-headline]')).toBeVisible()
})

test('a comparison of nothing says so, one that is cancelled can be asked after all, one that cannot be is refused', {
  tag: '@rare',
}, async ({ page, visit, fleet, provokes }) => {
  provokes(400)
  await writeTwo(fleet.client, 'unused')
  await visit('/profiles/unused?version=2&check=yes')
  await expect(evaluation(page).getByRole('heading', { name: 'No requests in this period' })).toBeVisible()

  let isSlow = true
  await page.route('**/graphql', async (route) => {
    // never answered: it ends when the page gives it up
    if (!isSlow || !operationOf(route.request()).includes('query ProfileCheck')) await route.continue()
  })
  await page.goto('/profiles/unused?version=2&last=24h&check=yes')
  await expect(evaluation(page).getByText('Requests are being decided again.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(evaluation(page).getByText('The comparison was cancelled')).toBeVisible()
  isSlow = false
  await evaluation(page).getByRole('button', { name: 'Run anyway' }).click()
  await expect(evaluation(page).getByRole('heading', { name: 'No requests in this period' })).toBeVisible()

  await page.goto('/profiles/unused?version=2&against=77&check=yes')
  await expect(evaluation(page).getByRole('alert')).toContainText('unused@77')
})

test('a filter in shadow mode is marked as such where a decision is explained', async ({ page, visit, fleet }) => {
  await write(fleet.client, 'shadowed', 'looks at the trait without asking for it', SPREADS, [
    { name: 'ImagePropertiesFilter', shadow: true },
    { name: 'TraitsFilter', shadow: true },
  ])
  const { decisionId, outcome } = await place(fleet.client, {
    flavor: 'm1.shadowed',
    vcpus: 1,
    memoryMb: 512,
    profile: 'shadowed',
    extraSpecs: { 'trait:HW_CPU_X86_AVX2': 'required' },
  })
  expect(outcome).toBe('PLACED')
  await visit(`/decisions/${encodeURIComponent(decisionId)}`)
  const shadows = page.getByRole('region', { name: 'Filters in shadow mode' })
  await expect(shadows.locator('[data-shadow-filter=TraitsFilter]')).toHaveAttribute('data-would-reject', '3')
  await expect(shadows.locator('[data-shadow-filter=TraitsFilter]')).toContainText(
    'would refuse 3 hosts, 3 of them among those that passed',
  )
  await expect(shadows.locator('[data-shadow-filter=ImagePropertiesFilter]')).toContainText('had nothing to check')
  await expect(page.locator('.funnel [data-filter=TraitsFilter]')).toHaveCount(0)

  // over the last hour: the version that decides is held against itself, and each such filter enforced
  await page.goto('/profiles/shadowed')
  await expect(page.locator('[data-filter=TraitsFilter]')).toContainText('shadow: refuses no host')
  await expect(evaluation(page).getByLabel('Compared with')).toHaveValue('1')
  await evaluation(page).getByRole('button', { name: 'Decide them again' }).click()
  await expect(page).toHaveURL('/profiles/shadowed?version=1&against=1&check=yes')
  const counts = await shadowCounts(fleet.client, 'shadowed@1')
  expect(counts.map(({ filter }) => filter)).toEqual(['ImagePropertiesFilter', 'TraitsFilter'])
  for (const { filter, wouldFail, wouldMove } of counts) {
    const row = evaluation(page).locator(`[data-shadow-count=${filter}]`)
    await expect(row).toHaveAttribute('data-would-fail', String(wouldFail))
    await expect(row).toHaveAttribute('data-would-move', String(wouldMove))
  }
  expect(counts.map(({ wouldFail, wouldMove }) => wouldFail + wouldMove)).toEqual([0, 1])
})

interface ShadowCount {
  readonly filter: string
  readonly wouldFail: number
  readonly wouldMove: number
}

async function shadowCounts(client: Client, version: string): Promise<readonly ShadowCount[]> {
  const { compareProfiles } = await client.request<{ compareProfiles: { shadowFilters: readonly ShadowCount[] } }>(
    `query Count($version: ID!) { compareProfiles(baseline: $version, candidate: { version: $version }) {
      shadowFilters { filter wouldFail wouldMove } } }`,
    { version },
  )
  return compareProfiles.shadowFilters
}

test('what is absent is said to be, and what may not be read', async ({ page, visit, fleet, provokes }) => {
  provokes(403)
  await visit('/profiles/no-such-profile')
  await expect(page.getByRole('heading', { name: 'Profile not found' })).toBeVisible()
  // by the palette to one that is
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search and go' }).fill('nova-comp')
  await expect(page.getByRole('button', { name: 'nova-compat' })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/profiles/nova-compat')
  await expect(page.getByRole('region', { name: 'Version' })).toContainText('It decides as Nova does')
  await page.goto('/profiles/default?version=99')
  await expect(page.getByRole('heading', { name: 'Version not found' })).toBeVisible()
  await page.goto(`/profiles#key=${await keyFor(fleet.client, 'reporter', ['REPORT'])}`)
  await page.reload()
  await expect(page.getByRole('alert').first()).toContainText('Your key may not do this')
  await page.goto('/profiles/default')
  await expect(page.getByRole('alert').first()).toContainText('Your key may not do this')
})

test('the looks of profiles @looks', { tag: '@rare' }, async ({ page, visit, fleet, look }, { project }) => {
  const { client } = fleet
  const name = `looks-${project.name}`
  await write(client, name, 'spreads', SPREADS)
  await write(client, name, 'packs, and looks at traits without refusing', PACKS, [{ name: 'ComputeCapabilitiesFilter', shadow: true }])
  await activate(client, `${name}@2`, { mode: 'CANARY', percent: 100 })
  for (let i = 0; i < 3; i++) await place(client, { flavor: 'm1.looks', vcpus: 1, memoryMb: 512, profile: name })
  await visit('/profiles')
  await expect(rowWith(page, 'Profiles', name)).toContainText('canary')
  const plugins = page.getByRole('region', { name: 'Plug-ins' })
  await expect(plugins.locator('[data-part="RackFilter"]')).toContainText('The host stands in one of the racks named by the hint rack.')
  await expect(plugins.locator('[data-plugin="rack"]')).toContainText('no failure')
  await look('all profiles')
  await page.goto(`/profiles/${name}?version=2&against=1&check=yes`)
  await expect(page.locator('[data-shadow]')).toContainText('refuses no host')
  await expect(evaluation(page).locator('[data-evaluated]')).toHaveAttribute('data-evaluated', '3')
  await expect(page.locator('[data-action]')).toHaveCount(3)
  await look('a profile with a canary and an evaluation')
  await page.getByRole('button', { name: 'Change the share' }).click()
  await dialog(page).getByRole('button', { name: 'Preview the effect' }).click()
  await expect(dialog(page).locator('[data-effect]')).toBeVisible()
  await look('the confirmation of a step')
  await page.keyboard.press('Escape')
  await page.goto('/profiles/default')
  await expect(evaluation(page).getByRole('heading', { name: 'There is no other version' })).toBeVisible()
  await look('a profile with one version')
  await expectRowCount(page, 'Profiles', 0)
})
