import { randomUUID } from 'node:crypto'
import { operationOf } from '../calls.ts'
import { expect, test } from '../fixtures.ts'
import { expectRowCount, gridOf, rowsOf, rowWith } from '../grid.ts'
import { place } from '../seed.ts'
import { addressOf, placeAs, waitingButton } from './explained.ts'

test('while the operator reads the list, new decisions are only counted, and a button adds them', async ({ page, visit, service }) => {
  await visit('/decisions')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await gridOf(page, 'Decisions').focus()
  // The page assumes that the operator reads the list once a row has the cursor.
  await page.keyboard.press('ArrowDown')
  const { y } = (await gridOf(page, 'Decisions').boundingBox()) ?? { y: -1 }
  await place(service.client, { flavor: 'x1.waiting' })
  await expect(waitingButton(page, 1)).toBeVisible()
  expect((await gridOf(page, 'Decisions').boundingBox())?.y, 'nothing moves when new decisions are announced').toBe(y)
  await expect(rowWith(page, 'Decisions', 'x1.waiting')).toHaveCount(0)
  await page.keyboard.press('n')
  await expect(rowWith(page, 'Decisions', 'x1.waiting')).toBeVisible()
  await expect(waitingButton(page, 1)).toBeHidden()
})

test('the outcome of a decision is also shown by colour, in light and dark mode', { tag: '@rare' }, async ({ page, visit }) => {
  await visit('/decisions?q=outcome:NO_VALID_HOST')
  const badge = rowsOf(page, 'Decisions').first().locator('[data-outcome=NO_VALID_HOST]')
  await expect(badge).toBeVisible()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(badge).not.toHaveCSS('background-color', 'rgba(0, 0, 0, 0)')
  }
})

test('no row moves while the pointer is on the list, and new rows are shown when it leaves', async ({ page, visit, service }) => {
  await visit('/decisions')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await rowsOf(page, 'Decisions').first().hover()
  await place(service.client, { flavor: 'x1.hovered' })
  await expect(waitingButton(page, 1)).toBeVisible()
  await expect(rowWith(page, 'Decisions', 'x1.hovered')).toHaveCount(0)
  await page.getByRole('heading', { name: 'Decisions', level: 1 }).hover()
  await expect(rowWith(page, 'Decisions', 'x1.hovered')).toBeVisible()
})

test('after a change of the filter, new decisions that match it appear', async ({ page, visit, service }) => {
  await visit('/decisions?q=flavor:x1.this')
  await expect(page.getByRole('heading', { name: 'No decision matches' })).toBeVisible()
  await page.getByRole('combobox', { name: 'Filter decisions' }).fill('flavor:x1.that')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/x1\.that/)
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await place(service.client, { flavor: 'x1.that' })
  await expect(rowWith(page, 'Decisions', 'x1.that')).toBeVisible()
})

test('after several pages were loaded, a new decision causes a request for only one page', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  for (let i = 0; i < 60; i++) await place(service.client, { flavor: 'x1.paged', vcpus: 400 })
  await visit('/decisions?q=flavor:x1.paged')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await gridOf(page, 'Decisions').focus()
  await page.keyboard.press('End')
  await expectRowCount(page, 'Decisions', 60)
  const read: unknown[] = []
  page.on('request', (request) => {
    const { variables } = (request.postDataJSON() ?? {}) as { variables?: { after?: string | null } }
    if (operationOf(request).includes('query DecisionList')) read.push(variables?.after)
  })
  await place(service.client, { flavor: 'x1.paged', vcpus: 400 })
  await waitingButton(page, 1).click()
  await expect(rowsOf(page, 'Decisions').first()).toBeVisible()
  await expectRowCount(page, 'Decisions', 50)
  expect(read).toEqual([null])
})

test('an answer that arrives late does not remove rows from a live list', { tag: '@rare' }, async ({ page, visit, service }) => {
  const placeOne = () => place(service.client, { flavor: 'x1.late' })
  await placeOne()
  await visit('/decisions?q=flavor:x1.late')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await expectRowCount(page, 'Decisions', 1)
  const counts = await gridOf(page, 'Decisions').evaluateHandle((grid) => {
    const seen = [Number(grid.getAttribute('aria-rowcount'))]
    new MutationObserver(() => seen.push(Number(grid.getAttribute('aria-rowcount')))).observe(grid, { attributeFilter: ['aria-rowcount'] })
    return seen
  })
  let isLate = false
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/graphql', async (route) => {
    if (isLate || !operationOf(route.request()).startsWith('query DecisionList')) return route.continue()
    const response = await route.fetch()
    isLate = true
    await released
    await route.fulfill({ response })
  })
  await placeOne()
  await expect.poll(() => isLate).toBe(true)
  await placeOne()
  await expectRowCount(page, 'Decisions', 3)
  release()
  await placeOne()
  await expectRowCount(page, 'Decisions', 4)
  const seen = await counts.jsonValue()
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
})

test('after copying, a message shows what was copied', { tag: '@rare' }, async ({ page, context, visit, service }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  const { decisionId } = service.seed.refused
  await visit(addressOf(decisionId))
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'Command line' }).click()
  await expect(page.getByText('Copied: Command line.')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`gantt explain ${decisionId}`)
})

test('a filter by outcome shows only decisions with this outcome', async ({ page, visit }) => {
  // The filter selects the flavors of the seed, because other tests can have added more decisions than are visible.
  await visit('/decisions?q=outcome:NO_VALID_HOST flavor:m1.huge,m1.large')
  await expect(rowWith(page, 'Decisions', 'm1.huge')).toBeVisible()
  await expect(rowsOf(page, 'Decisions').locator('[data-outcome=PLACED]')).toHaveCount(0)
})

test('a request id from a log line finds its decision in the palette and in the filter, and the decision links to the audit', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  const requestId = `req-${randomUUID()}`
  const instance = randomUUID()
  const id = await placeAs(service, requestId, instance, 'x1.traced')
  const other = await placeAs(service, `req-${randomUUID()}`, randomUUID(), 'x1.untraced')
  const line = `INFO nova.scheduler [None ${requestId} 5f3c - - - -] [instance: ${instance}] No valid host`
  await visit('/decisions?cols=flavor,request')
  const grid = gridOf(page, 'Decisions')
  await expect(grid).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search and go' }).fill(line)
  await expect(page.getByRole('button', { name: new RegExp(`of instance ${instance}`) })).toBeVisible()
  await page.getByRole('button', { name: /^x1\.traced/ }).click()
  await expect(page).toHaveURL(addressOf(id))
  const request = page.getByRole('link', { name: requestId })
  await expect(request).toHaveAttribute('href', `/audit?q=request:${requestId}`)
  await page.goBack()
  const filter = page.getByRole('combobox', { name: 'Filter decisions' })
  const paste = (text: string) =>
    filter.evaluate((input, pasted) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', pasted)
      input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
  await expect(grid).toBeVisible()
  await paste(line)
  await expect(filter).toHaveValue(`id:${requestId},${instance}`)
  await expectRowCount(page, 'Decisions', 1)
  await expect(rowWith(page, 'Decisions', requestId)).toContainText('x1.traced')
  await filter.fill('')
  // The filter takes the ids of both decisions from the pasted text.
  await paste(`${line}; retried as ${other}`)
  await expectRowCount(page, 'Decisions', 2)
})

test('on the page of a decision, the keys [ and ] open the previous and the next decision of the list', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.unshift((await place(service.client, { flavor: 'x1.neighbour', vcpus: 1, memoryMb: 64 })).decisionId)
  await visit('/decisions?q=flavor:x1.neighbour')
  await expectRowCount(page, 'Decisions', 3)
  for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
  await expect(page).toHaveURL(addressOf(ids[1] ?? ''))
  for (const [key, next] of [
    ['[', ids[0]],
    [']', ids[1]],
    [']', ids[2]],
    [']', ids[2]],
  ] as const) {
    await expect(page.locator('[data-headline]')).toBeVisible()
    await page.keyboard.press(key)
    await expect(page).toHaveURL(addressOf(next ?? ''))
  }
  await page.goBack()
  await expectRowCount(page, 'Decisions', 3)
})

test('a filter without matches shows how long complete records are stored, and the list shows this for each decision', {
  tag: '@rare',
}, async ({ page, visit }) => {
  await visit('/decisions?q=flavor:no-such')
  await expect(page.getByText('Full records are kept for 7 days')).toBeVisible()
  await visit('/decisions?cols=at,kept')
  await expect(rowsOf(page, 'Decisions').first()).toContainText('all')
})
