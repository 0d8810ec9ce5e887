import { whenUncovered } from './over-page.ts'

/** Something that the page offers to do about what it shows, as it stands there. */
export interface PageAction {
  readonly label: string
  /** Why it cannot be done at present; undefined: it can. */
  readonly why: string | undefined
  /** The same as a press on it, from where it stands. */
  run(): void
}

/** Marks a button or a link of a page as an action. */
export const pageAction = { 'data-page-action': true } as const

/** What the page offers now, in its order; of those in rows of a table only those of the current row. */
export const actionsOfPage = (): readonly PageAction[] =>
  [...document.querySelectorAll<HTMLElement>('main [data-page-action]')].filter(isOffered).map((element) => ({
    label: element.getAttribute('aria-label') ?? element.textContent,
    why: whyNot(element),
    run() {
      element.focus()
      element.click()
    },
  }))

const isOffered = (element: HTMLElement): boolean =>
  element.checkVisibility() && element.closest('[role=row]')?.getAttribute('aria-selected') !== 'false'

function whyNot(element: HTMLElement): string | undefined {
  if (element.ariaDisabled !== 'true' && !element.matches(':disabled')) return undefined
  return element.getAttribute('aria-description') ?? 'Not now.'
}

/** Those of some actions that have a part of a name, to be listed; one that cannot be done says why, and stays. */
export const offersOf = (offered: readonly PageAction[], part: string) =>
  offered
    .filter(({ label }) => label.toLowerCase().includes(part.trim().toLowerCase()))
    .map(({ label, why, run }, i) => ({
      id: `${i} ${label}`,
      label,
      ...(why === undefined
        ? // what it opens comes once this is closed
          { onClick: () => void whenUncovered(run) }
        : { description: why, 'aria-disabled': true, closeSpotlightOnTrigger: false }),
    }))
