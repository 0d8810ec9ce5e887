/** The text of a response, chunk by chunk as it arrives. The response is cancelled if the reader stops. */
export async function* streamText({ body }: Response): AsyncGenerator<string, void> {
  const reader = body?.getReader()
  if (reader === undefined) return
  const decoder = new TextDecoder()
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield decoder.decode(chunk.value, { stream: true })
  } finally {
    // a stream of an aborted call has already failed
    await reader.cancel().catch(() => undefined)
  }
}
