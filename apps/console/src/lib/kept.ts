import { useSyncExternalStore } from 'react'

/** Something that one keeps in this browser, for all of its tabs. */
export interface Kept<Value> {
  get(): Value
  /** Where the browser has no room or no storage it holds until the page is left. */
  set(value: Value): void
  /** The component follows it, whichever tab changes it. */
  use(): Value
}

/** `read` makes a value of whatever stands there, and of undefined where nothing does or what stands there is no JSON. */
export function createKept<Value>(name: string, read: (kept: unknown) => Value): Kept<Value> {
  const key = `gantt.${name}`
  const listeners = new Set<() => void>()
  let held: { readonly value: Value } | undefined

  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  // a key of null: everything was removed
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
        // a browser without storage forgets it with the page
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
