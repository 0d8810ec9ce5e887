import { expect, type Locator, type Page } from '@playwright/test'

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Reads a value until two consecutive reads are equal, because content that is loaded later can move an element. A read returns `undefined`
 * if there is no value yet.
 */
export async function settled<Value>(what: string, read: () => Promise<Value | undefined>): Promise<Value> {
  let found: Value | undefined
  await expect
    .poll(async () => {
      const before = found
      found = await read()
      return found !== undefined && JSON.stringify(found) === JSON.stringify(before)
    }, `${what} does not move`)
    .toBe(true)
  if (found === undefined) throw new Error(`${what} has no position`)
  return found
}

/** The box of an element once it no longer moves. */
export const boxOf = (target: Locator): Promise<Box> => settled(`${target}`, async () => (await target.boundingBox()) ?? undefined)

/** Asserts that nothing of the page, including its header, is beyond the right edge. Wider content must have its own scroll bar. */
export async function expectNoSidewaysScroll(page: Page, state: string): Promise<void> {
  const over = (): Promise<number> =>
    page.evaluate(() => {
      const edge = document.documentElement.clientWidth
      // Content of the page's fixed header does not make the page wider, so it is measured separately. Headers of dialogs are not fixed.
      const inHeader = [...document.querySelectorAll('header')]
        .filter((header) => getComputedStyle(header).position === 'fixed')
        .flatMap((header) => [...header.querySelectorAll('*')])
        .map((element) => element.getBoundingClientRect().right - edge)
      return Math.round(Math.max(document.documentElement.scrollWidth - edge, ...inHeader))
    })
  await expect.poll(over, `pixels of ${state} beyond the right edge`).toBeLessThanOrEqual(0)
}

/** Asserts that every word in the headings of tables is on one line and not cut. */
export async function expectWholeHeadings(page: Page, state: string): Promise<void> {
  const broken = (): Promise<string[]> =>
    page.evaluate(() => {
      const found: string[] = []
      const range = document.createRange()
      for (const head of document.querySelectorAll('thead th, [role=columnheader]')) {
        // A table inside a closed `details` element is not visible.
        if (!head.checkVisibility()) continue
        const edge = head.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(head).paddingRight)
        const texts = document.createTreeWalker(head, NodeFilter.SHOW_TEXT)
        while (texts.nextNode() !== null) {
          const node = texts.currentNode as Text
          // This heading is the name of a checkbox column. It is for screen readers only, so it may be cut.
          if (node.parentElement?.closest('.g-table-unseen')) continue
          // A name may be broken at a zero-width space.
          for (const { index, 0: word } of node.data.matchAll(/[^\s\u200b]+/g)) {
            range.setStart(node, index)
            range.setEnd(node, index + word.length)
            const lines = [...range.getClientRects()].filter(({ width }) => width > 0)
            if (new Set(lines.map(({ top }) => Math.round(top))).size > 1) found.push(`${word} is broken`)
            else if (lines.some(({ right }) => right > edge + 0.5)) found.push(`${word} is cut`)
          }
        }
      }
      return found
    })
  await expect.poll(broken, `words in headings of tables, ${state}`).toEqual([])
}

/** Asserts that no table of the page has to be scrolled sideways, and that no number and no time in a list is cut. */
export async function expectWholeTables(page: Page, state: string): Promise<void> {
  const problems = (): Promise<string[]> =>
    page.evaluate(() => {
      const isWider = (element: Element): boolean => element.checkVisibility() && element.scrollWidth > element.clientWidth
      const tables = [...document.querySelectorAll('[role=grid], section:has(> table)')]
        .filter(isWider)
        .map((table) => `${table.getAttribute('aria-label')}: ${table.scrollWidth} of ${table.clientWidth} pixels`)
      const cells = [...document.querySelectorAll('[role=gridcell]')]
        .filter((cell) => isWider(cell) && (cell.matches('.number') || /^\d{4}-\d\d-\d\d /.test(cell.textContent)))
        .map((cell) => `${cell.textContent} is cut`)
      return [...tables, ...cells]
    })
  await expect.poll(problems, `tables that are too wide, and values that are cut, ${state}`).toEqual([])
}
