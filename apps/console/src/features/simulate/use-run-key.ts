import { useEffect, useRef } from 'react'
import { isDialogOpen } from '../../lib/keys.ts'

/** Ctrl Enter (on a Mac, Cmd Enter) from anywhere on the page, out of a field too. */
export function useRunKey(run: () => void): void {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isDialogOpen()) return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}
