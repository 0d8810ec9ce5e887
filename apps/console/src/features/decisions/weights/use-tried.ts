import { useCallback, useEffect, useRef, useState } from 'react'
import { useLatest } from '../../../lib/service/use-latest.ts'
import { printTried, readTried, type Tried } from './try-out.ts'

/** The delay before a slider's value is written to the URL, milliseconds: browsers limit how often it may change. */
const SETTLED_MS = 200

/** The changed multipliers: at once on the page, with a delay in the URL. */
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
      }, SETTLED_MS)
    },
    [latest],
  )
  return [tried, change]
}
