import type { Locator } from '@playwright/test'
import { operationOf } from '../calls.ts'
import { expect, test } from '../fixtures.ts'
import { expectRowCount, gridOf, rowWith } from '../grid.ts'
import { boxOfMap, mapOf } from '../map.ts'
import { gather, report } from '../seed.ts'
import { found, live, namesOf } from './lists.ts'

test('after a restart with a new fleet, in which ordinals belong to other hosts, no host is selected', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await visit('/hosts?view=table')
  await expect(page.getByRole('checkbox').first()).toBeVisible()
  await page.getByRole('checkbox').first().check()
  await expect(page.locator('[data-chosen="1"]')).toBeVisible()
  const gap = {
    from: '0',
    to: '0',
    ordinals: '',
    names: [],
    otherNodes: [],
    renamed: [],
    dictionaries: [],
    columns: [],
    gap: { resumeAt: '0' },
  }
  let isGapReported = false
  await page.route('**/graphql', async (route) => {
    const operation = operationOf(route.request())
    if (operation.includes('subscription FleetDeltas') && !isGapReported) {
      isGapReported = true
      const body = `event: next\ndata: ${JSON.stringify({ data: { fleetDeltas: gap } })}\n\n`
      return route.fulfill({ contentType: 'text/event-stream', body })
    }
    if (!operation.includes('query FleetColumns')) return route.continue()
    const response = await route.fetch()
    const json = (await response.json()) as { data: { fleet: { columns: { names: string[] } } } }
    json.data.fleet.columns.names.reverse()
    return route.fulfill({ response, json })
  })
  // Freezing and following the list makes the page open the stream of changes again.
  await page.getByRole('button', { name: 'Freeze' }).click()
  await page.getByRole('button', { name: 'Follow' }).click()
  await expect.poll(() => isGapReported).toBe(true)
  await expect(page.locator('[data-chosen]')).toHaveCount(0)
  await expect(page.getByRole('checkbox').first()).toBeVisible()
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(0)
})

test('hosts are selected by x, by Shift-x and by a button for all, and each change of their status is previewed first', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  await report(service.client, { 'many-01': {}, 'many-02': {}, 'many-03': {}, 'many-04': {} })
  await visit('/hosts?view=table&q=host:many-*')
  await expectRowCount(page, 'Hosts', 4)
  await gridOf(page, 'Hosts').focus()
  for (const key of ['j', 'x', 'j', 'j', 'X']) await page.keyboard.press(key)
  await expect(page.locator('[data-chosen="3"]')).toBeVisible()
  await rowWith(page, 'Hosts', 'many-02').getByRole('checkbox').click()
  await expect(page.locator('[data-chosen="2"]')).toBeVisible()
  await page.getByRole('button', { name: 'Choose all 4 matching' }).click()
  await expect(page.locator('[data-chosen="4"]')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await expect(page.locator('[data-chosen="4"]')).toBeVisible()
  await page.getByRole('button', { name: 'Set status ...' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator('[data-hosts="4"]')).toHaveText('many-01, many-02, many-03, many-04')
  await dialog.getByLabel('Reason').fill('rack is moved')
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(dialog.getByRole('status')).toContainText('4 hosts with 0 live claims')
  await dialog.getByRole('button', { name: 'Set to disabled' }).click()
  await expect(dialog).toBeHidden()
  expect(await namesOf(service.client, 'host:many-* status:DISABLED')).toHaveLength(4)
  expect(await namesOf(service.client, 'status:DISABLED host:az1-01')).toHaveLength(0)
})

test('selected hosts are added to the draft of an aggregate, which has exactly their names', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const names = Array.from({ length: 3 }, (_, i) => `to-gather-${i}`)
  await report(service.client, Object.fromEntries(names.map((name) => [name, {}])))
  const uuid = await gather(service.client, 'gathered "by hand"', { hosts: ['az1-04'] })
  await visit('/hosts?view=table&q=host:to-gather-*')
  await expectRowCount(page, 'Hosts', 3)
  await rowWith(page, 'Hosts', 'to-gather-0').getByRole('checkbox').click()
  await rowWith(page, 'Hosts', 'to-gather-2').getByRole('checkbox').click()
  await page.getByRole('button', { name: 'Add to an aggregate ...' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add 2 hosts to an aggregate' })
  await dialog.getByLabel('Aggregate', { exact: true }).fill('"by hand')
  await dialog.getByRole('button', { name: 'gathered "by hand", 1 host' }).click()
  await expect(page).toHaveURL(`/aggregates/${uuid}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await expect(draft.getByLabel('Add hosts')).toHaveValue('to-gather-0\nto-gather-2')
  // After a reload the draft still exists, and no name was added twice.
  await page.reload()
  await expect(draft.getByLabel('Add hosts')).toHaveValue('to-gather-0\nto-gather-2')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await draft.getByRole('button', { name: /^Apply to version/ }).click()
  await expect(draft).toBeHidden()
  await expectRowCount(page, 'Members', 3)
})

test('two clicks in quick succession both have an effect', { tag: '@rare' }, async ({ page, visit }) => {
  const pressTwice = (button: Locator, shiftKey = false): Promise<void> =>
    button.evaluate((element, shift) => {
      for (let press = 0; press < 2; press++)
        element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: shift }))
    }, shiftKey)
  await visit('/hosts?view=table&q=host:az*&sort=az,-mem.free')
  await pressTwice(gridOf(page, 'Hosts').getByRole('button', { name: 'Memory free' }), true)
  await expect(page).toHaveURL('/hosts?view=table&q=host:az*&sort=az')

  await pressTwice(page.getByRole('button', { name: 'Compare', exact: true }))
  const facets = page.getByRole('navigation', { name: 'Facets' })
  const zones = facets.getByRole('region', { name: 'Zone', exact: true }).getByRole('button')
  await zones.evaluateAll((buttons) => {
    for (const button of buttons.slice(0, 2)) button.dispatchEvent(new MouseEvent('click', { bubbles: true, ctrlKey: true }))
  })
  await expect(page).toHaveURL('/hosts?view=table&q=host:az*+az:az1,az2&sort=az')

  await page.getByRole('button', { name: 'Columns' }).click()
  const columns = page.getByRole('dialog', { name: 'Columns' })
  await columns.getByRole('checkbox').evaluateAll((boxes) => {
    const names = ['Zone', 'State, status']
    for (const box of boxes) if (box instanceof HTMLInputElement && names.includes(box.labels?.[0]?.textContent?.trim() ?? '')) box.click()
  })
  await expect(gridOf(page, 'Hosts').getByRole('columnheader', { name: 'Zone' })).toHaveCount(0)
  await expect(gridOf(page, 'Hosts').getByRole('columnheader', { name: 'State, status' })).toHaveCount(0)
})

test('hosts that are selected by a frame on the map or by x are compared with all other hosts, and each count links to exactly as many hosts', {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, look }) => {
  await visit('/hosts?q=host:az1-*,az2-*')
  const map = page.getByRole('application', { name: /^Map of 12 hosts/ })
  const { x, y } = await boxOfMap(page)
  // The eight hosts of the first zone are in the first row of cells.
  await page.mouse.move(x + 2, y + 30)
  await page.mouse.down()
  await page.mouse.move(x + 400, y + 34, { steps: 4 })
  await page.mouse.up()
  await expect(page).toHaveURL('/hosts?q=host:az1-*,az2-*')
  await expect(page.locator('[data-chosen="8"]')).toBeVisible()
  await page.keyboard.press('c')
  await expect(page.locator('[data-inside="8"][data-outside="4"]')).toBeVisible()
  const panel = page.getByRole('region', { name: 'Compare' })
  await expect(panel.getByRole('region', { name: 'az', exact: true })).toContainText('differs by 100 %')
  await look('hosts compared with the others')
  const values = panel.locator('[data-opens]')
  const names = await values.evaluateAll((all) => all.map((one) => one.getAttribute('title') ?? ''))
  expect(names.length).toBeGreaterThan(8)
  for (const name of names.filter((one) => !/ s:| s to | min| h | d /.test(one))) {
    const value = panel.getByTitle(name, { exact: true }).first()
    const count = Number(await value.getAttribute('data-opens'))
    await value.click()
    await expect(found(page)).toHaveAttribute('data-count', String(count))
    await page.goBack()
    await expect(found(page)).toHaveAttribute('data-count', '12')
  }
  await map.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('x')
  await expect(page.locator('[data-chosen="7"]')).toBeVisible()
})

test('when a change arrives, the selection, the cursors and the scroll position stay the same', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const names = Array.from({ length: 60 }, (_, i) => `keep-${String(i + 1).padStart(2, '0')}`)
  await report(service.client, Object.fromEntries(names.map((name) => [name, {}])))
  await visit('/hosts?q=host:keep-*')
  await expect(found(page)).toHaveAttribute('data-count', '60')
  await expect(live(page)).toBeVisible()
  const line = page.locator('[data-cell-line]')
  await mapOf(page).focus()
  for (const key of ['End', 'ArrowLeft', 'x']) await page.keyboard.press(key)
  await expect(page.locator('[data-chosen="1"]')).toBeVisible()
  await expect(line).toContainText('keep-59: ')
  for (let i = 0; i < 40; i++) await page.keyboard.press('j')
  const cursor = gridOf(page, 'Hosts').locator('[role=row][aria-selected=true]')
  await expect(cursor).toContainText('keep-40')
  const scrollTop = () => gridOf(page, 'Hosts').evaluate((grid) => grid.scrollTop)
  const before = await scrollTop()
  expect(before).toBeGreaterThan(0)

  // The map shows the fullest hosts first, so these reports move the cells of both hosts from one end of the map to the other.
  await report(service.client, { 'keep-59': { memoryMbUsed: 16_384 }, 'keep-40': { memoryMbUsed: 32_768 } })
  await expect(cursor).toContainText('32 GiB')
  await expect(cursor).toContainText('keep-40')
  expect(await scrollTop()).toBe(before)
  await expect(page.locator('[data-chosen="1"]')).toBeVisible()
  await expect(line).toContainText('keep-59: ')
  await expect(line).toContainText('memory 25 %')
  await mapOf(page).focus()
  await page.keyboard.press('ArrowLeft')
  await expect(line).toContainText('keep-40: ')
})
