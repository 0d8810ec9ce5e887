import { expect, type Locator, type Page } from '@playwright/test'

/** Every element that a test looks for has the focus after at most this many presses of Tab. */
const MAX_TAB_STOPS = 80

/** Presses Tab until an element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let i = 0; i < MAX_TAB_STOPS && !(await target.evaluate((one) => one === document.activeElement)); i++)
    await page.keyboard.press('Tab')
  await expect(target).toBeFocused()
}

/**
 * Presses the keys of a sequence such as `g h` as fast as a person would. The browser records when each key arrives, even if the page is
 * busy. The function does not wait for the effect of a key, because the next key could then arrive after the time limit of sequences.
 */
export async function pressSequence(page: Page, sequence: string): Promise<void> {
  await Promise.all(sequence.split(' ').map((key) => page.keyboard.press(key)))
}

/**
 * Waits until an opened menu has finally focused its first item. The menu focuses the item twice, the second time after the menu was
 * painted, so a key that is pressed in between would have no effect.
 */
export async function expectAtFirst(page: Page, menu: Locator): Promise<void> {
  await expect(menu.getByRole('menuitem').first()).toBeFocused()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))))
}
