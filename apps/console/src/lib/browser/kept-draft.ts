import { useCallback, useState } from 'react'

const keyOf = (name: string): string => `gantt.draft.${name}`

/**
 * A hook for a draft that is stored in this tab under a unique name until it is applied or dropped. The draft therefore survives a reload
 * of the page, and the end of the API key. `read` returns undefined for an invalid draft.
 */
export function useKeptDraft<Draft>(name: string, read: (text: string | null) => Draft | undefined) {
  const [draft, setDraft] = useState<Draft | undefined>(() => read(sessionStorage.getItem(keyOf(name))))
  const keep = useCallback(
    (next: Draft | undefined): void => {
      setDraft(next)
      try {
        if (next === undefined) sessionStorage.removeItem(keyOf(name))
        else sessionStorage.setItem(keyOf(name), JSON.stringify(next))
      } catch {
        // if the browser has no storage, the draft is lost when the page is closed
      }
    },
    [name],
  )
  return { draft, keep }
}
