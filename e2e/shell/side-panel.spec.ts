import { expect, test } from '../fixtures.ts'
import { gridOf, rowsOf } from '../grid.ts'
import { pressSequence } from '../keyboard.ts'
import { cursorOf, mapOf } from '../map.ts'
import { report } from '../seed.ts'

// The key `o` shows the row in the side panel, without leaving the list. The panel then follows the cursor.

for (const { name, path, label, link } of [
  { name: 'hosts', path: '/hosts?view=table', label: 'Hosts', link: /\/hosts\/[^?]+$/ },
  { name: 'hosts with their map', path: '/hosts', label: 'Hosts', link: /\/hosts\/[^?]+$/ },
  { name: 'aggregates', path: '/aggregates', label: 'Aggregates', link: /\/aggregates\/[^?]+$/ },
  { name: 'decisions', path: '/decisions?live=off', label: 'Decisions', link: /\/decisions\/[^?]+$/ },
])
  test(`${name}: o shows the row in the side panel, which follows j, Escape closes the panel, and Enter opens the page of the row`, {
    tag: '@rare',
  }, async ({ page, visit, axe }) => {
    await visit(path)
    const panel = page.getByRole('complementary', { name: 'Side panel' })
    await expect(rowsOf(page, label).nth(1)).toBeVisible()
    await page.keyboard.press('j')
    await page.keyboard.press('o')
    await expect(panel.getByRole('heading', { level: 2 }).first()).toBeVisible()
    await expect(page).toHaveURL(/[?&]beside=/)
    const first = await panel.getAttribute('data-panel')
    await axe(`${name} with a row in the side panel`)

    await page.keyboard.press('j')
    await expect(panel).not.toHaveAttribute('data-panel', first ?? '')
    const second = (await panel.getAttribute('data-panel')) ?? ''
    await expect(panel.getByRole('heading', { level: 2 }).first()).toBeVisible()
    // The list keeps its scroll position and its keys.
    await expect(gridOf(page, label)).toBeVisible()
    await page.reload()
    await expect(panel).toHaveAttribute('data-panel', second)
    await expect(panel.getByRole('heading', { level: 2 }).first()).toBeVisible()
    // A page that was opened by a link has no cursor yet, so the keys continue from the open row.
    await page.keyboard.press('[')
    await expect(panel).toHaveAttribute('data-panel', first ?? '')
    await page.keyboard.press(']')
    await expect(panel).toHaveAttribute('data-panel', second)

    // Moving the cursor adds no history entries, so Back undoes only that the panel was closed.
    await page.keyboard.press('Escape')
    await expect(panel).toBeHidden()
    await expect(page).not.toHaveURL(/beside=/)
    await page.goBack()
    await expect(panel).toHaveAttribute('data-panel', second)
    await panel.getByRole('button', { name: 'Close the side panel' }).click()
    await expect(panel).toBeHidden()

    await page.keyboard.press('k')
    await page.keyboard.press('o')
    await expect(panel.getByRole('heading', { level: 2 }).first()).toBeVisible()
    await panel.getByRole('heading', { level: 2 }).first().getByRole('link').click()
    await expect(page).toHaveURL(link)
  })

test('on the map a click shows a host in the panel and a second click opens its page, the panel follows the arrow keys, and o toggles it', {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, look }) => {
  await visit('/hosts?view=map')
  const panel = page.getByRole('complementary', { name: 'Side panel' })
  const map = mapOf(page)
  const line = page.locator('[data-cell-line]')
  await map.focus()
  for (const key of ['Home', 'ArrowRight']) await page.keyboard.press(key)
  const hostOfCursor = async () => ((await line.textContent()) ?? '').split(':')[0] ?? ''
  const pressCursor = async () => {
    const { x, y } = await cursorOf(page)
    await page.mouse.click(x, y)
  }
  const first = await hostOfCursor()
  await pressCursor()
  await expect(panel).toHaveAttribute('data-panel', first)
  await expect(panel.getByRole('heading', { level: 2 }).first()).toContainText(first)
  await expect(page).toHaveURL(/view=map.*beside=|beside=.*view=map/)
  await page.mouse.move(0, 0)
  await look('the map with a host in the side panel')

  await map.focus()
  await page.keyboard.press('ArrowRight')
  await expect(panel).not.toHaveAttribute('data-panel', first)
  await expect(panel).toHaveAttribute('data-panel', await hostOfCursor())
  const second = await hostOfCursor()
  await page.keyboard.press('o')
  await expect(panel).toBeHidden()
  await page.keyboard.press('o')
  await expect(panel).toHaveAttribute('data-panel', second)

  await pressCursor()
  await expect(page).toHaveURL(new RegExp(`/hosts/${second}`))
  await page.goBack()
  await expect(panel).toHaveAttribute('data-panel', second)
})

test('although the side panel moves the cells of the map, a second click or a double click in one place opens the same host', {
  tag: '@rare',
}, async ({ page, visit, service }) => {
  // At this width the map has several rows of cells, and one more row when the open panel makes the map narrower.
  await page.setViewportSize({ width: 1_010, height: 720 })
  const names = Array.from({ length: 45 }, (_, i) => `cell-${String(i + 1).padStart(2, '0')}`)
  await report(service.client, Object.fromEntries(names.map((name) => [name, {}])))
  await visit('/hosts?view=map&q=host:cell-*')
  const panel = page.getByRole('complementary', { name: 'Side panel' })
  await mapOf(page).focus()
  await page.keyboard.press('End')
  await expect(page.locator('[data-cell-line]')).toContainText('cell-45:')
  const before = await cursorOf(page)
  await page.mouse.click(before.x, before.y)
  await expect(panel).toHaveAttribute('data-panel', 'cell-45')
  expect(await cursorOf(page)).not.toEqual(before)
  await page.mouse.click(before.x, before.y)
  await expect(page).toHaveURL('/hosts/cell-45')

  await page.goBack()
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await mapOf(page).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  const other = await cursorOf(page)
  await page.mouse.dblclick(other.x, other.y)
  await expect(page).toHaveURL('/hosts/cell-44')
})

test('the map ignores keys of sequences and of the browser, and letters if single-key shortcuts are off', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await visit('/hosts?view=map')
  const panel = page.getByRole('complementary', { name: 'Side panel' })
  await mapOf(page).focus()
  await page.keyboard.press('Home')
  const { x, y } = await cursorOf(page)
  await page.mouse.click(x, y)
  await expect(panel).toBeVisible()
  await pressSequence(page, 'g o')
  await expect(page).toHaveURL('/overview')
  await page.goBack()
  await expect(panel).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()

  await mapOf(page).focus()
  await page.keyboard.press('Home')
  const isTaken = (key: string, ctrlKey: boolean) =>
    mapOf(page).evaluate((map, init) => !map.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true })), {
      key,
      ctrlKey,
    })
  expect(await isTaken('o', true)).toBe(false)
  await expect(panel).toBeHidden()
  await page.evaluate(() => localStorage.setItem('gantt.shortcuts', 'off'))
  await page.reload()
  await mapOf(page).focus()
  await page.keyboard.press('Home')
  await expect(page.locator('.g-map-cursor')).toBeVisible()
  expect(await isTaken('o', false)).toBe(false)
  expect(await isTaken('x', false)).toBe(false)
  expect(await isTaken('ArrowRight', false)).toBe(true)
  await expect(panel).toBeHidden()
  await expect(page.locator('[data-chosen]')).toHaveCount(0)
})

test('claims: o shows the resources of a claim in the side panel, Enter opens its decision', { tag: '@rare' }, async ({
  page,
  visit,
  axe,
}) => {
  await visit('/claims')
  const panel = page.getByRole('complementary', { name: 'Side panel' })
  const first = rowsOf(page, 'Claims').first()
  await expect(first).toBeVisible()
  for (const key of ['j', 'o']) await page.keyboard.press(key)
  await expect(panel.getByText('Decision', { exact: true })).toBeVisible()
  await expect(panel).toContainText((await first.getByRole('gridcell').first().textContent()) ?? '-')
  await axe('a claim in the side panel')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/decisions\//)
})

test('a link to a missing object shows a message in the side panel, and the list is unchanged', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  const panel = page.getByRole('complementary', { name: 'Side panel' })
  for (const [list, says] of [
    ['hosts', 'No host named <img src=x onerror=alert(1)> has reported.'],
    ['aggregates', 'No aggregate has the uuid'],
    ['claims', 'No claim has the id'],
    ['decisions', 'No decision has the id'],
  ] as const) {
    const id = { hosts: '<img src=x onerror=alert(1)>', aggregates: '00000000-0000-4000-8000-000000000000' }[list as string]
    await visit(
      `/${list}?beside=${encodeURIComponent(id ?? btoa(`${list === 'claims' ? 'Claim' : 'Decision'}:00000000-0000-4000-8000-000000000000`))}`,
    )
    await expect(panel).toContainText(says)
    await expect(
      rowsOf(
        page,
        list.replace(/^./, (letter) => letter.toUpperCase()),
      ).first(),
    ).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(panel).toBeHidden()
  }
})

test('on a page too narrow for the side panel, o opens the page of the row, and a click on the map opens the page of the host', {
  tag: '@rare',
}, async ({ page, visit }) => {
  await page.setViewportSize({ width: 900, height: 720 })
  await visit('/decisions?live=off')
  await expect(rowsOf(page, 'Decisions').first()).toBeVisible()
  for (const key of ['j', 'o']) await page.keyboard.press(key)
  await expect(page).toHaveURL(/\/decisions\/[^?]+$/)
  await visit('/hosts?view=map')
  await mapOf(page).focus()
  await page.keyboard.press('Home')
  const { x, y } = await cursorOf(page)
  await page.mouse.click(x, y)
  await expect(page).toHaveURL(/\/hosts\/[^?]+$/)
})
