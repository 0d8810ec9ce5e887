/** The listeners to one kind of event. */
export interface Listeners<Event> {
  /** Returns a function that removes the listener. */
  add(listener: (event: Event) => void): () => void
  notify(event: Event): void
}

/**
 * `onFailed` is called with the error of a listener, and the remaining listeners are then called. Without `onFailed`, `notify` throws the
 * error, and the remaining listeners are not called.
 */
export function createListeners<Event>(onFailed?: (error: unknown, event: Event) => void): Listeners<Event> {
  const listeners = new Set<(event: Event) => void>()
  return {
    add(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify(event) {
      for (const listener of listeners) {
        try {
          listener(event)
        } catch (error) {
          if (onFailed === undefined) throw error
          onFailed(error, event)
        }
      }
    },
  }
}
