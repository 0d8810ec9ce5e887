import { expect, test } from '../fixtures.ts'
import { gridOf } from '../grid.ts'
import { settled } from '../layout.ts'

/** The height in pixels of the line above a list, which is the height of its buttons. */
const HEAD = 26

const lists = [
  ['/hosts?view=table', 'Hosts'],
  ['/hosts', 'Hosts'],
  ['/decisions', 'Decisions'],
  ['/aggregates', 'Aggregates'],
  ['/claims', 'Claims'],
  ['/audit', 'Audit'],
] as const

test('the line above every list has one height, and with a full list a page of 1280 x 800 px does not scroll', { tag: '@rare' }, async ({
  page,
  visit,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  for (const [path, label] of lists) {
    await visit(path)
    const grid = gridOf(page, label)
    await expect(grid).toBeVisible()
    // The list gets the height of a list with many rows.
    await grid.evaluate((list) => {
      list.style.height = getComputedStyle(list).maxHeight
    })
    const measure = () =>
      page.evaluate(() => ({
        head: document.querySelector('.g-list-head')?.getBoundingClientRect().height,
        overflow: document.documentElement.scrollHeight - document.documentElement.clientHeight,
      }))
    expect(await settled(path, measure), path).toEqual({ head: HEAD, overflow: 0 })
    const box = grid.getByRole('checkbox').first()
    if ((await box.count()) === 0) continue
    await box.check()
    await expect(page.locator('[data-chosen="1"]')).toBeVisible()
    expect(await settled(path, measure), `${path}, with a selected row`).toEqual({ head: HEAD, overflow: 0 })
  }
})

test('at 1280 px the actions on selected hosts fit into the line above the list', { tag: '@rare' }, async ({ page, visit }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await visit('/hosts?view=table')
  await gridOf(page, 'Hosts').getByRole('checkbox').first().check()
  const line = page.locator('.g-list-actions')
  await expect(line.getByRole('button', { name: 'Add to an aggregate ...' })).toBeVisible()
  expect(await line.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
})
