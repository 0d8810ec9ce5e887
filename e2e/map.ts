import type { Locator, Page } from '@playwright/test'
import { type Box, settled } from './layout.ts'

export const mapOf = (page: Page): Locator => page.getByRole('application', { name: /^Map of/ })

/** The box of the map once its layout is final. */
export const boxOfMap = (page: Page): Promise<Box> => boxInMap(page, undefined)

/** The middle of the cell at the map's cursor, once the layout of the map is final. */
export async function cursorOf(page: Page): Promise<{ readonly x: number; readonly y: number }> {
  const { x, y, width, height } = await boxInMap(page, '.g-map-cursor')
  return { x: x + width / 2, y: y + height / 2 }
}

/** The box of a part of the map. If `part` is undefined, the box of the whole map. */
const boxInMap = (page: Page, part: string | undefined): Promise<Box> =>
  settled(part ?? 'the map', () =>
    mapOf(page).evaluate((scroller, selector) => {
      const drawn = scroller.parentElement?.querySelector('canvas')?.getBoundingClientRect().width ?? 0
      const box = (selector === undefined ? scroller : scroller.querySelector(selector))?.getBoundingClientRect()
      if (box === undefined || Math.abs(drawn - scroller.clientWidth) >= 1) return undefined
      return { x: box.x, y: box.y, width: box.width, height: box.height }
    }, part),
  )
