/** Yields the lines of a body as they arrive. A last line that does not end is not a line. */
export async function* linesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let parts: string[] = []
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const [first = '', ...others] = decoder.decode(value, { stream: true }).split('\n')
      parts.push(first)
      for (const part of others) {
        yield parts.join('')
        parts = [part]
      }
    }
  } finally {
    // Ends the connection if the reader stops before the end. On a broken connection this fails, and the error is ignored.
    await reader.cancel().catch(() => undefined)
  }
}
