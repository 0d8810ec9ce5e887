/** A server-sent event. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
}

/**
 * Yields the events of a stream until it ends. Throws an error if nothing arrives for `silentMs` milliseconds, neither an event nor a
 * heartbeat. The connection is then considered lost, because a lost connection does not always cause an error.
 */
export async function* readEventStream(body: ReadableStream<Uint8Array>, silentMs: number): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { value, done } = await within(reader.read(), silentMs)
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split(/\r?\n\r?\n/)
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseBlock(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    // Ends the connection if the reader stops before the end. On a broken connection this fails, and the error is ignored.
    await reader.cancel().catch(() => undefined)
  }
}

/** Parses the lines of one event. Undefined if they have neither a name nor data, like the comments that are heartbeats. */
function parseBlock(block: string): StreamEvent | undefined {
  let event: string | undefined
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ''] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? []
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
  return event === undefined && data.length === 0 ? undefined : { event: event ?? 'message', data: data.join('\n') }
}

async function within<Value>(value: Promise<Value>, ms: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing was received for ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([value, silence])
  } finally {
    clearTimeout(timer)
  }
}
