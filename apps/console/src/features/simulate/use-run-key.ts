import { useEffect } from 'react'
import { isDialogOpen } from '../../lib/browser/keys.ts'
import { useLatest } from '../../lib/service/use-latest.ts'

/** Handles Ctrl Enter (on a Mac, Cmd Enter) anywhere on the page, including fields. */
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
