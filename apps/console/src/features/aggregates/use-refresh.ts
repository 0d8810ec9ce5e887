import { useEffect } from 'react'

/** The interval in milliseconds at which the page reads its data again, to show edits of other operators. */
export const REFRESH_MS = 10_000

/** Calls `refetch` every REFRESH_MS milliseconds while the component is mounted. */
export function useRefresh(refetch: () => unknown): void {
  useEffect(() => {
    const timer = setInterval(() => void refetch(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [refetch])
}
