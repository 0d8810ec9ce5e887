import { expect, test } from '../fixtures.ts'
import { expectNoSidewaysScroll, expectWholeHeadings, expectWholeTables } from '../layout.ts'

// Pages at the width of a monitor, of half a large monitor, and of a phone. Nothing may be beyond the edge, and headings of tables must not
// be cut. At the width of a monitor no table needs scrolling. On narrower pages, long tables have their own scroll bars.

const MONITOR = 1_280
const WIDTHS = [MONITOR, 1_024, 400]

/** The tested pages, each with an element that is visible once the page has its data. */
const PAGES = [
  ['/overview', '[data-flavor] [data-fits]'],
  ['/hosts', '[aria-rowindex="2"]'],
  ['/hosts/az2-01', 'table'],
  ['/decisions', '[aria-rowindex="2"]'],
  ['/aggregates', '[aria-rowindex="2"]'],
  ['/simulate', 'h1'],
  ['/profiles', '[aria-rowindex="2"]'],
  ['/profiles/default', 'table'],
  ['/claims', '[aria-rowindex="2"]'],
  ['/replicas', '[aria-rowindex="2"]'],
  ['/audit', '[aria-rowindex="2"]'],
  ['/keys', '[aria-rowindex="2"]'],
  ['/settings', '[data-setting=PORT]'],
] as const

test('every page fits at the width of a monitor, of half a large one, and of a phone', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const { seed } = service
  for (const [path, loaded] of [
    ...PAGES,
    [`/decisions/${seed.refused.decisionId}`, '[aria-rowindex="2"]'],
    [`/decisions/${seed.placed.decisionId}`, '[aria-label=Weights] table'],
    [`/aggregates/${seed.aggregates.fast}`, '[aria-rowindex="2"]'],
  ] as const) {
    await page.setViewportSize({ width: MONITOR, height: 720 })
    await visit(path)
    await expect(page.locator('main').locator(loaded).first()).toBeVisible()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 720 })
      const state = `${path} at ${width} pixels`
      await expectNoSidewaysScroll(page, state)
      await expectWholeHeadings(page, state)
      if (width === MONITOR) await expectWholeTables(page, state)
    }
  }
})
