import { useEffect } from 'react'

/** Edits of others show by themselves after so long, milliseconds. */
export const REFRESH_MS = 10_000

/** Reads again from time to time, as long as the component is there. */
export function useRefresh(refetch: () => unknown): void {
  useEffect(() => {
    const timer = setInterval(() => void refetch(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [refetch])
}
