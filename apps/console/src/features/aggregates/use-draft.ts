import { useCallback, useState } from 'react'
import { type Draft, readDraft } from './draft.ts'

const nameOf = (uuid: string): string => `gantt.draft.${uuid}`

/** The draft of one aggregate. It outlives a reload and an expired key: it is kept in this tab until it is applied or dropped. */
export function useDraft(uuid: string) {
  const [draft, setDraft] = useState<Draft | undefined>(() => readDraft(sessionStorage.getItem(nameOf(uuid))))
  const keep = useCallback(
    (next: Draft | undefined): void => {
      if (next === undefined) sessionStorage.removeItem(nameOf(uuid))
      else sessionStorage.setItem(nameOf(uuid), JSON.stringify(next))
      setDraft(next)
    },
    [uuid],
  )
  return { draft, keep }
}
