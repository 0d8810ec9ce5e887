import { randomUUID } from 'node:crypto'
import type { Client } from '@gantt/client'
import { operationOf } from '../calls.ts'
import { expect, type Page, test } from '../fixtures.ts'
import { expectRowCount, gridOf, numberIn, rowsOf, rowWith } from '../grid.ts'
import { boxOf } from '../layout.ts'
import { place } from '../seed.ts'

const listOf = (q: string, more = ''): string => `/decisions?q=${encodeURIComponent(q)}&live=off${more}`
const histogram = (page: Page) => page.getByRole('region', { name: 'Decisions over time' })
const chart = (page: Page) => histogram(page).getByRole('application')
const line = (page: Page) => histogram(page).locator('[data-brush-line]')

/** Makes decisions for a flavor that no other test uses. `placed` and `refused` are the counts of placed and refused requests. */
async function decide(client: Client, flavor: string, placed: number, refused: number): Promise<void> {
  for (let i = 0; i < placed; i++) await place(client, { flavor, vcpus: 1, memoryMb: 64, zone: 'az1' })
  for (let i = 0; i < refused; i++) await place(client, { flavor, vcpus: 400 })
}

const countOf = async (client: Client, query: string): Promise<number> =>
  (
    await client.request<{ decisions: { totalCount: number } }>('query Count($query: String) { decisions(query: $query) { totalCount } }', {
      query,
    })
  ).decisions.totalCount

/** The date of yesterday in UTC, such as 2026-11-22. */
const yesterday = (): string => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)

/** The filter query in the URL of the page. */
const filterOf = (page: Page): string => new URL(page.url()).searchParams.get('q') ?? ''

test('the bars count the decisions that match the filter, and each links to its decisions', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await decide(service.client, 'x2.bars', 4, 3)
  await visit(listOf('flavor:x2.bars'))
  await expectRowCount(page, 'Decisions', 7)
  await expect(page.locator('[data-count="7"]')).toBeVisible()
  await expect(histogram(page)).toContainText('no valid host 3')
  await expect(histogram(page)).toContainText('placed 4')
  await histogram(page).getByText('As a table').click()
  const steps = histogram(page).locator('[data-step]')
  await expect(steps.first()).toBeVisible()
  const counts = await steps.getByRole('button').allTextContents()
  expect(counts.reduce((sum, text) => sum + numberIn(text), 0)).toBe(7)
  for (const [i, text] of counts.entries()) {
    await steps.nth(i).getByRole('button').click()
    await expectRowCount(page, 'Decisions', numberIn(text))
    expect(filterOf(page)).toMatch(/^flavor:x2\.bars at>=\S+Z at<\S+Z$/)
    expect(await countOf(service.client, filterOf(page))).toBe(numberIn(text))
    await page.goBack()
    await expectRowCount(page, 'Decisions', 7)
  }
})

test('a time range that is selected with the mouse is in the URL, and Back removes it', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await decide(service.client, 'x2.drawn', 2, 1)
  const day = yesterday()
  await visit(listOf(`flavor:x2.drawn at>=${day}`))
  await expectRowCount(page, 'Decisions', 3)
  const { x, y, width, height } = await boxOf(chart(page))
  await page.mouse.move(x + 1, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x + width - 2, y + height / 2, { steps: 4 })
  await expect(line(page)).toContainText('3 decisions, 1 no valid host, 2 placed')
  await page.mouse.up()
  await expect(page).toHaveURL(/at<|at%3C/)
  await expectRowCount(page, 'Decisions', 3)
  const filter = filterOf(page)
  expect(filter).toMatch(/^flavor:x2\.drawn at>=\S+Z at<\S+Z$/)
  await page.reload()
  await expectRowCount(page, 'Decisions', 3)
  expect(filterOf(page)).toBe(filter)
  await expect(page.getByRole('combobox', { name: 'Filter decisions' })).toHaveValue(filter)
  await page.goBack()
  await expect.poll(() => filterOf(page)).toBe(`flavor:x2.drawn at>=${day}`)
  await histogram(page).getByRole('button', { name: 'All times' }).click()
  await expect.poll(() => filterOf(page)).toBe('flavor:x2.drawn')
})

test('a time range of the histogram is selected with the keyboard alone', { tag: '@rare' }, async ({ page, visit, service }) => {
  await decide(service.client, 'x2.keys', 1, 2)
  await visit(listOf(`flavor:x2.keys at>=${yesterday()}`))
  await expectRowCount(page, 'Decisions', 3)
  await chart(page).focus()
  await page.keyboard.press('End')
  await expect(line(page)).toContainText(' to ')
  await page.keyboard.press('Shift+Home')
  await expect(line(page)).toContainText('3 decisions, 2 no valid host, 1 placed')
  await page.keyboard.press('Escape')
  await expect(line(page)).toContainText('at most')
  await page.keyboard.press('End')
  await page.keyboard.press('Shift+Home')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/at<|at%3C/)
  await expectRowCount(page, 'Decisions', 3)
})

test('a range without decisions shows a message and a link to all times', { tag: '@rare' }, async ({ page, visit, service }) => {
  await decide(service.client, 'x2.never', 0, 1)
  await visit(listOf('flavor:x2.never at<2020-01-01 at>=2019-12-31'))
  await expect(page.getByRole('heading', { name: 'No decision matches' })).toBeVisible()
  await histogram(page).getByRole('button', { name: 'All times' }).click()
  await expectRowCount(page, 'Decisions', 1)
})

test('an invalid time is reported at its field', { tag: '@rare' }, async ({ page, visit }) => {
  await visit(listOf(''))
  await page.getByRole('combobox', { name: 'Filter decisions' }).fill('at>=yesterday ')
  await page.keyboard.press('Enter')
  await expect(page.getByText('yesterday is not a time in UTC, such as 2026-11-22T09:00:00Z or 2026-11-22')).toBeVisible()
})

test('new decisions are also counted in the bars of the histogram', { tag: '@rare' }, async ({ page, visit, service }) => {
  await decide(service.client, 'x2.lives', 1, 0)
  await visit('/decisions?q=flavor:x2.lives')
  await expect(histogram(page)).toContainText('placed 1')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  await decide(service.client, 'x2.lives', 2, 0)
  await expect(histogram(page)).toContainText('placed 3')
  await expectRowCount(page, 'Decisions', 3)
})

test('decisions are grouped by common values, and each count links to exactly as many decisions', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const instance = randomUUID()
  await decide(service.client, 'x3.a', 2, 1)
  await decide(service.client, 'x3.b', 0, 2)
  for (let i = 0; i < 2; i++) await place(service.client, { flavor: 'x3.tried', vcpus: 400, instance })
  await visit(listOf('flavor:x3.*'))
  for (const [by, groups] of [
    ['cause', 2],
    ['flavor', 3],
    ['project', 1],
    ['profile', 1],
    ['retry chain', 2],
  ] as const) {
    await page.getByRole('combobox', { name: 'Group by' }).selectOption({ label: `By ${by}` })
    const label = `Decisions by ${by}`
    await expectRowCount(page, label, groups)
    await expect(page.locator(`[data-groups="${groups}"]`)).toContainText('in 7 decisions')
    const names = await gridOf(page, label)
      .getByRole('link', { name: /open them$/ })
      .evaluateAll((links) => links.map((link) => link.getAttribute('aria-label') ?? ''))
    expect(names.length).toBeGreaterThanOrEqual(groups)
    for (const name of names) {
      const link = gridOf(page, label).getByRole('link', { name, exact: true })
      const count = numberIn(await link.textContent())
      await link.click()
      await expectRowCount(page, 'Decisions', count)
      await page.goBack()
      await expectRowCount(page, label, groups)
    }
  }
})

test('while groups by another field are loading, the old groups are not shown under the new heading', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await decide(service.client, 'x9.kinds', 1, 0)
  await visit(listOf('flavor:x9.kinds', '&group=project'))
  await expect(gridOf(page, 'Decisions by project').getByRole('link', { name: 'no project: 1, open them', exact: true })).toBeVisible()
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/graphql', async (route) => {
    if (operationOf(route.request()).includes('query DecisionGroups')) await held
    await route.continue()
  })
  await page.getByRole('combobox', { name: 'Group by' }).selectOption({ label: 'By profile' })
  await expect(page.getByRole('status', { name: 'Decisions are being counted' })).toBeVisible()
  await expect(page.getByText('no profile')).toHaveCount(0)
  release()
  await expectRowCount(page, 'Decisions by profile', 1)
  await expect(gridOf(page, 'Decisions by profile').getByRole('link', { name: 'default@0: 1, open them', exact: true })).toBeVisible()
})

test('a group is opened by keyboard, and the grouping is in the URL', { tag: '@rare' }, async ({ page, visit, service }) => {
  await decide(service.client, 'x4.one', 1, 0)
  await decide(service.client, 'x4.two', 0, 2)
  await visit(listOf('flavor:x4.*', '&group=flavor'))
  const label = 'Decisions by flavor'
  await expectRowCount(page, label, 2)
  await expect(rowsOf(page, label).first()).toContainText('x4.two')
  await page.reload()
  await expectRowCount(page, label, 2)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expectRowCount(page, 'Decisions', 2)
  expect(filterOf(page)).toBe('flavor:x4.* flavor:x4.two')
})

test('columns that are added to the list are in the URL', { tag: '@rare' }, async ({ page, visit, service }) => {
  await decide(service.client, 'x2.columns', 1, 0)
  await visit(listOf('flavor:x2.columns'))
  await expect(gridOf(page, 'Decisions').getByRole('columnheader', { name: 'Took' })).toBeVisible()
  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  await page.getByRole('dialog', { name: 'Columns' }).getByRole('checkbox', { name: 'Revision' }).check()
  await expect(page).toHaveURL(/cols=[^&]*revision/)
  await page.keyboard.press('Escape')
  const link = rowWith(page, 'Decisions', 'x2.columns').getByRole('link', { name: /^The fleet at revision/ })
  await link.click()
  await expect(page).toHaveURL(/\/hosts\?at=\d+/)
})

test('appearance: the histogram of decisions, a selected range, and groups @looks', { tag: '@rare' }, async ({
  page,
  visit,
  look,
  service,
}) => {
  await decide(service.client, 'x5.looked', 2, 2)
  await visit(listOf(`flavor:x5.* at>=${yesterday()}`))
  await expectRowCount(page, 'Decisions', 4)
  await chart(page).focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Shift+ArrowLeft')
  await histogram(page).getByText('As a table').click()
  await look('decisions over time')
  await page.goto(listOf('flavor:x5.*', '&group=cause'))
  await expectRowCount(page, 'Decisions by cause', 2)
  await look('decisions by cause')
})
