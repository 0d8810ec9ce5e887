import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * The value in the shown page, for handlers that are called later: clicks, keys, timers, streams. It is not written
 * during rendering, because a rendering may be discarded, or be shown much later, and until then the user acts on the
 * page from before.
 */
export function useLatest<Value>(value: Value): Readonly<RefObject<Value>> {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
