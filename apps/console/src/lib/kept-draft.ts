import { useCallback, useState } from 'react'

const keyOf = (name: string): string => `gantt.draft.${name}`

/**
 * A draft of something, by a name that no other has. It outlives a reload and an expired key: it is kept in this tab until it is
 * applied or dropped. `read` answers undefined for what is no such draft.
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
        // a browser without room for it forgets it with the page
      }
    },
    [name],
  )
  return { draft, keep }
}
