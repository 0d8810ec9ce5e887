import type { Client } from '@gantt/client'
import type { APIResponse } from '@playwright/test'
import { operationOf } from '../calls.ts'
import { expect, type Page, test } from '../fixtures.ts'
import { expectRowCount, firstCells, gridOf, inWords, rowWith } from '../grid.ts'
import { place, report } from '../seed.ts'

const legendOf = (page: Page) => page.getByRole('region', { name: 'Verdicts of a decision' })
const keyOf = (page: Page, verdict: string) => legendOf(page).locator(`[data-verdict="${verdict}"]`)
const colourOf = (page: Page) => page.getByRole('combobox', { name: 'Colour' })
const addressOf = (id: string): string => `/hosts?decision=${encodeURIComponent(id)}`

interface Explained {
  readonly hostCount: number
  readonly steps: readonly {
    readonly name: string
    readonly passed: number
    readonly rejected: number
    readonly skippedBecause: string | null
  }[]
}

async function explain(client: Client, id: string): Promise<{ left: number; asked: Explained['steps']; hostCount: number }> {
  const { explainPlacement } = await client.request<{ explainPlacement: Explained }>(
    `query Explain($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) {
      hostCount steps { name passed rejected skippedBecause } } }`,
    { id },
  )
  const { steps, hostCount } = explainPlacement
  const asked = steps.filter(({ skippedBecause }) => skippedBecause === null)
  return { left: asked.at(-1)?.passed ?? hostCount, asked, hostCount }
}

for (const which of ['placed', 'refused'] as const)
  test(`each verdict of the decision on a ${which} request is counted as in the funnel, and links to exactly these hosts`, {
    tag: '@rare',
  }, async ({ page, visit, service }) => {
    const { decisionId, hosts } = await place(service.client, {
      vcpus: 4,
      memoryMb: which === 'placed' ? 8_192 : 61_440,
      rootGb: 20,
      zone: 'az1',
    })
    const { left, asked, hostCount } = await explain(service.client, decisionId)
    await visit(`${addressOf(decisionId)}&q=az:az1`)
    const counts = new Map<string, number>([
      ['passed', left],
      ...asked.filter(({ rejected }) => rejected > 0).map(({ name, rejected }) => [`refused:${name}`, rejected] as const),
      ...(which === 'placed' ? ([['chosen', 1]] as const) : []),
    ])
    expect([...counts].reduce((sum, [verdict, count]) => (verdict === 'chosen' ? sum : sum + count), 0)).toBe(hostCount)
    // The legend has one more group than the funnel: the hosts that were added after the decision.
    await expect(legendOf(page).locator('[data-verdict]')).toHaveCount(counts.size + 1)
    for (const [verdict, count] of counts) {
      const key = keyOf(page, verdict)
      await expect(key.locator('.number')).toHaveText(inWords(count))
      await key.click()
      await expect(key).toHaveAttribute('aria-pressed', 'true')
      await expectRowCount(page, 'Hosts', count)
    }
    if (which === 'placed') {
      await expect(page).toHaveURL(/verdict=chosen/)
      expect(await firstCells(page, 'Hosts')).toEqual(hosts)
      await page.reload()
      await expectRowCount(page, 'Hosts', 1)
      // The menu offers no GraphQL query and no command line, because the hosts of the API cannot be filtered by verdict.
      await page.getByRole('button', { name: 'Copy as' }).click()
      await expect(page.getByRole('menuitem')).toHaveText(['Link', 'CSV, 1 host', 'JSON, 1 host', 'CSV file, 1 host'])
      await page.keyboard.press('Escape')
    }
    await page.goBack()
    await expect(page).not.toHaveURL(/verdict=chosen/)
  })

test('the key m on the page of a decision opens the map coloured by its verdicts, and the table shows them too', {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, service, look }) => {
  const { decisionId } = service.seed.refused
  const { asked } = await explain(service.client, decisionId)
  const most = asked.reduce((one, other) => (other.rejected > one.rejected ? other : one))
  await visit(`/decisions/${encodeURIComponent(decisionId)}`)
  await expect(page.getByRole('link', { name: 'On the map' })).toBeVisible()
  await page.keyboard.press('m')
  await expect(page).toHaveURL((url) => url.pathname === '/hosts' && url.searchParams.get('decision') === decisionId)
  await expect(colourOf(page)).toHaveValue('verdict')
  await keyOf(page, `refused:${most.name}`).click()
  await expectRowCount(page, 'Hosts', most.rejected)
  const [host = ''] = await firstCells(page, 'Hosts')
  await expect(rowWith(page, 'Hosts', host)).toContainText(`${most.name} refused`)
  await page.getByRole('application', { name: /^Map of/ }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('[data-cell-line]')).toContainText(`${most.name} refused`)
  await look('hosts by the verdicts of a decision')

  await colourOf(page).selectOption({ label: 'Memory used' })
  await expect(page).toHaveURL(/colour=mem/)
  await page.getByRole('button', { name: 'Without verdicts' }).click()
  await expect(page).toHaveURL('/hosts')
  await expect(legendOf(page)).toBeHidden()
  await expect(colourOf(page).getByRole('option', { name: 'Verdict' })).toHaveCount(0)
})

test('a host that was added after a decision is shown as not considered', { tag: '@rare' }, async ({ page, visit, service }) => {
  const { decisionId } = await place(service.client, { zone: 'az1' })
  await visit(`${addressOf(decisionId)}&view=table`)
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await expect(keyOf(page, 'unknown').locator('.number')).toHaveText('0')
  await report(service.client, { 'later-01': {} })
  await expect(keyOf(page, 'unknown').locator('.number')).toHaveText('1')
  await keyOf(page, 'unknown').click()
  await expectRowCount(page, 'Hosts', 1)
  await expect(rowWith(page, 'Hosts', 'later-01')).toContainText('not considered')
})

test('a decision that is unknown, may not be read or is replayed only approximately is reported, and the hosts are still shown', {
  tag: '@rare',
}, async ({ page, visit, service, provokes }) => {
  provokes(400)
  await visit(addressOf('no-such-decision'))
  await expect(page.getByRole('alert')).toContainText('no-such-decision')
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  await expect(colourOf(page)).toHaveValue('mem')

  const answers = (json: (answer: APIResponse) => Promise<object>) =>
    page.route('**/graphql', async (route) => {
      if (!operationOf(route.request()).includes('query Explanation')) return route.continue()
      const response = await route.fetch()
      await route.fulfill({ response, json: await json(response) })
    })
  await answers(async () => ({ errors: [{ message: 'This needs the scope READ.', extensions: { code: 'FORBIDDEN' } }] }))
  await visit(`${addressOf(service.seed.placed.decisionId)}&view=table`)
  await expect(page.getByRole('alert')).toContainText('Your key may not do this')
  await expect(gridOf(page, 'Hosts')).toBeVisible()

  await page.unroute('**/graphql')
  await answers(async (answer) => {
    const { data } = (await answer.json()) as { data: { explainPlacement: object } }
    return { data: { explainPlacement: { ...data.explainPlacement, fidelity: 'APPROXIMATE' } } }
  })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(legendOf(page)).toContainText('could not be replayed exactly')
  await expect(keyOf(page, 'chosen').locator('.number')).toHaveText('1')
})
