import { useEffect } from 'react'

/** The interval of reads, after which edits of others are shown, milliseconds. */
export const REFRESH_MS = 10_000

/** Reads again at this interval while the component is mounted. */
export function useRefresh(refetch: () => unknown): void {
  useEffect(() => {
    const timer = setInterval(() => void refetch(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [refetch])
}
