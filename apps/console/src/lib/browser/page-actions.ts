import { whenUncovered } from './over-page.ts'

/** An action on the content of the page. */
export interface PageAction {
  readonly label: string
  /** Why the action is not possible at present. Undefined if it is possible. */
  readonly why: string | undefined
  /** Has the same effect as a click on the action's button or link. */
  run(): void
}

/** The attribute that marks a button or a link of a page as an action. */
export const pageAction = { 'data-page-action': true } as const

/**
 * The present actions of the page, in the order of the page. If rows of a table have actions, only those of the current row are included.
 */
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
  return element.getAttribute('aria-description') ?? 'Not available now.'
}

/** The actions whose names contain a text, as entries of the palette. The entry of a disabled action has the reason. */
export const offersOf = (offered: readonly PageAction[], part: string) =>
  offered
    .filter(({ label }) => label.toLowerCase().includes(part.trim().toLowerCase()))
    .map(({ label, why, run }, i) => ({
      id: `${i} ${label}`,
      label,
      ...(why === undefined
        ? // the action opens its dialog once the palette is closed
          { onClick: () => void whenUncovered(run) }
        : { description: why, 'aria-disabled': true, closeSpotlightOnTrigger: false }),
    }))
