import type { Client } from '@gantt/client'
import { operationOf } from '../calls.ts'
import { expect, type Page, test } from '../fixtures.ts'
import { keyFor, place } from '../seed.ts'

/** A request for a large flavor. If it is repeated nine times, not all instances fit in az1. With two further hosts, more of them fit. */
const REQUEST = { flavor: { vcpus: 8, memoryMb: 32_768, rootGb: 20 }, availabilityZone: 'az1' }
const MORE_HOSTS = { addHosts: [{ likeHost: 'az1-01', count: 2 }] }

const addressOf = (...others: object[]): string =>
  `/simulate?${new URLSearchParams({ request: JSON.stringify(REQUEST), count: '9', name: 'as it is', beside: JSON.stringify(others) })}`

const SMALL = `/simulate?request=${encodeURIComponent('{"flavor":{"vcpus":1,"memoryMb":512}}')}`

const bar = (page: Page) => page.getByRole('group', { name: 'Scenarios' })
const comparison = (page: Page) => page.getByRole('region', { name: 'Comparison', exact: true })
const curve = (page: Page) => page.getByRole('region', { name: 'Curve', exact: true })
const rowOf = (page: Page, label: string) => comparison(page).locator(`[data-row="${label}"]`)

interface Asked {
  readonly simulate: {
    readonly placed: number
    readonly curve: readonly {
      readonly asked: number
      readonly placed: number
      readonly usage: readonly { readonly resourceClass: string; readonly used: number; readonly capacity: number }[]
    }[]
  }
  readonly capacity: { readonly fits: number }
}

const ask = (client: Client, overlay: object): Promise<Asked> =>
  client.request<Asked>(
    `query Ask($requests: [SimulatedRequest!]!, $spec: SpecInput!, $overlay: FleetOverlayInput!) {
      simulate(input: { requests: $requests, overlay: $overlay }) { placed curve { asked placed usage { resourceClass used capacity } } }
      capacity(input: { spec: $spec, overlay: $overlay }) { fits } }`,
    { requests: [{ spec: { gantt: REQUEST }, count: 9 }], spec: { gantt: REQUEST }, overlay },
  )

/** The count of claims and the first listed decision, which a simulation must not change. */
const traces = (client: Client): Promise<unknown> =>
  client.request('{ claims(first: 1) { totalCount } decisions(first: 1) { nodes { id } } }', {})

test('the results of two scenarios are next to each other, a link shows the same, and nothing is claimed', { tag: '@rare' }, async ({
  page,
  visit,
  browser,
  service,
}) => {
  const before = await traces(service.client)
  const [first, second] = [await ask(service.client, {}), await ask(service.client, MORE_HOSTS)]
  await visit(`/simulate?${new URLSearchParams({ request: JSON.stringify(REQUEST), count: '9' })}`)
  await expect(page.locator('[data-placed]')).toHaveAttribute('data-placed', String(first.simulate.placed))

  // A key press adds a copy of the scenario. The copy is equal until it is changed.
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('n')
  await expect(bar(page).getByRole('button', { pressed: true })).toHaveText('Scenario 2')
  await expect(bar(page).getByRole('button', { pressed: true })).toBeFocused()
  await expect(comparison(page).locator('[data-same]')).toBeVisible()
  await page.getByLabel('Like host').fill('az1-01')
  await page.getByLabel('How many hosts').fill('2')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: 'Edits' })).toContainText('add 2 like az1-01')
  await page.keyboard.press('Control+Enter')

  const expectColumns = async (one: Page): Promise<void> => {
    await expect(rowOf(one, 'fleet').getByRole('cell')).toHaveText(['as it is', 'add 2 like az1-01'])
    await expect(rowOf(one, 'Placed').getByRole('cell').first()).toContainText(`${first.simulate.placed} of 9`)
    await expect(rowOf(one, 'Placed').getByRole('cell').last()).toContainText(`${second.simulate.placed} of 9`)
    await expect(rowOf(one, 'More fit').getByRole('cell').last()).toContainText(
      `${second.capacity.fits} (+${second.capacity.fits - first.capacity.fits})`,
    )
    // The selected scenario is shown completely below the comparison.
    await expect(one.locator('[data-placed]')).toHaveAttribute('data-placed', String(second.simulate.placed))
    await expect(one.locator('[data-fits]')).toHaveAttribute('data-fits', String(second.capacity.fits))
  }
  await expectColumns(page)
  expect(second.capacity.fits).toBeGreaterThan(first.capacity.fits)
  expect(await traces(service.client)).toEqual(before)

  await page.reload()
  await expectColumns(page)
  const elsewhere = await browser.newContext()
  try {
    const other = await elsewhere.newPage()
    await other.goto(`${page.url()}#key=${service.key}`)
    await expectColumns(other)
  } finally {
    await elsewhere.close()
  }
})

test('scenarios, of which there are at most three, are named, moved and removed, and Back undoes each step', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await visit(addressOf({ name: 'more hosts', count: 9, overlay: MORE_HOSTS }))
  const names = bar(page).locator('[aria-pressed]')
  await expect(names).toHaveText(['as it is', 'more hosts'])
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('n')
  await expect(names).toHaveText(['as it is', 'Scenario 2', 'more hosts'])
  await expect(bar(page).getByRole('button', { name: 'Add a scenario' })).toBeDisabled()
  await bar(page).getByLabel('Name of the scenario').fill('the copy')
  await page.keyboard.press('Enter')
  await expect(names).toHaveText(['as it is', 'the copy', 'more hosts'])
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('{')
  await expect(names).toHaveText(['the copy', 'as it is', 'more hosts'])
  await expect(bar(page).getByRole('button', { pressed: true })).toHaveText('the copy')
  await page.keyboard.press(']')
  await expect(bar(page).getByRole('button', { pressed: true })).toHaveText('as it is')
  await page.keyboard.press('Delete')
  await expect(names).toHaveText(['the copy', 'more hosts'])
  await expect(rowOf(page, 'fleet').getByRole('cell')).toHaveText(['as it is', 'add 2 like az1-01'])
  await page.goBack()
  await expect(names).toHaveText(['the copy', 'as it is', 'more hosts'])
})

test('if one column of a comparison fails, the others keep their results, and the failed column can be retried', { tag: '@rare' }, async ({
  page,
  visit,
  provokes,
}) => {
  provokes(400)
  await visit(addressOf({ name: 'without a host', count: 9, overlay: { removeHosts: ['no-such-host'] } }))
  const column = (i: number) => comparison(page).locator(`[data-column="${i}"]`)
  await expect(column(2).getByRole('alert').first()).toContainText('no-such-host')
  await expect(column(1)).toHaveText('done')
  await expect(rowOf(page, 'Placed').getByRole('cell').first()).toContainText('of 9')
  await expect(rowOf(page, 'Placed')).toHaveAttribute('data-differs', 'false')
  await column(2).getByRole('button', { name: 'Run without a host again' }).click()
  await expect(column(2).getByRole('alert').first()).toContainText('no-such-host')
})

test('with a key that may not read, each column shows an error', { tag: '@rare' }, async ({ page, service, provokes }) => {
  provokes(403)
  const reporter = await keyFor(service.client, 'reports-only', ['REPORT'])
  await page.goto(`${addressOf({ count: 2 })}#key=${reporter}`)
  for (const i of [1, 2]) await expect(comparison(page).locator(`[data-column="${i}"]`)).toContainText('Your key may not do this')
})

test('Esc cancels the requests of all columns, and each request can be repeated', { tag: '@rare' }, async ({ page, visit }) => {
  let isHeld = true
  await page.route('**/graphql', async (route) => {
    // The calls are never answered, so the requests end when the page aborts them.
    if (!isHeld || !operationOf(route.request()).includes('query Simulate')) await route.continue()
  })
  const aborted: string[] = []
  page.on('requestfailed', (request) => {
    if (operationOf(request).includes('query Simulate')) aborted.push(request.failure()?.errorText ?? '')
  })
  await visit(addressOf({ count: 3 }))
  const columns = comparison(page).locator('[data-column]')
  await expect(columns).toContainText(['being decided', 'being decided'])
  await page.keyboard.press('Escape')
  await expect(columns).toContainText(['cancelled', 'cancelled'])
  await expect.poll(() => aborted).toEqual(['net::ERR_ABORTED', 'net::ERR_ABORTED'])
  isHeld = false
  await columns.last().getByRole('button', { name: 'Run Scenario 2 again' }).click()
  await expect(rowOf(page, 'Placed').getByRole('cell').last()).toContainText('of 3')
  await expect(columns.first()).toContainText('cancelled')
})

test('one scenario can use the moment of the page while the scenario next to it uses the present', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const { fleet } = await service.client.request<{ fleet: { asOf: string } }>('{ fleet { asOf } }', {})
  await place(service.client, { flavor: 'm1.later', vcpus: 1, memoryMb: 1_024, zone: 'az1' })
  await visit(`${addressOf({ count: 9, at: 'now' })}&at=${fleet.asOf}`)
  await expect(rowOf(page, 'moment').getByRole('cell')).toHaveText([`revision ${fleet.asOf}`, 'now'])
  const revisions = rowOf(page, 'Decided on revision').getByRole('cell')
  await expect(revisions.first()).toHaveText(fleet.asOf)
  await expect(revisions.last()).not.toHaveText(fleet.asOf)
  await expect(page.getByText(`On the fleet at revision ${fleet.asOf}`)).toBeVisible()
  await bar(page).getByRole('button', { name: 'Scenario 2' }).click()
  await expect(page.getByLabel('Time', { exact: true })).toHaveValue('')
})

test("the curve has the service's value for each count of requested instances, and the URL has the shown class", { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const { simulate } = await ask(service.client, MORE_HOSTS)
  await visit(addressOf({ name: 'more hosts', count: 9, overlay: MORE_HOSTS }))
  const line = curve(page).locator('[data-line="1"]')
  await curve(page).getByLabel('Resource class').selectOption('VCPU')
  await expect(page).toHaveURL(/use=VCPU/)
  const slider = curve(page).getByRole('slider', { name: 'Instances requested' })
  await slider.focus()
  await page.keyboard.press('Home')
  for (const { asked, placed, usage } of simulate.curve) {
    await expect(curve(page).locator('[data-cursor]')).toHaveAttribute('data-cursor', String(asked))
    const { used, capacity } = usage.find(({ resourceClass }) => resourceClass === 'VCPU') ?? { used: 0, capacity: 1 }
    await expect(line).toContainText(`${placed} of ${asked} placed, VCPU ${Math.round((100 * used) / capacity)} %`)
    await page.keyboard.press('ArrowRight')
  }
  await curve(page).getByText('As a table').click()
  await expect(curve(page).locator('[data-asked]')).toHaveCount(simulate.curve.length)
  await page.reload()
  await expect(curve(page).getByLabel('Resource class')).toHaveValue('VCPU')
})

test('a recently requested flavor can be selected to fill in the form', { tag: '@rare' }, async ({ page, visit, service }) => {
  await place(service.client, { flavor: 'm1.begins', vcpus: 3, memoryMb: 1_536 })
  // The most requested flavors depend on the other tests, so they are read from the API.
  const { activity } = await service.client.request<{ activity: { flavors: { name: string | null; vcpus: number }[] } }>(
    '{ activity(window: "P1D", steps: 1) { flavors { name vcpus } } }',
  )
  const flavor = activity.flavors.find(({ name, vcpus }) => name !== null && vcpus <= 4)
  if (flavor === undefined) throw new Error(`no small flavor among ${JSON.stringify(activity.flavors)}`)
  await visit('/simulate')
  await page.getByRole('button', { name: 'From a flavor' }).click()
  await page
    .getByRole('menuitem', { name: new RegExp(`^${flavor.name} ?${flavor.vcpus} vCPU`) })
    .first()
    .click()
  await expect(page.getByLabel('vCPU', { exact: true })).toHaveValue(String(flavor.vcpus))
  await expect(page.getByLabel("Flavor's name")).toHaveValue(flavor.name ?? '')
  await page.keyboard.press('Control+Enter')
  await expect(page.locator('[data-placed]')).toHaveAttribute('data-placed', '1')
})

test('scenarios are saved under a name, opened, renamed and deleted, and invalid stored values are ignored', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await visit(addressOf({ name: 'more hosts', count: 9, overlay: MORE_HOSTS }))
  await expect(rowOf(page, 'Placed')).toBeVisible()
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('S')
  const dialog = page.getByRole('dialog', { name: 'Saved scenarios' })
  const list = dialog.getByRole('list', { name: 'Saved scenarios' })
  await dialog.getByLabel('Save the scenarios as').fill('rack r12')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('status')).toContainText('Saved as rack r12.')

  await page.goto('/simulate')
  await page.getByRole('button', { name: 'Saved' }).click()
  await list.getByRole('link', { name: 'rack r12' }).click()
  await expect(bar(page).locator('[aria-pressed]')).toHaveText(['as it is', 'more hosts'])
  await expect(rowOf(page, 'fleet').getByRole('cell')).toHaveText(['as it is', 'add 2 like az1-01'])

  await page.getByRole('button', { name: 'Saved' }).click()
  await list.getByRole('button', { name: 'Rename rack r12' }).click()
  await list.getByLabel('New name of rack r12').fill('rack r13')
  await page.keyboard.press('Enter')
  await expect(list.getByRole('link')).toHaveText(['rack r13'])
  await list.getByRole('button', { name: 'Delete rack r13' }).click()
  await expect(dialog).toContainText('No saved scenarios in this browser.')
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await expect(list.getByRole('link')).toHaveText(['rack r13'])

  await page.evaluate(() => {
    const kept: unknown[] = JSON.parse(localStorage.getItem('gantt.scenarios') ?? '[]')
    localStorage.setItem('gantt.scenarios', JSON.stringify([...kept, { name: 'broken', search: { request: '{' } }, 7]))
  })
  await page.reload()
  await page.getByRole('button', { name: 'Saved' }).click()
  await expect(list.getByRole('link')).toHaveText(['rack r13'])
})

test('appearance: scenarios side by side @looks', { tag: '@rare' }, async ({ page, visit, look, provokes }) => {
  // The service refuses the simulation of the scenario without a host.
  provokes(400)
  await visit(
    addressOf(
      { name: 'more hosts', count: 9, overlay: MORE_HOSTS },
      { name: 'without a host', count: 9, overlay: { removeHosts: ['no-such-host'] } },
    ),
  )
  await expect(comparison(page).getByRole('alert').first()).toBeVisible()
  await expect(curve(page).locator('[data-line]')).toHaveCount(2)
  await look('scenarios side by side')
  await page.goto(SMALL)
  await expect(curve(page)).toContainText('has no curve')
  await page.getByRole('button', { name: 'Saved' }).click()
  await expect(page.getByRole('dialog', { name: 'Saved scenarios' })).toBeVisible()
  await look('saved scenarios')
})
