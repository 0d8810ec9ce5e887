import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * A value as the page that is seen has it, for what is called later: hands, keys, timers, streams. It is not written while React
 * draws: what it draws may be given up, or come much later, and until then one acts on the page from before.
 */
export function useLatest<Value>(value: Value): Readonly<RefObject<Value>> {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
