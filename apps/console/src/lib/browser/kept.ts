import { useSyncExternalStore } from 'react'

/** A value that is stored in this browser for all its tabs. */
export interface Kept<Value> {
  get(): Value
  /** Stores the value. If the browser cannot store it, the value is only valid until the page is closed. */
  set(value: Value): void
  /** A hook that returns the value and follows changes by any tab. */
  use(): Value
}

/** `read` parses the stored value. It gets undefined if no value is stored, or if the value is not JSON. */
export function createKept<Value>(name: string, read: (kept: unknown) => Value): Kept<Value> {
  const key = `gantt.${name}`
  const listeners = new Set<() => void>()
  let held: { readonly value: Value } | undefined

  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  // a key of null means that the whole storage was cleared
  globalThis.addEventListener?.('storage', (event: StorageEvent) => {
    if (event.key !== null && event.key !== key) return
    held = undefined
    notify()
  })
  const get = (): Value => {
    held ??= { value: read(stored(key)) }
    return held.value
  }
  const follow = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get,
    set(value) {
      held = { value }
      try {
        localStorage.setItem(key, JSON.stringify(value))
      } catch {
        // without storage the value is lost when the page is closed
      }
      notify()
    },
    use: () => useSyncExternalStore(follow, get),
  }
}

function stored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}
