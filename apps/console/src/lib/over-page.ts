/** Whether one of the shell's dialogs lies over the page: a page that opens below it leaves the keyboard to it. */
let isCovered = false
const waiting = new Set<() => void>()

/** The shell shows when its dialogs open and close. */
export function coverPage(covered: boolean): void {
  isCovered = covered
  if (covered) return
  for (const run of waiting) run()
  waiting.clear()
}

/** Runs at once, or when no dialog is over the page any more. The answer calls it off. */
export function whenUncovered(run: () => void): () => void {
  if (isCovered) waiting.add(run)
  else run()
  return () => void waiting.delete(run)
}
