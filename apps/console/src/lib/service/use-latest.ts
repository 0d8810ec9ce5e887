import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * The latest value of the shown page, for handlers that are called later: clicks, keys, timers, streams. The value is not written during
 * rendering, because React may discard a rendering or show it much later. Until then the user acts on the earlier page.
 */
export function useLatest<Value>(value: Value): Readonly<RefObject<Value>> {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
