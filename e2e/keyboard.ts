import { expect, type Locator, type Page } from '@playwright/test'

/** Far more stops than lie between two headings of a page. */
const MOST_STOPS = 80

/** Goes on with Tab until something has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let i = 0; i < MOST_STOPS && !(await target.evaluate((one) => one === document.activeElement)); i++) await page.keyboard.press('Tab')
  await expect(target).toBeFocused()
}

/**
 * Presses the keys of a sequence (`g h`) as fast as a hand would: the browser stamps each when it comes, however long the page is
 * busy with the one before. Waiting for each to be answered makes of a busy page a slow hand, whose `g` is forgotten.
 */
export async function pressSequence(page: Page, sequence: string): Promise<void> {
  await Promise.all(sequence.split(' ').map((key) => page.keyboard.press(key)))
}

/**
 * Waits until a menu that was opened has given its first item the focus for the last time. It gives it twice, the second time after
 * it was painted: what a hand presses comes later, what a test presses may come in between, and is undone then.
 */
export async function expectAtFirst(page: Page, menu: Locator): Promise<void> {
  await expect(menu.getByRole('menuitem').first()).toBeFocused()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))))
}
