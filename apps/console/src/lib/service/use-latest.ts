import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Stores the value from the last rendering that was shown, for handlers that are called later: clicks, keys, timers, streams. The value is
 * not stored during the rendering, because React can discard a rendering or show it much later. Until then the user sees the previous page.
 */
export function useLatest<Value>(value: Value): Readonly<RefObject<Value>> {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
