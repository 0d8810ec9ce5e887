import type { Client } from '@gantt/client'
import { operationOf } from '../calls.ts'
import { expect } from '../fixtures.ts'
import { expectRowCount, gridOf, rowWith } from '../grid.ts'
import { pressSequence, tabTo } from '../keyboard.ts'
import { activate, keyFor, place, writeVersion as write } from '../seed.ts'
import { dialog, evaluation, PACKS, SPREADS, stateOf, summary, test, writeTwo } from './profile-fleet.ts'

test('with the keyboard alone a version becomes shadow, canary and active and is rolled back, and the audit has each step', {
  tag: '@rare',
}, async ({ page, visit, fleet }) => {
  const { client } = fleet
  await writeTwo(client, 'a-course')
  await visit('/hosts')
  await pressSequence(page, 'g p')
  await expect(gridOf(page, 'Profiles')).toBeVisible()
  await expect(rowWith(page, 'Profiles', 'a-course')).toContainText('@1')
  // The profile is the first in the list, which is sorted by name.
  await page.keyboard.press('j')
  await page.keyboard.press('o')
  await expect(page.getByRole('heading', { level: 1, name: 'a-course' })).toBeFocused()
  await expect(summary(page)).toHaveText('a-course@1 decides all calls. No rollout.')

  // The cursor moves to the other version, whose actions are then shown.
  await page.keyboard.press('k')
  await expect(page).toHaveURL('/profiles/a-course?version=2')
  await expect(page.locator('[data-diff="1"]')).toContainText('weighers')

  /** Presses a button of the dialog, or of a section that is reached by a digit key. */
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
  await expect(summary(page)).toHaveText('a-course@2 is a canary and decides 12.5 % of the calls; a-course@1 decides the others.')
  expect(await stateOf(client, 'a-course')).toEqual({
    active: { number: 1 },
    rollout: { mode: 'CANARY', percent: 12.5, candidate: { number: 2 } },
  })

  await step('Activate', '3')
  await expect(dialog(page).locator('[data-effect]')).toContainText('The canary of 12.5 % of a-course@2 ends')
  await step('Activate a-course@2')
  await expect(summary(page)).toHaveText('a-course@2 decides all calls. No rollout.')
  await expect(page.locator('[data-version="1"] [data-state]')).toHaveAttribute('data-state', 'RETIRED')

  // The key 1 focuses the first section, and Shift-Tab then focuses the last tab stop before it.
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

  // The newest edit is first. Previews are not in the audit.
  await expect(page.locator('[data-action]')).toHaveText([
    /rolled back: it packs$/,
    /activated a-course@2$/,
    /made a-course@2 a canary of 12.5 %$/,
    /made a-course@2 a shadow$/,
    /created the next version$/,
    /created the next version$/,
  ])
})

test('an impossible step is refused in the dialog, with the reason', async ({ page, visit, fleet }) => {
  await writeTwo(fleet.client, 'refused')
  await activate(fleet.client, 'refused@2', { mode: 'SHADOW' })
  await visit('/profiles/refused')
  await page.getByRole('button', { name: 'Roll back' }).click()
  // Another operator makes the same rollback before this operator does.
  await fleet.client.request(`mutation { profileRollback(profile: "refused", reason: "mine") { __typename } }`, {})
  await dialog(page).getByLabel('Reason').fill('yours')
  await dialog(page).getByRole('button', { name: 'Preview the effect' }).click()
  await expect(dialog(page).locator('[data-refused="PRECONDITION"]')).toContainText(
    'have a version in a rollout, or a recorded earlier active version',
  )
  await expect(dialog(page).getByLabel('Reason')).toHaveValue('yours')
})

test("after another operator's step, the page makes no further step without a new preview", { tag: '@rare' }, async ({
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
  // After the rollback by the other operator, a rollback has another effect, which the new preview shows.
  await dialog(page).getByRole('button', { name: 'Preview the effect' }).click()
  await expect(dialog(page).locator('[data-effect]')).toContainText('faster@1 decides again')
})

test('a link to an old version shows this version, even if there are many newer versions', { tag: '@rare' }, async ({
  page,
  visit,
  fleet,
}) => {
  for (let i = 0; i < 14; i++) await write(fleet.client, 'long', `the ${i}th`, SPREADS)
  await visit('/profiles/long?version=2')
  await expect(page.locator('[data-version="2"]')).toBeInViewport()
})

test('while the service is unavailable the dialog stays open, and a second attempt succeeds', async ({ page, visit, fleet, provokes }) => {
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

test('a filter in shadow mode is marked as such in the explanation of a decision', async ({ page, visit, fleet }) => {
  await write(fleet.client, 'shadowed', 'evaluates the trait without requiring it', SPREADS, [
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

  // Requests of the last hour are decided with the active version, and again with each of its shadow filters enforced.
  await page.goto('/profiles/shadowed')
  await expect(page.locator('[data-filter=TraitsFilter]')).toContainText('shadow: refuses no host')
  await expect(evaluation(page).getByLabel('Compared with')).toHaveValue('1')
  await evaluation(page).getByRole('button', { name: 'Decide the requests again' }).click()
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

test('a missing profile, a missing version and a missing scope are reported', async ({ page, visit, fleet, provokes }) => {
  provokes(403)
  await visit('/profiles/no-such-profile')
  await expect(page.getByRole('heading', { name: 'Profile not found' })).toBeVisible()
  // The palette also opens an existing profile.
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

test('appearance: profiles @looks', { tag: '@rare' }, async ({ page, visit, fleet, look }, { project }) => {
  const { client } = fleet
  const name = `looks-${project.name}`
  await write(client, name, 'spreads', SPREADS)
  await write(client, name, 'packs, and evaluates traits without refusing', PACKS, [{ name: 'ComputeCapabilitiesFilter', shadow: true }])
  await activate(client, `${name}@2`, { mode: 'CANARY', percent: 100 })
  for (let i = 0; i < 3; i++) await place(client, { flavor: 'm1.looks', vcpus: 1, memoryMb: 512, profile: name })
  await visit('/profiles')
  await expect(rowWith(page, 'Profiles', name)).toContainText('canary')
  const plugins = page.getByRole('region', { name: 'Plug-ins' })
  await expect(plugins.locator('[data-part="RackFilter"]')).toContainText('The host is in one of the racks that the hint rack names.')
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
