/**
 * True while a dialog of the shell (app/dialogs.tsx) covers the page. A page that opens below the dialog moves the focus only after the
 * dialog was closed.
 */
let isCovered = false
const waiting = new Set<() => void>()

/** The shell calls this when its dialogs open and close. */
export function coverPage(covered: boolean): void {
  isCovered = covered
  if (covered) return
  for (const run of waiting) run()
  waiting.clear()
}

/** Calls a function at once, or when no dialog covers the page any more. Returns a function that cancels the call. */
export function whenUncovered(run: () => void): () => void {
  if (isCovered) waiting.add(run)
  else run()
  return () => void waiting.delete(run)
}
