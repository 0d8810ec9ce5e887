import { expect, type Locator, type Page } from '@playwright/test'

export const mapOf = (page: Page): Locator => page.getByRole('application', { name: /^Map of/ })

/** The middle of the cell that the map's cursor is on, once the map is laid out for the room that it has. */
export async function cursorOf(page: Page): Promise<{ readonly x: number; readonly y: number }> {
  let found = { x: Number.NaN, y: Number.NaN }
  await expect
    .poll(async () => {
      const before = found
      found = await mapOf(page).evaluate((scroller) => {
        const drawn = scroller.parentElement?.querySelector('canvas')?.getBoundingClientRect().width ?? 0
        const box = scroller.querySelector('.g-map-cursor')?.getBoundingClientRect()
        const isLaidOut = box !== undefined && Math.abs(drawn - scroller.clientWidth) < 1
        return isLaidOut ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : { x: Number.NaN, y: Number.NaN }
      })
      return found.x === before.x && found.y === before.y
    }, 'the cursor of the map stays where it is')
    .toBe(true)
  return found
}
