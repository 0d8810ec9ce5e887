import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '@gantt/client'
import type { Response } from '@playwright/test'
import { holdCalls, operationOf } from '../calls.ts'
import { expect, test } from '../fixtures.ts'
import { expectRowCount, firstCells, gridOf, numberIn, rowsOf, rowWith } from '../grid.ts'
import { pressSequence } from '../keyboard.ts'
import { keyFor, place, report } from '../seed.ts'
import { startService } from '../service.ts'

interface Reserved {
  readonly instance: string
  readonly id: string
}

/** Reserves resources for one instance for an hour. */
async function reserve(client: Client): Promise<Reserved> {
  const instance = randomUUID()
  const { selectDestinations } = await client.request<{
    selectDestinations: { destinations?: { selected: { claim: { id: string } } }[]; message?: string }
  }>(
    `mutation Reserve($input: SelectDestinationsInput!) { selectDestinations(input: $input) {
      ... on SelectDestinationsPayload { destinations { selected { claim { id } } } } ... on UserError { message } } }`,
    {
      input: {
        idempotencyKey: randomUUID(),
        spec: { gantt: { instanceUuids: [instance], flavor: { vcpus: 1, memoryMb: 256 }, availabilityZone: 'az2' } },
        claim: { mode: 'RESERVE', ttl: 'PT1H' },
      },
    },
  )
  const [destination] = selectDestinations.destinations ?? []
  if (destination === undefined) throw new Error(`Nothing was reserved: ${selectDestinations.message}`)
  return { instance, id: destination.selected.claim.id }
}

const stateOf = async (client: Client, id: string): Promise<{ readonly state: string; readonly reason: string | null } | null> =>
  (
    await client.request<{ claim: { state: string; reason: string | null } | null }>(
      'query Claim($id: ID!) { claim(id: $id) { state reason } }',
      {
        id,
      },
    )
  ).claim

test('every count links to exactly as many claims, and a claim links to its host and to its decision', async ({ page, visit, service }) => {
  const { instance } = await reserve(service.client)
  await visit('/claims')
  for (const kind of ['reserved', 'ending', 'old', 'held', 'counted', 'expired']) {
    // Reservations of other tests can expire between the two reads.
    await expect(async () => {
      const link = page.locator(`[data-kind="${kind}"]`)
      const count = numberIn(await link.textContent())
      await link.click()
      await expect(page).toHaveURL(/\/claims\?q=state/)
      await expectRowCount(page, 'Claims', count)
    }).toPass({ timeout: 40_000 })
  }
  await page.goto(`/claims?q=instance:${instance}`)
  await expectRowCount(page, 'Claims', 1)
  const row = rowWith(page, 'Claims', instance)
  await expect(row).toContainText('reserved')
  await expect(row).toContainText(/in (1 h|\d+ min)/)
  await row.getByRole('link', { name: /^az2-/ }).click()
  await expect(page).toHaveURL(/\/hosts\/az2-/)
  await page.goBack()
  await row.getByRole('link', { name: /^The decision of/ }).click()
  await expect(page).toHaveURL(/\/decisions\//)
})

test('the page of claims and the overview show the share of proposals with a conflict', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await reserve(service.client)
  for (const path of ['/claims', '/overview']) {
    await visit(path)
    const conflicts = page.locator('[data-figure="Conflicts"]')
    // The page reads the figures of the replicas only every few seconds.
    await expect(conflicts).toHaveText(/^Conflicts[\d.]+ %$/, { timeout: 30_000 })
    await expect(conflicts).toHaveAttribute(
      'title',
      /^Of [1-9][\d,]* proposals in the last minute, \d+ had no effect, because they conflicted with an earlier entry of the log or the store refused their entry$/,
    )
  }
})

test('with the keyboard alone a claim is selected, its revocation is previewed, and it is revoked with a reason', async ({
  page,
  visit,
  service,
}) => {
  const [one, other] = [await reserve(service.client), await reserve(service.client)]
  await visit('/hosts')
  await pressSequence(page, 'g c')
  await expect(page.getByRole('heading', { level: 1, name: 'Claims' })).toBeFocused()
  await expect(page.getByRole('combobox', { name: 'Filter claims' })).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type(one.instance)
  await page.keyboard.press('Enter')
  await expectRowCount(page, 'Claims', 1)
  // Rows can be selected once the page has loaded the scopes of the API key.
  await expect(page.getByRole('checkbox')).toHaveCount(1)
  await page.getByRole('grid', { name: 'Claims' }).focus()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await expect(page.locator('[data-chosen="1"]')).toBeVisible()
  await page.keyboard.press('R')
  const dialog = page.getByRole('dialog', { name: 'Revoke 1 claim' })
  await expect(dialog.locator('[data-revoked="1"]')).toContainText(one.instance)
  await expect(dialog.getByRole('button', { name: 'Revoke 1 claim' })).toBeDisabled()
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await page.keyboard.type('its caller no longer exists')
  await dialog.getByRole('button', { name: 'Revoke 1 claim' }).press('Enter')
  await expect(dialog).toBeHidden()
  await expect(rowsOf(page, 'Claims').first()).toContainText('revoked')
  expect(await stateOf(service.client, one.id)).toEqual({ state: 'REVOKED', reason: 'its caller no longer exists' })
  expect(await stateOf(service.client, other.id)).toMatchObject({ state: 'RESERVED' })
})

test('Shift-x selects a range of claims, a button selects all matching claims, and ended claims have no checkbox', async ({
  page,
  visit,
  service,
}) => {
  const account = 'chooses-claims'
  const caller = createClient({
    url: `${service.origin}/graphql`,
    key: await keyFor(service.client, account, ['READ', 'SCHEDULE', 'CLAIM']),
  })
  const reserved: Reserved[] = []
  for (let i = 0; i < 4; i++) reserved.push(await reserve(caller))
  await visit(`/claims?q=account:${account}`)
  await expectRowCount(page, 'Claims', 4)
  await expect(page.getByRole('checkbox')).toHaveCount(4)
  await page.getByRole('grid', { name: 'Claims' }).focus()
  for (const key of ['j', 'x', 'j', 'j', 'X']) await page.keyboard.press(key)
  await expect(page.locator('[data-chosen="3"]')).toBeVisible()
  await page.getByRole('button', { name: 'Choose all 4 matching' }).click()
  await expect(page.locator('[data-chosen="4"]')).toBeVisible()
  await page.getByRole('button', { name: 'None' }).click()
  await expect(page.locator('[data-chosen]')).toHaveCount(0)
  await rowWith(page, 'Claims', reserved[0]?.instance ?? '')
    .getByRole('checkbox')
    .click()
  await page.keyboard.press('R')
  await page.getByRole('dialog').getByLabel('Reason').fill('not needed')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke 1 claim' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(rowWith(page, 'Claims', reserved[0]?.instance ?? '')).toContainText('revoked')
  await expect(rowWith(page, 'Claims', reserved[0]?.instance ?? '').getByRole('checkbox')).toHaveCount(0)
  await expect(page.getByRole('checkbox')).toHaveCount(3)
})

test('"select all" does not select the rows of the former filter while the rows of the new filter are loading', async ({
  page,
  visit,
  service,
}) => {
  const account = 'chooses-too-early'
  const caller = createClient({
    url: `${service.origin}/graphql`,
    key: await keyFor(service.client, account, ['READ', 'SCHEDULE', 'CLAIM']),
  })
  for (let i = 0; i < 3; i++) await reserve(caller)
  await visit(`/claims?q=account:${account}`)
  await expectRowCount(page, 'Claims', 3)
  await rowsOf(page, 'Claims').first().getByRole('checkbox').click()
  const held = await holdCalls(page, (operation) => operation.includes('query ClaimList'))
  await page.getByRole('combobox', { name: 'Filter claims' }).fill(`account:${account} state:confirmed`)
  await page.getByRole('combobox', { name: 'Filter claims' }).press('Enter')
  await expect.poll(held.count).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Choose all 3 matching' }).click()
  await expect(page.locator('[data-chosen="3"]')).toHaveCount(0)
  held.release()
  await expectRowCount(page, 'Claims', 0)
  await expect(page.locator('[data-chosen="3"]')).toHaveCount(0)
})

test('if the filter changes while all rows are being selected, no row of the new list is selected', { tag: '@rare' }, async ({ page }) => {
  // The list needs more than a page of claims, so this test has its own fleet.
  const service = await startService()
  try {
    await report(service.client, { roomy: { vcpus: 256, memoryMb: 64_000 } })
    await place(service.client, { flavor: 'x1.many', vcpus: 1, memoryMb: 64, numInstances: 120, reservedFor: 'PT1H' })
    await page.goto(`${service.origin}/claims#key=${service.key}`)
    await expectRowCount(page, 'Claims', 100)
    await rowsOf(page, 'Claims').first().getByRole('checkbox').click()
    let isHeld = false
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/graphql', async (route) => {
      const { variables } = JSON.parse(route.request().postData() ?? '{}') as { readonly variables?: { readonly after?: unknown } }
      if (operationOf(route.request()).includes('query ClaimList') && (variables?.after ?? null) !== null) {
        isHeld = true
        await released
      }
      await route.continue()
    })
    await page.getByRole('button', { name: 'Choose all 120 matching' }).click()
    await expect.poll(() => isHeld).toBe(true)
    await page.getByRole('combobox', { name: 'Filter claims' }).fill('host:roomy')
    await page.getByRole('combobox', { name: 'Filter claims' }).press('Enter')
    await expect(page).toHaveURL(/q=host/)
    const isList = (response: Response): boolean => operationOf(response.request()).includes('query ClaimList')
    const late = page.waitForResponse(isList)
    release()
    await late
    // The list has been read again automatically. The delayed answer, which belongs to the previous filter, must select nothing.
    for (let i = 0; i < 2; i++) await page.waitForResponse(isList)
    await expect(gridOf(page, 'Claims')).toBeVisible()
    await expect(page.locator('[data-chosen="120"]')).toHaveCount(0)
    await page.goto('about:blank')
  } finally {
    await service.stop()
  }
})

test('a click while the list changes selects the claim that is visible at the click', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const account = 'presses-claims'
  const caller = createClient({
    url: `${service.origin}/graphql`,
    key: await keyFor(service.client, account, ['READ', 'SCHEDULE', 'CLAIM']),
  })
  const reserved = [await reserve(caller), await reserve(caller), await reserve(caller)]
  await visit(`/claims?q=account:${account} state:RESERVED`)
  await expect(page.getByRole('checkbox')).toHaveCount(3)
  const [first = ''] = await firstCells(page, 'Claims')
  // The click is made as early as possible, right after the page has updated its counts.
  const pressed = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const count = document.querySelector('main [role=status][data-count]') as Element
        new MutationObserver((_changes, observer) => {
          observer.disconnect()
          const row = document.querySelector('[role=grid] [aria-rowindex="2"]') as Element
          resolve(row.querySelector('.mono')?.textContent ?? '')
          row.querySelector<HTMLElement>('input[type=checkbox]')?.click()
        }).observe(count, { attributeFilter: ['data-count'] })
      }),
  )
  const ids = reserved.filter(({ instance }) => instance === first).map(({ id }) => id)
  await service.client.request('mutation End($ids: [ID!]!) { claimRevoke(ids: $ids, reason: "ended by the test") { __typename } }', { ids })
  const seen = await pressed
  await expectRowCount(page, 'Claims', 2)
  const chosen = page.locator('[role=row][data-chosen]')
  if (seen === first) await expect(chosen).toHaveCount(0)
  else await expect(chosen.locator('.mono')).toHaveText(seen)
})

test('a histogram shows the ages, and each bar links to exactly its claims', { tag: '@rare' }, async ({ page, visit, service }) => {
  const account = 'has-ages'
  const caller = createClient({
    url: `${service.origin}/graphql`,
    key: await keyFor(service.client, account, ['READ', 'SCHEDULE', 'CLAIM']),
  })
  for (let i = 0; i < 3; i++) await reserve(caller)
  await visit(`/claims?q=account:${account} age<3d`)
  const ages = page.getByRole('region', { name: 'Claims by age' })
  await expect(ages.getByRole('application', { name: /^3 claims by age/ })).toBeVisible()
  // The check is repeated, because claims move from one bar to the next as they age.
  await expect(async () => {
    await page.goto(`/claims?q=account:${account}`)
    await ages.getByText('As a list').click()
    const bar = ages.locator('[data-age]').filter({ hasNotText: ': 0 claims' }).last()
    const count = Number(/: (\d+) claims?$/.exec((await bar.textContent()) ?? '')?.[1])
    await bar.click()
    await expect(page).toHaveURL(/q=account:has-ages\+age/)
    await expectRowCount(page, 'Claims', count)
  }).toPass()
})

test('the remaining time of a reservation is shown by the clock of the service, not of the browser', async ({ page, visit, service }) => {
  const { instance } = await reserve(service.client)
  await page.clock.install({ time: Date.now() + 3_600_000 })
  await visit(`/claims?q=instance:${instance}`)
  await expect(rowWith(page, 'Claims', instance)).toContainText(/in (1 h|60 min|59 min)/)
})

test('a list that cannot be refreshed shows the age of its data, its error can be copied, and the key y copies the link', {
  tag: '@rare',
}, async ({ page, context, visit, service, provokes }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  const { instance } = await reserve(service.client)
  await visit(`/claims?q=instance:${instance}`)
  await expectRowCount(page, 'Claims', 1)
  await page.keyboard.press('y')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(page.url())

  provokes('ERR_FAILED')
  await page.route('**/graphql', (route) => route.abort())
  const problem = page.getByRole('main').getByRole('alert').first()
  await expect(problem).toContainText('The service cannot be reached', { timeout: 30_000 })
  await expect(page.locator('[data-as-of-read]').last()).toContainText(
    /^(No updates for \d+ \w+: )?as of .*\d+:\d+:\d+.*, (now|\d+(\.\d)? s ago)$/,
  )
  await problem.getByRole('button', { name: 'Copy' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^The service cannot be reached: /)
  // The button is pressed while the service does not answer. Once it answers, the list is updated automatically and the button disappears.
  const asked = page.waitForRequest('**/graphql')
  await problem.getByRole('button', { name: 'Try again' }).click()
  await asked
  await page.unroute('**/graphql')
  await expect(page.locator('[data-as-of-read]')).toHaveCount(0)
})

test('after a failed request the list is requested again at intervals of at least a second', { tag: '@rare' }, async ({
  page,
  visit,
  service,
  provokes,
}) => {
  const { instance } = await reserve(service.client)
  await page.clock.install()
  // The page records the times of its requests, by the browser's clock.
  await page.addInitScript(() => {
    const asks: [number, string][] = []
    Object.assign(window, { asks })
    const send = window.fetch
    window.fetch = (input, init) => {
      asks.push([Date.now(), String(init?.body ?? '')])
      return send(input, init)
    }
  })
  await visit(`/claims?q=instance:${instance}`)
  await expectRowCount(page, 'Claims', 1)
  provokes(500)
  const isList = (body: string): boolean => operationOf({ postData: () => body }).includes('query ClaimList')
  await page.route('**/graphql', (route) => {
    if (!isList(route.request().postData() ?? '{}')) return route.continue()
    const extensions = { code: 'INTERNAL', requestId: 'request-of-the-test' }
    return route.fulfill({ status: 500, json: { errors: [{ message: 'it broke', extensions }] } })
  })
  const refused = page.waitForResponse((response) => response.status() === 500)
  await page.clock.runFor(20_000)
  await refused
  await page.evaluate(() => Reflect.get(window, 'asks').splice(0))
  const askedAt = async (): Promise<number[]> => {
    const asks = await page.evaluate((): [number, string][] => Reflect.get(window, 'asks'))
    return asks.flatMap(([at, body]) => (isList(body) ? [at] : []))
  }
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000)
      return (await askedAt()).length
    })
    .toBeGreaterThanOrEqual(3)
  const times = await askedAt()
  const pauses = times.slice(1).map((at, i) => at - (times[i] ?? 0))
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000)
})

test('a read-only key cannot end claims', async ({ page, service }) => {
  await reserve(service.client)
  const reader = await keyFor(service.client, 'reads-claims', ['READ'])
  const shown = page.waitForResponse((response) => operationOf(response.request()).startsWith('query Scopes'))
  await page.goto(`/claims?q=state:RESERVED#key=${reader}`)
  await (await shown).finished()
  await expect(rowsOf(page, 'Claims').first()).toBeVisible()
  await expect(page.getByRole('checkbox')).toHaveCount(0)
})

test('appearance: claims, no match, ending claims @looks', { tag: '@rare' }, async ({ page, visit, look, service }) => {
  await reserve(service.client)
  await visit('/claims?q=state:RESERVED')
  await expect(rowsOf(page, 'Claims').first()).toBeVisible()
  await look('claims')
  await page.getByRole('checkbox').first().check()
  await page.getByRole('button', { name: 'Revoke ...' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await look('revoking a claim')
  await page.goto('/claims?q=host:nowhere')
  await expect(page.getByRole('heading', { name: 'No claim matches' })).toBeVisible()
  await look('no claim')
})
