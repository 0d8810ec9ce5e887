import { useEffect } from 'react'
import { isDialogOpen } from '../../lib/keys.ts'
import { useLatest } from '../../lib/use-latest.ts'

/** Ctrl Enter (on a Mac, Cmd Enter) from anywhere on the page, out of a field too. */
export function useRunKey(run: () => void): void {
  const latest = useLatest(run)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isDialogOpen()) return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [latest])
}
