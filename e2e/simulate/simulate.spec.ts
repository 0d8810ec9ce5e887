import type { Client } from '@gantt/client'
import { operationOf } from '../calls.ts'
import { expect, type Page, test } from '../fixtures.ts'
import { pressSequence, tabTo } from '../keyboard.ts'

const outcome = (page: Page) => page.getByRole('region', { name: 'Outcome' })
const capacityOf = (page: Page) => page.getByRole('region', { name: 'Capacity' }).locator('[data-fits]')

/** The count of claims and the first listed decision, which a simulation must not change. */
async function traces(client: Client): Promise<unknown> {
  return client.request('{ claims(first: 1) { totalCount } decisions(first: 1) { nodes { id } } }', {})
}

interface Simulated {
  readonly simulate: { readonly placed: number; readonly failed: number }
  readonly capacity: { readonly fits: number }
}

const ask = (client: Client, overlay: object): Promise<Simulated> =>
  client.request<Simulated>(
    `query Ask($requests: [SimulatedRequest!]!, $spec: SpecInput!, $overlay: FleetOverlayInput!) {
      simulate(input: { requests: $requests, overlay: $overlay }) { placed failed }
      capacity(input: { spec: $spec, overlay: $overlay }) { fits } }`,
    { requests: [{ spec: SPEC, count: 9 }], spec: SPEC, overlay },
  )

const SPEC = { gantt: { flavor: { vcpus: 8, memoryMb: 32_768, rootGb: 20 }, availabilityZone: 'az1' } }

test('with the keyboard alone a simulation with two more hosts is run, nothing is claimed, and the link repeats the simulation', async ({
  page,
  visit,
  browser,
  service,
}) => {
  const before = await traces(service.client)
  await visit('/decisions')
  await pressSequence(page, 'g s')
  await expect(page.getByRole('heading', { name: 'No result yet' })).toBeVisible()
  for (const [label, value] of [
    ['vCPU', '8'],
    ['Memory, MiB', '32768'],
    ['Zone', 'az1'],
    ['Instances', '9'],
    ['Like host', 'az1-01'],
    ['How many hosts', '2'],
  ] as const) {
    await tabTo(page, page.getByLabel(label, { exact: true }))
    await page.keyboard.press('Control+a')
    await page.keyboard.type(value)
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: 'Edits' })).toContainText('add 2 like az1-01')
  await page.keyboard.press('Control+Enter')

  const { simulate, capacity } = await ask(service.client, { addHosts: [{ likeHost: 'az1-01', count: 2 }] })
  const expectAnswers = async (one: Page): Promise<void> => {
    await expect(outcome(one).locator('[data-placed]')).toHaveAttribute('data-placed', String(simulate.placed))
    await expect(outcome(one).locator('[data-placed]')).toHaveAttribute('data-failed', String(simulate.failed))
    await expect(capacityOf(one)).toHaveAttribute('data-fits', String(capacity.fits))
  }
  await expectAnswers(page)
  expect(await traces(service.client)).toEqual(before)

  const elsewhere = await browser.newContext()
  try {
    const other = await elsewhere.newPage()
    await other.goto(`${page.url()}#key=${service.key}`)
    await expectAnswers(other)
    await expect(other.getByLabel('vCPU', { exact: true })).toHaveValue('8')
  } finally {
    await elsewhere.close()
  }
})

test('the form and the JSON document are two views of one request', async ({ page, visit }) => {
  await visit('/simulate')
  await page.getByLabel('vCPU', { exact: true }).fill('6')
  await page.getByLabel('Extra specs').fill('trait:HW_CPU_X86_AVX2=required')
  await page.getByText('JSON', { exact: true }).click()
  const document = page.getByLabel('The request, in the form of docs/request-spec.md')
  await expect(document).toHaveValue(/"vcpus": 6/)
  await document.fill('{ "flavor": ')
  await expect(page.getByText('Not a valid request')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Run' })).toBeDisabled()
  await document.fill('{ "flavor": { "vcpus": 3, "memoryMb": 1024 }, "ignoreHosts": ["az1-01"] }')
  await page.getByText('Form', { exact: true }).click()
  await expect(page.getByLabel('vCPU', { exact: true })).toHaveValue('3')
  await expect(page.getByText('The request also has ignoreHosts')).toBeVisible()
})

test('a running simulation can be cancelled, which aborts the request', async ({ page, visit }) => {
  await page.route('**/graphql', async (route) => {
    // The call is never answered, so the request ends when the page aborts it.
    if (!operationOf(route.request()).includes('query Simulate')) await route.continue()
  })
  const aborted = page.waitForEvent('requestfailed', (request) => operationOf(request).includes('query Simulate'))
  await visit(`/simulate?request=${encodeURIComponent('{"flavor":{"vcpus":1,"memoryMb":512}}')}`)
  await expect(outcome(page).getByText('The requests are being decided.')).toBeVisible()
  await page.keyboard.press('Escape')
  expect((await aborted).failure()?.errorText).toContain('ABORTED')
  await expect(outcome(page).getByText('The simulation was cancelled')).toBeVisible()
})

test('the message about an unknown host names the host', async ({ page, visit, provokes }) => {
  provokes(400)
  const overlay = encodeURIComponent('{"removeHosts":["no-such-host"]}')
  await visit(`/simulate?request=${encodeURIComponent('{"flavor":{"vcpus":1,"memoryMb":512}}')}&overlay=${overlay}`)
  await expect(outcome(page).getByRole('alert')).toContainText('no-such-host')
})

test('with a key that may not read, the page shows the missing scope', async ({ page, service, provokes }) => {
  provokes(403)
  const { apiKeyCreate } = await service.client.request<{ apiKeyCreate: { secret: string } }>(
    `mutation Key { apiKeyCreate(input: { name: "reporter", account: "reporter", scopes: [REPORT] }) { ... on ApiKeyPayload { secret } } }`,
    {},
  )
  await page.goto(`/simulate?request=${encodeURIComponent('{"flavor":{"vcpus":1,"memoryMb":512}}')}#key=${apiKeyCreate.secret}`)
  await expect(outcome(page).getByRole('alert')).toContainText('Your key may not do this')
})

test('appearance: a simulation @looks', { tag: '@rare' }, async ({ page, visit, look, service }) => {
  await visit('/simulate')
  await expect(page.getByRole('heading', { name: 'No result yet' })).toBeVisible()
  await look('nothing simulated yet')
  await page.goto(
    `/simulate?decision=${encodeURIComponent(service.seed.refused.decisionId)}&overlay=${encodeURIComponent('{"disableHosts":["az1-01"]}')}`,
  )
  await expect(outcome(page).locator('[data-failure]')).toBeVisible()
  await expect(capacityOf(page)).toHaveAttribute('data-fits', '0')
  await look('a simulation that fails')
})
