import { useEffect } from 'react'

/** The interval in milliseconds at which the page reads again, to show edits of other operators. */
export const REFRESH_MS = 10_000

/** Reads again at this interval while the component is mounted. */
export function useRefresh(refetch: () => unknown): void {
  useEffect(() => {
    const timer = setInterval(() => void refetch(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [refetch])
}
