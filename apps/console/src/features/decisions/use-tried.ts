import { useCallback, useEffect, useRef, useState } from 'react'
import { useLatest } from '../../lib/use-latest.ts'
import { printTried, readTried, type Tried } from './try-out.ts'

/** The address follows a slider after so long, milliseconds: browsers refuse it to be written with every pixel. */
const SETTLED_MS = 200

/** The multipliers that are tried: at once on the page, a moment later in the address, and from there by a link. */
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
