/** What code needs of an AbortSignal in order to stop at the end of a call. An AbortSignal is one. */
export interface EndOfCall {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The end of a call, which happens once. Each call has two of them, and an AbortController costs more time than all rules of a small call. */
export class CallEnd implements EndOfCall {
  #listeners: Set<() => void> | undefined
  #aborted = false

  get aborted(): boolean {
    return this.#aborted
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#aborted) return
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener)
  }

  /** Calls the listeners. Further calls have no effect. An error of a listener is thrown later and alone, as for an AbortSignal. */
  abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    for (const listener of this.#listeners ?? [])
      try {
        listener()
      } catch (error) {
        process.nextTick(() => {
          throw error
        })
      }
    this.#listeners = undefined
  }
}
