/** Those who follow something: each is told, and none that fails keeps the others from it. */
export interface Listeners<Event> {
  /** Answers how to stop. */
  add(listener: (event: Event) => void): () => void
  tell(event: Event): void
}

/** `onFailed` learns of a listener that throws; without it the error goes to who tells. */
export function createListeners<Event>(onFailed?: (error: unknown, event: Event) => void): Listeners<Event> {
  const listeners = new Set<(event: Event) => void>()
  return {
    add(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell(event) {
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
