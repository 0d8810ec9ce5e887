import { randomUUID } from 'node:crypto'
import { expect, test } from '../fixtures.ts'
import { expectRowCount, firstCells, gridOf, numberIn, rowWith } from '../grid.ts'
import { mapOf } from '../map.ts'
import { gather, place, report } from '../seed.ts'
import { filterOf, found, live, withMostMemory } from './lists.ts'

test('a host appears after its first report, and its row follows its reports', async ({ page, visit, service }) => {
  await visit('/hosts?view=table&q=host:live-*')
  await expect(page.getByRole('heading', { name: 'No host matches' })).toBeVisible()
  await expect(live(page)).toBeVisible()
  await report(service.client, { 'live-01': { memoryMbUsed: 16_384 } })
  const row = rowWith(page, 'Hosts', 'live-01')
  await expect(row).toContainText('48 GiB')
  await expect(found(page)).toHaveAttribute('data-count', '1')
  await report(service.client, { 'live-01': { memoryMbUsed: 32_768 } })
  await expect(row).toContainText('32 GiB')
})

test('every heading of the map links to exactly the hosts that the heading counts', { tag: '@rare' }, async ({ page, visit, service }) => {
  await report(service.client, { 'in-none-01': {} })
  for (const group of ['az', 'aggregate']) {
    await visit(`/hosts?group=${group}`)
    const headings = page.getByRole('region', { name: 'Map' }).getByRole('button', { name: / hosts?, / })
    await expect(headings.first()).toBeVisible()
    const names = await headings.allTextContents()
    expect(names.length).toBeGreaterThan(3)
    for (const name of names) {
      await page.getByRole('button', { name, exact: true }).click()
      await expectRowCount(page, 'Hosts', numberIn(/\S+ hosts?,/.exec(name)?.[0] ?? null))
      await expect(page).toHaveURL(/q=/)
      await page.goBack()
      await expect(page).not.toHaveURL(/q=/)
    }
  }
})

test('a reload and a second browser show the same view of the list of hosts', async ({ page, visit, browser, service }) => {
  await visit('/hosts?view=table&q=az:az1')
  await gridOf(page, 'Hosts').getByRole('button', { name: 'Memory free' }).click()
  await expect(page).toHaveURL(/sort=-mem\.free/)
  // The expected host depends on the hosts of other tests, so it is read from the API.
  const emptiest = await withMostMemory(service.client, 'az:az1')
  await expect.poll(async () => emptiest.includes((await firstCells(page, 'Hosts'))[0] ?? '')).toBe(true)
  const names = await firstCells(page, 'Hosts')
  await page.reload()
  await expect.poll(() => firstCells(page, 'Hosts')).toEqual(names)
  const elsewhere = await browser.newContext()
  try {
    const other = await elsewhere.newPage()
    await other.goto(`${page.url()}#key=${service.key}`)
    await expect.poll(() => firstCells(other, 'Hosts')).toEqual(names)
  } finally {
    await elsewhere.close()
  }
})

test('the map has a keyboard cursor and a line about the host at the cursor, and Enter opens this host', async ({ page, visit }) => {
  await visit('/hosts?view=map&q=az:az1')
  const map = page.getByRole('application', { name: /^Map of 8 hosts/ })
  await map.focus()
  await page.keyboard.press('ArrowRight')
  const line = page.locator('[data-cell-line]')
  await expect(line).toContainText(/^az1-0\d: az1/)
  const first = (await line.textContent())?.slice(0, 6)
  await page.keyboard.press('ArrowRight')
  await expect(line).not.toContainText(first ?? '')
  const name = (await line.textContent())?.slice(0, 6) ?? ''
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
})

test.describe('appearance', () => {
  test('the list of hosts: filtered, as a map, and without a match @looks @rare', async ({ page, visit, look }) => {
    await visit('/hosts')
    await expect(gridOf(page, 'Hosts')).toBeVisible()
    await look('hosts')
    await filterOf(page).fill('az:')
    await expect(page.getByRole('listbox', { name: 'Filter fields' })).toBeVisible()
    await look('hosts with suggestions')
    await page.goto('/hosts?view=map&q=az:az1&colour=cpu')
    await expect(page.getByRole('application')).toBeVisible()
    await page.getByRole('application').focus()
    await page.keyboard.press('ArrowRight')
    await look('hosts as a map')
    const colour = page.getByRole('combobox', { name: 'Colour' })
    await colour.selectOption({ label: 'Report age' })
    await expect(page).toHaveURL(/colour=age/)
    await expect(page.getByRole('button', { name: /^az1 8 hosts, the oldest report/ })).toBeVisible()
    await expect(page.locator('[data-cell-line]')).toContainText(/; reported .+ ago$/)
    await colour.selectOption({ label: 'Memory free' })
    await expect(page.getByRole('button', { name: /^az1 8 hosts, .* of memory free in total$/ })).toBeVisible()
    await expect(page.getByText(/of memory free, the largest amount of a shown host$/)).toBeVisible()
    await page.goto('/hosts?q=host:no-such-host')
    await expect(page.getByRole('heading', { name: 'No host matches' })).toBeVisible()
    await look('hosts without a match')
  })

  test('a host, its tabs, its status, and an unknown host @looks', { tag: '@rare' }, async ({ page, visit, look }) => {
    await visit('/hosts/az2-01')
    await expect(page.getByRole('table', { name: 'Usage by resource class' })).toBeVisible()
    await look('a host')
    for (const sheet of [/^Claims/, /^Decisions/, /^Raw/]) {
      await page.getByRole('tab', { name: sheet }).click()
      await look(`a host, ${sheet.source}`)
    }
    await page.getByRole('button', { name: 'Set status' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await look('setting a status')
    await page.goto('/hosts/no-such-host')
    await expect(page.getByRole('heading', { name: 'Host not found' })).toBeVisible()
    await look('no such host')
  })

  test('an empty fleet @looks', { tag: '@rare' }, async ({ page, emptyService, look }) => {
    await page.goto(`${emptyService.origin}/hosts#key=${emptyService.key}`)
    await expect(page.getByRole('heading', { name: 'No host has reported yet' })).toBeVisible()
    await look('an empty fleet')
    await page.goto(`${emptyService.origin}/decisions`)
    await expect(page.getByRole('heading', { name: 'No decisions yet' })).toBeVisible()
    await look('no decision yet')
    await page.goto(`${emptyService.origin}/aggregates`)
    await expect(page.getByRole('heading', { name: 'No aggregates yet' })).toBeVisible()
    await look('no aggregate yet')
  })
})

test('markup in the names of a host and its aggregate has no effect, the longest traits do not overflow the page, and longer traits are refused', {
  tag: '@rare',
}, async ({ page, visit, service, context }) => {
  const name = '<img src=x onerror=alert(1)>'
  const trait = 'X'.repeat(255)
  await expect(report(service.client, { [name]: { traits: ['X'.repeat(10_000)] } })).rejects.toThrow(
    'it must be at most 255 characters long',
  )
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  await report(service.client, { [name]: { traits: [trait, 'CUSTOM_MARKUP'] } })
  await gather(service.client, '<b>bold</b>', { hosts: [name] })
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const expectWithin = async (state: string) => {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(over, state).toBeLessThanOrEqual(0)
    expect(await page.locator('main img[src=x], main b:text-is("bold")').count(), state).toBe(0)
  }

  await visit('/hosts?cols=host,agg,trait&compare=yes')
  const row = rowWith(page, 'Hosts', name)
  await expect(row).toContainText('<b>bold</b>')
  await row.getByRole('checkbox').click()
  await expect(page.locator('[data-inside="1"]')).toBeVisible()
  await expectWithin('the list, its facets and what sets the host apart')
  await page.getByRole('navigation', { name: 'Facets' }).getByTitle('<b>bold</b>').click()
  await expectRowCount(page, 'Hosts', 1)
  await expectWithin('the list, narrowed')
  await page.getByRole('button', { name: 'Copy as' }).click()
  await page.getByRole('menuitem', { name: 'CSV, 1 host' }).click()
  await expect(page.getByText('Copied: CSV, 1 host.')).toBeVisible()
  const csv = await page.evaluate(() => navigator.clipboard.readText())
  expect(csv.split('\r\n')[1]?.startsWith(`${name},${name},`)).toBe(true)
  // The columns with aggregates and traits are shown, so they are copied too.
  expect(csv.split('\r\n')[0]?.endsWith(',aggregates,traits')).toBe(true)
  expect(csv).toContain(trait)

  await page.goto(`/hosts/${encodeURIComponent(name)}`)
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expectWithin('the host')
  await page.getByRole('tab', { name: /^Raw/ }).click()
  await expectWithin('the host as JSON')

  const instance = randomUUID()
  const placed = await place(service.client, { instance, extraSpecs: { 'trait:CUSTOM_MARKUP': 'required' } })
  expect(placed.hosts).toEqual([name])
  const uuid = await gather(service.client, '<img src=x onerror=alert(2)>', { hosts: [name] })
  await page.goto('/hosts?view=map&q=trait:X*')
  await mapOf(page).focus()
  await page.keyboard.press('Home')
  await expect(page.locator('[data-cell-line]')).toContainText(`${name}:`)
  await expectWithin('the line of the map')
  await page.goto(`/hosts/${encodeURIComponent(name)}?sheet=timeline`)
  await expect(page.locator('tr[data-kind=AGGREGATE_JOINED]').filter({ hasText: 'onerror=alert(2)' })).toBeVisible()
  await expectWithin('the timeline')
  await page.goto(`/aggregates/${uuid}`)
  await expect(rowWith(page, 'Members', name)).toBeVisible()
  await expectWithin('the members of an aggregate')
  await page.goto(`/claims?q=instance:${instance}`)
  await expect(rowWith(page, 'Claims', name)).toBeVisible()
  await expectWithin('the claims')
  await page.goto(`/decisions/${encodeURIComponent(placed.decisionId)}?host=${encodeURIComponent(name)}`)
  await expect(page.getByRole('region', { name: 'Why a host was not chosen' }).getByText(name).first()).toBeVisible()
  await expect(page.getByRole('grid').getByText(name).first()).toBeVisible()
  await expectWithin('a decision, its matrix and why not the host')
  await page.getByRole('button', { name: 'Copy for a ticket' }).click()
  await expect(page.getByText('Copied: Ticket, Markdown.')).toBeVisible()
  // In a ticket the name is plain text too: outside of code spans, no markup is left unescaped.
  const ticket = await page.evaluate(() => navigator.clipboard.readText())
  expect(ticket).toContain('onerror=alert(1)')
  expect(ticket.replaceAll(/`[^`\n]*`/g, '')).not.toContain('<img src')
  expect(dialogs).toEqual([])
})
