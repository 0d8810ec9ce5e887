/**
 * The parts of the page within which the focus stays when an element is removed. A menu or a dialog returns the focus itself when it
 * closes.
 */
const AREAS = 'main, header, nav, [role=dialog]'
/** Fields in which the user types or selects values, so that single keys are not shortcuts there. */
const TYPED = 'input:not([type=checkbox], [type=radio]), select, textarea'
/** Elements that can be stops of the Tab key. */
const STOPS = 'a[href], button, input, select, textarea, summary, [tabindex]'

/**
 * If the element with the focus is removed, moves the focus to the next element after its former place or, if there is none, to the nearest
 * element before this place. Otherwise the browser would move the focus to the body, where a screen reader starts again at the top of the
 * page. An element that was only moved, or that was disabled for a while, gets the focus back. Returns a function that ends this behaviour.
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
  // if the parent of the element was removed too, the place is that of the parent
  if (!target.isConnected) return placeOf(target, records.slice(at + 1))
  if (!(target instanceof Element)) return undefined
  return { parent: target, after: lastLeft(target, previousSibling, records.slice(at + 1)) }
}

/** The nearest sibling before the place that is still in the parent after all later changes. Null if there is none. */
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

/** The elements that may get the focus. Input fields do not get it, because the keys of shortcuts would then be typed into them. */
const stopsIn = (element: Element): readonly HTMLElement[] =>
  [...element.querySelectorAll<HTMLElement>(STOPS)].filter(
    (stop) => stop.tabIndex >= 0 && !stop.matches(`:disabled, ${TYPED}`) && stop.checkVisibility(),
  )

const isBefore = (stop: Node, { parent, after }: Place): boolean => {
  if (after === null) return (parent.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_PRECEDING) !== 0
  return after.contains(stop) || (after.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_PRECEDING) !== 0
}
