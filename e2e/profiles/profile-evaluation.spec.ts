import { operationOf } from '../calls.ts'
import { expect, type Page } from '../fixtures.ts'
import { tabTo } from '../keyboard.ts'
import { place } from '../seed.ts'
import { type Compared, evaluation, test, writeTwo } from './profile-fleet.ts'

test('the decisions that a version would have changed are listed with their requests, and the link repeats the evaluation', {
  tag: '@rare',
}, async ({ page, visit, browser, fleet }) => {
  const { client } = fleet
  // Only the second version has the TraitsFilter. The first request requires no trait. The second request requires a trait that no host
  // has.
  await writeTwo(client, 'checked', [{ name: 'TraitsFilter' }])
  const placeBy = (extraSpecs: Readonly<Record<string, string>>) =>
    place(client, { flavor: 'm1.checked', vcpus: 1, memoryMb: 1_024, profile: 'checked', extraSpecs })
  const placed = [await placeBy({}), await placeBy({ 'trait:CUSTOM_NOBODY_HAS_IT': 'required' })]
  expect(placed.map(({ outcome }) => outcome)).toEqual(['PLACED', 'PLACED'])
  await visit('/profiles/checked?version=2')
  await expect(page.getByRole('heading', { name: 'Effect on past requests' })).toBeVisible()
  await page.keyboard.press('4')
  await expect(page.getByRole('heading', { name: 'Effect on past requests' })).toBeFocused()
  await tabTo(page, evaluation(page).getByRole('button', { name: 'Decide the requests again' }))
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
    // With the second version, one of two instances finds no host.
    const shifts = taken.map(({ resourceClass, baseline, candidate }) => (resourceClass === 'MEMORY_MB' ? candidate - baseline : 0))
    expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBe(-1_024)
    await expect(evaluation(one).locator('[data-takes=MEMORY_MB][data-shift^="-"]').first()).toContainText(/−[12] GiB/)
  }
  await expectAnswer(page)
  const elsewhere = await browser.newContext()
  try {
    const other = await elsewhere.newPage()
    // A key that may only read sees everything, but no actions.
    await other.goto(`${page.url()}#key=${fleet.reader}`)
    await expectAnswer(other)
    await expect(other.getByText('to try or activate it a key needs ADMIN; yours has READ')).toBeVisible()
    for (const name of ['Try as a shadow', 'Canary', 'Activate', 'Roll back'])
      await expect(other.getByRole('button', { name, exact: true })).toHaveCount(0)
    await expect(other.getByText('Only a key with the scope OPERATE can read the audit')).toBeVisible()
  } finally {
    await elsewhere.close()
  }
  // Each listed request links to its decision.
  await evaluation(page).locator('[data-disagreement=NEW_FAILURE] a').click()
  await expect(page).toHaveURL(`/decisions/${encodeURIComponent(placed[1]?.decisionId ?? '')}`)
  await expect(page.locator('[data-headline]')).toBeVisible()
})

test('an empty comparison shows a message, a cancelled comparison can be repeated, and an impossible comparison is refused', {
  tag: '@rare',
}, async ({ page, visit, fleet, provokes }) => {
  provokes(400)
  await writeTwo(fleet.client, 'unused')
  await visit('/profiles/unused?version=2&check=yes')
  await expect(evaluation(page).getByRole('heading', { name: 'No requests in this period' })).toBeVisible()

  let isSlow = true
  await page.route('**/graphql', async (route) => {
    // The call is never answered, so the request ends when the page aborts it.
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
