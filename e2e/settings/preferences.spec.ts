import { expect, type Page, test } from '../fixtures.ts'
import { gridOf, rowsOf } from '../grid.ts'

test.describe('with forced colours', () => {
  test.use({ contextOptions: { forcedColors: 'active' } })

  test('with forced colours the pages stay readable, and the row of the cursor and the focused button stay visible', {
    tag: '@rare',
  }, async ({ page, visit, axe, service }) => {
    await visit('/hosts')
    await expect(rowsOf(page, 'Hosts').first()).toBeVisible()
    await gridOf(page, 'Hosts').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const [first, second] = [rowsOf(page, 'Hosts').nth(0), rowsOf(page, 'Hosts').nth(1)]
    await expect(second).toHaveAttribute('aria-selected', 'true')
    expect(await lookOf(second)).not.toEqual(await lookOf(first))
    await axe('hosts')
    await page.goto(`/decisions/${encodeURIComponent(service.seed.refused.decisionId)}?all=yes`)
    await expect(page.locator('[data-headline]')).toBeVisible()
    await axe('a decision')
    await page.goto(`/aggregates/${service.seed.aggregates.fast}`)
    await expect(page.getByRole('heading', { name: 'fast-disks', level: 1 })).toBeVisible()
    await axe('an aggregate')
    await page.keyboard.press('Tab')
    const focused = page.getByRole('link', { name: 'Skip to the content' })
    await expect(focused).toBeFocused()
    expect(await focused.evaluate((one) => getComputedStyle(one).outlineStyle)).not.toBe('none')
  })
})

test.describe('with reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })

  test('with reduced motion no animation or transition takes a visible time', { tag: '@rare' }, async ({ page, visit }) => {
    await visit('/hosts')
    await expect(rowsOf(page, 'Hosts').first()).toBeVisible()
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    expect(await longestMotion(page)).toBeLessThanOrEqual(1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('textbox', { name: 'Search and go' })).toBeVisible()
    expect(await longestMotion(page)).toBeLessThanOrEqual(1)
  })
})

test.describe('at a zoom of 200 %', () => {
  test.use({ viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 })

  test('the reason why a host was refused is found', { tag: '@rare' }, async ({ page, visit, service }) => {
    await visit('/hosts')
    await page.getByRole('button', { name: 'Navigation' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Decisions' }).click()
    await page.getByRole('combobox', { name: 'Filter decisions' }).fill('flavor:m1.huge')
    await page.keyboard.press('Enter')
    await rowsOf(page, 'Decisions').first().click()
    await expect(page).toHaveURL(`/decisions/${encodeURIComponent(service.seed.refused.decisionId)}`)
    await page.getByLabel('Why not host').fill('az1-05')
    await page.getByRole('button', { name: 'Ask' }).click()
    await expect(page.getByRole('heading', { level: 3, name: /az1-05 was refused/ })).toBeInViewport()
  })
})

/** The styles of a row that remain visible if the system sets the colours. */
const lookOf = (row: ReturnType<Page['locator']>): Promise<string[]> =>
  row.evaluate((one) => {
    const { backgroundColor, outlineStyle, borderStyle, color } = getComputedStyle(one)
    return [backgroundColor, outlineStyle, borderStyle, color]
  })

/** The longest duration of an animation or transition on the page, in milliseconds. */
const longestMotion = (page: Page): Promise<number> =>
  page.evaluate(() =>
    Math.max(
      0,
      ...[...document.querySelectorAll('*')].flatMap((one) => {
        const { animationDuration, animationName, transitionDuration } = getComputedStyle(one)
        const times = [...(animationName === 'none' ? [] : animationDuration.split(',')), ...transitionDuration.split(',')]
        return times.map((time) => Number.parseFloat(time) * (time.trim().endsWith('ms') ? 1 : 1_000))
      }),
    ),
  )
