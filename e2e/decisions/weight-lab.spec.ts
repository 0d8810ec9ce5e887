import type { Client } from '@gantt/client'
import { expect, type Page, test } from '../fixtures.ts'
import { tabTo } from '../keyboard.ts'

interface Weigher {
  readonly name: string
  readonly multiplier: number
  readonly flipsBelow: number | null
  readonly winnerBelow: string | null
  readonly flipsAbove: number | null
  readonly winnerAbove: string | null
}

interface Explained {
  readonly fleetRevision: string
  readonly profile: { readonly profileName: string; readonly number: number; readonly weighers: readonly object[] }
  readonly weighing: { readonly weighers: readonly Weigher[]; readonly hosts: readonly { readonly hostName: string }[] }
}

async function explain(client: Client, id: string): Promise<Explained> {
  const { explainPlacement } = await client.request<{ explainPlacement: Explained }>(
    `query Explain($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) {
      fleetRevision profile { profileName number weighers { name multiplier options } }
      weighing(top: 50) { weighers { name multiplier flipsBelow winnerBelow flipsAbove winnerAbove } hosts { hostName } } } }`,
    { id },
  )
  return explainPlacement
}

/** A weigher, the value of its multiplier at which another host of the decision becomes first, and that other host. */
function limitOf({ weighing }: Explained): { readonly name: string; readonly at: number; readonly winner: string } {
  for (const { name, flipsBelow, winnerBelow, flipsAbove, winnerAbove } of weighing.weighers) {
    if (flipsBelow !== null && winnerBelow !== null) return { name, at: flipsBelow, winner: winnerBelow }
    if (flipsAbove !== null && winnerAbove !== null) return { name, at: flipsAbove, winner: winnerAbove }
  }
  throw new Error('No multiplier of the decision has a limit.')
}

const lab = (page: Page) => page.getByRole('region', { name: 'Weight lab' })
const firstTried = (page: Page) => lab(page).locator('[data-tried-first]')
const firstRow = (page: Page) => page.getByRole('region', { name: 'Weights', exact: true }).locator('tr[data-host]').first()

test('when a multiplier is moved to its limit with the keyboard, the expected host becomes first in the table, and a shared link shows the same', {
  tag: '@rare',
}, async ({ page, visit, browser, service }) => {
  const { decisionId } = service.seed.placed
  const explained = await explain(service.client, decisionId)
  const { name, at, winner } = limitOf(explained)
  const [taken] = explained.weighing.hosts
  await visit(`/decisions/${encodeURIComponent(decisionId)}`)
  await expect(firstRow(page)).toHaveAttribute('data-host', taken?.hostName ?? '')
  await page.keyboard.press('4')
  await tabTo(
    page,
    lab(page)
      .getByRole('button', { name: new RegExp(`^Try .* for ${name}$`) })
      .first(),
  )
  await page.keyboard.press('Enter')
  const expectTried = async (one: Page): Promise<void> => {
    await expect(firstTried(one)).toHaveAttribute('data-tried-first', winner)
    await expect(firstRow(one)).toHaveAttribute('data-host', winner)
    await expect(lab(one).getByLabel(`Multiplier of ${name}, as a number`)).toHaveValue(String(at))
  }
  await expectTried(page)
  await expect(page).toHaveURL(new RegExp(`[?&]try=${name}:`))
  const elsewhere = await browser.newContext()
  try {
    const other = await elsewhere.newPage()
    await other.goto(`${page.url()}#key=${service.key}`)
    await expectTried(other)
  } finally {
    await elsewhere.close()
  }
  await page.keyboard.press('4')
  await tabTo(page, lab(page).getByRole('button', { name: 'Reset' }))
  await page.keyboard.press('Enter')
  await expect(firstTried(page)).toHaveCount(0)
  await expect(firstRow(page)).toHaveAttribute('data-host', taken?.hostName ?? '')
  await expect(page).toHaveURL(`/decisions/${encodeURIComponent(decisionId)}`)
})

test('after a multiplier is changed by slider and by typing, a simulation on the whole fleet chooses the same host as the page', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  const { decisionId } = service.seed.placed
  const explained = await explain(service.client, decisionId)
  await visit(`/decisions/${encodeURIComponent(decisionId)}`)
  const slider = lab(page).getByLabel('Multiplier of RAMWeigher', { exact: true })
  const number = lab(page).getByLabel('Multiplier of RAMWeigher, as a number')
  await slider.focus()
  await page.keyboard.press('Home')
  await expect(number).toHaveValue((await slider.getAttribute('min')) ?? '')
  await page.keyboard.press('ArrowRight')
  await expect(number).not.toHaveValue((await slider.getAttribute('min')) ?? '')
  await expect(firstTried(page)).toBeVisible()

  await number.fill('-')
  await expect(number).toHaveAttribute('aria-invalid', 'true')
  await number.fill('-1.5')
  await expect(number).not.toHaveAttribute('aria-invalid')
  await expect(page).toHaveURL(/[?&]try=RAMWeigher:-1\.5(&|$)/)
  const first = await firstTried(page).getAttribute('data-tried-first')
  expect(first).not.toBe(explained.weighing.hosts[0]?.hostName)

  await lab(page).getByRole('link', { name: 'Simulate it on the whole fleet' }).click()
  await expect(page.locator('[data-placed]')).toHaveAttribute('data-placed', '1')
  await expect(page.locator('[data-hosts="1"]')).toContainText(`It goes to ${first}`)
  // The experiment did not change the decision.
  const now = await explain(service.client, decisionId)
  expect(now.profile).toEqual(explained.profile)
})

test('a link on the page of a decision opens a simulation with the request, the profile and the fleet of the decision in the URL', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  const { decisionId, hosts } = service.seed.placed
  const { fleetRevision, profile } = await explain(service.client, decisionId)
  await visit(`/decisions/${encodeURIComponent(decisionId)}`)
  await expect(page.getByRole('link', { name: 'Simulate this request' })).toBeVisible()
  await page.keyboard.press('s')
  await expect(page).toHaveURL(
    `/simulate?decision=${encodeURIComponent(decisionId)}&profile=${encodeURIComponent(`${profile.profileName}@${profile.number}`)}&at=${fleetRevision}`,
  )
  await expect(page.getByText(`On the fleet at revision ${fleetRevision}`)).toBeVisible()
  await expect(page.getByLabel('Profile')).toHaveValue(`${profile.profileName}@${profile.number}`)
  await expect(page.locator('[data-hosts="1"]')).toContainText(`It goes to ${hosts[0]}`)
})

test('appearance: changed multipliers @looks', { tag: '@rare' }, async ({ page, visit, look, service }) => {
  await visit(`/decisions/${encodeURIComponent(service.seed.placed.decisionId)}?try=RAMWeigher:-1,CPUWeigher:0.25`)
  await expect(firstTried(page)).toBeVisible()
  await look('changed multipliers')
})
