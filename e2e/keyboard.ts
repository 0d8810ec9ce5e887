import { expect, type Locator, type Page } from '@playwright/test'

/** Far more stops than lie between two headings of a page. */
const MOST_STOPS = 80

/** Goes on with Tab until something has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let i = 0; i < MOST_STOPS && !(await target.evaluate((one) => one === document.activeElement)); i++) await page.keyboard.press('Tab')
  await expect(target).toBeFocused()
}
