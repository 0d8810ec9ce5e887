import { useCallback, useState } from 'react'

const keyOf = (name: string): string => `gantt.draft.${name}`

/**
 * A draft under a unique name. It is stored in this tab until it is applied or dropped, so that it survives a reload and an expired key.
 * `read` returns undefined for an invalid draft.
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
        // without storage space the draft is lost when the page is closed
      }
    },
    [name],
  )
  return { draft, keep }
}
