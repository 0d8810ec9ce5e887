import { useCallback, useEffect, useRef, useState } from 'react'
import { useLatest } from '../../../lib/service/use-latest.ts'
import { printTried, readTried, type Tried } from './try-out.ts'

/** The value of a slider is written to the URL after this many milliseconds, because browsers limit how often the URL can change. */
const DEBOUNCE_MS = 200

/** A hook for the changed multipliers. The page shows a change at once, and the URL contains the change after a delay. */
export function useTried(text: string | undefined, onText: (text: string | undefined) => void): readonly [Tried, (tried: Tried) => void] {
  const [tried, setTried] = useState(() => readTried(text))
  const written = useRef(text)
  const latest = useLatest(onText)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (text === written.current) return
    written.current = text
    setTried(readTried(text))
  }, [text])
  useEffect(() => () => clearTimeout(timer.current), [])
  const change = useCallback(
    (next: Tried) => {
      setTried(next)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        written.current = printTried(next)
        latest.current(written.current)
      }, DEBOUNCE_MS)
    },
    [latest],
  )
  return [tried, change]
}
