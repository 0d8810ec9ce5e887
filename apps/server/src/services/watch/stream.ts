/** Events for one reader, delivered one at a time. Reader and source can both end the stream. */
export interface Stream<Event> extends AsyncIterableIterator<Event> {
  return(): Promise<IteratorResult<Event>>
}

export interface StreamOptions<Event> {
  /** Begins to listen for events. Returns a function that stops listening. `fail` ends the stream with an error for its reader. */
  start(push: (event: Event) => void, fail: (error: unknown) => void): () => void
  /** Adds a new event to the events that wait for the reader, and combines events if too many wait. */
  merge(pending: Event[], event: Event): Event[]
  ended(): void
}

/** Creates a stream that listens from this call on. If the reader is slow, `merge` limits how many events wait. */
export function createStream<Event>({ start, merge, ended }: StreamOptions<Event>): Stream<Event> {
  let pending: Event[] = []
  let reader: { resolve(result: IteratorResult<Event>): void; refuse(error: unknown): void } | undefined
  let isOver = false
  let failure: { readonly error: unknown } | undefined
  const push = (event: Event): void => {
    if (isOver) return
    if (reader === undefined) {
      pending = merge(pending, event)
      return
    }
    const { resolve } = reader
    reader = undefined
    resolve({ done: false, value: event })
  }
  const fail = (error: unknown): void => {
    if (isOver) return
    if (reader === undefined) failure = { error }
    else reader.refuse(error)
    reader = undefined
    void end()
  }
  const stop = start(push, fail)
  const end = (): Promise<IteratorResult<Event>> => {
    if (!isOver) {
      isOver = true
      stop()
      pending = []
      ended()
      reader?.resolve({ done: true, value: undefined })
    }
    return Promise.resolve({ done: true, value: undefined })
  }
  return {
    next() {
      const event = pending.shift()
      if (event !== undefined) return Promise.resolve({ done: false, value: event })
      if (failure !== undefined) {
        const { error } = failure
        failure = undefined
        return Promise.reject(error)
      }
      if (isOver) return Promise.resolve({ done: true, value: undefined })
      return new Promise((resolve, refuse) => {
        reader = { resolve, refuse }
      })
    },
    return: end,
    throw: end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/**
 * A stream of the results of `read`, which is called when `due` has an event and the reader wants the next result. A result of undefined is
 * left out. If `read` fails, the stream ends with the error.
 */
export function readWhenDue<Event>(due: Stream<unknown>, read: () => Promise<Event | undefined>): Stream<Event> {
  const end = async (): Promise<IteratorResult<Event>> => {
    await due.return()
    return { done: true, value: undefined }
  }
  return {
    async next() {
      for (;;) {
        const { done } = await due.next()
        if (done) return { done: true, value: undefined }
        try {
          const value = await read()
          if (value !== undefined) return { done: false, value }
        } catch (error) {
          await due.return()
          throw error
        }
      }
    },
    return: end,
    throw: end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
