/** The parts of the page within which the focus stays. A menu or a dialog that closes returns the focus itself. */
const AREAS = 'main, header, nav, [role=dialog]'
/** Fields that take the keys that are typed. */
const TYPED = 'input:not([type=checkbox], [type=radio]), select, textarea'
const STOPS = 'a[href], button, input, select, textarea, summary, [tabindex]'

/**
 * Keeps the focus in its place if the element that has it is removed: what now stands in its place gets the focus, or else the nearest
 * element before it. Otherwise the browser would give the focus to the body, where a screen reader starts again at the top of the page. An
 * element that was only moved, or that was disabled for a while, gets the focus back. Returns a function that ends this.
 */
export function keepFocus(): () => void {
  let held: HTMLElement | undefined
  const check = (records: readonly MutationRecord[]): void => {
    if (held === undefined || document.activeElement !== document.body || held.matches(':disabled')) return
    const target = held.isConnected ? records.some((record) => concerns(record, held)) && held : neighbourOf(placeOf(held, records))
    if (target instanceof HTMLElement) target.focus({ preventScroll: true })
  }
  const observer = new MutationObserver(check)
  const onFocus = ({ target }: FocusEvent): void => {
    held = target instanceof HTMLElement ? target : undefined
  }
  // The browser reports the loss of the focus before it removes an element, so the element can only be checked afterwards.
  const onBlur = (): void =>
    queueMicrotask(() => {
      check(observer.takeRecords())
      const isLeft = document.activeElement === document.body && held?.isConnected === true && !held.matches(':disabled')
      if (isLeft) held = undefined
    })
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] })
  document.addEventListener('focusin', onFocus)
  document.addEventListener('focusout', onBlur)
  return () => {
    observer.disconnect()
    document.removeEventListener('focusin', onFocus)
    document.removeEventListener('focusout', onBlur)
  }
}

/** True if the change moved the element, or enabled it again. */
const concerns = ({ type, target, removedNodes }: MutationRecord, element: Node | undefined): boolean =>
  element !== undefined && (type === 'attributes' ? target.contains(element) : [...removedNodes].some((node) => node.contains(element)))

/** A place between two children of an element: after the child `after`, or before all children. */
interface Place {
  readonly parent: Element
  readonly after: Node | null
}

/** The place from which an element was removed. Undefined if the changes do not contain its removal. */
function placeOf(removed: Node, records: readonly MutationRecord[]): Place | undefined {
  const top = removed.getRootNode()
  const at = records.findLastIndex(({ removedNodes }) => [...removedNodes].includes(top as ChildNode))
  const record = records[at]
  if (record === undefined) return undefined
  const { target, previousSibling } = record
  // if its parent was removed too, the place is that of the parent
  if (!target.isConnected) return placeOf(target, records.slice(at + 1))
  if (!(target instanceof Element)) return undefined
  return { parent: target, after: lastLeft(target, previousSibling, records.slice(at + 1)) }
}

/** The nearest sibling before the place that later changes left in the parent. */
function lastLeft(parent: Element, before: Node | null, records: readonly MutationRecord[]): Node | null {
  if (before === null || before.parentNode === parent) return before
  const at = records.findIndex(({ removedNodes }) => [...removedNodes].includes(before as ChildNode))
  return lastLeft(parent, records[at]?.previousSibling ?? null, records.slice(at + 1))
}

/** The element that gets the focus instead of one that was removed from a place. */
function neighbourOf(place: Place | undefined): HTMLElement | undefined {
  const area = place?.parent.closest<HTMLElement>(AREAS)
  if (place === undefined || area == null) return undefined
  for (let within: Element | null = place.parent; within !== null && within !== area; within = within.parentElement) {
    const stops = stopsIn(within)
    const next = stops.find((stop) => !isBefore(stop, place)) ?? stops.at(-1)
    // a list is one stop, and its keys move within it
    if (next !== undefined) return next.closest<HTMLElement>('[role=grid]') ?? next
  }
  return area.querySelector<HTMLElement>('h1') ?? stopsIn(area)[0] ?? area
}

/** The elements that may get the focus. Fields for text do not get it, because they would take the keys that are shortcuts of the page. */
const stopsIn = (element: Element): readonly HTMLElement[] =>
  [...element.querySelectorAll<HTMLElement>(STOPS)].filter(
    (stop) => stop.tabIndex >= 0 && !stop.matches(`:disabled, ${TYPED}`) && stop.checkVisibility(),
  )

const isBefore = (stop: Node, { parent, after }: Place): boolean => {
  if (after === null) return (parent.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_PRECEDING) !== 0
  return after.contains(stop) || (after.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_PRECEDING) !== 0
}
