/** Events for one reader, delivered one at a time. Reader and source can both end the stream. */
export interface Stream<Event> extends AsyncIterableIterator<Event> {
  return(): Promise<IteratorResult<Event>>
}

/** The events that wait for one reader. */
export interface Waiting<Event> {
  /** Adds an event, and combines events if too many wait. */
  add(event: Event): void
  /** Removes the first event and returns it. Undefined if there is none. */
  take(): Event | undefined
  clear(): void
}

/** A short list of events that wait. `merge` adds an event to it, and combines events if too many wait. */
export function createWaitingList<Event>(merge: (pending: readonly Event[], event: Event) => Event[]): Waiting<Event> {
  let pending: Event[] = []
  return {
    add(event) {
      pending = merge(pending, event)
    },
    take: () => pending.shift(),
    clear() {
      pending = []
    },
  }
}

export interface StreamOptions<Event> {
  /** Begins to listen for events. Returns a function that stops listening. `fail` ends the stream with an error for its reader. */
  start(push: (event: Event) => void, fail: (error: unknown) => void): () => void
  /** Keeps the events for which the reader is too slow, and limits how many wait. */
  readonly waiting: Waiting<Event>
  ended(): void
}

/** Creates a stream that listens from this call on. If the reader is slow, `waiting` keeps events for it. */
export function createStream<Event>({ start, waiting, ended }: StreamOptions<Event>): Stream<Event> {
  let reader: { resolve(result: IteratorResult<Event>): void; refuse(error: unknown): void } | undefined
  let isOver = false
  let failure: { readonly error: unknown } | undefined
  const push = (event: Event): void => {
    if (isOver) return
    if (reader === undefined) {
      waiting.add(event)
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
      waiting.clear()
      ended()
      reader?.resolve({ done: true, value: undefined })
    }
    return Promise.resolve({ done: true, value: undefined })
  }
  return {
    next() {
      const event = waiting.take()
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
