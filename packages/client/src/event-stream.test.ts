import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEventStream, type StreamEvent } from './event-stream.ts'

/**
 * A response body that arrives in these pieces. After the last piece, the body ends. With `hangs`, the body instead stays open and sends
 * nothing more.
 */
function bodyOf(
  pieces: readonly Uint8Array[],
  { hangs = false } = {},
): ReadableStream<Uint8Array> & { readonly isCancelled: () => boolean } {
  let isCancelled = false
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces[at++]
      if (piece !== undefined) controller.enqueue(piece)
      else if (!hangs) controller.close()
      else return new Promise(() => {})
    },
    cancel() {
      isCancelled = true
    },
  })
  return Object.assign(body, { isCancelled: () => isCancelled })
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function all(body: ReadableStream<Uint8Array>, silentMs = 5_000): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of readEventStream(body, silentMs)) events.push(event)
  return events
}

test.each([
  ['an event has the name in its field `event`', 'event: next\ndata: {"a":1}\n\n', [{ event: 'next', data: '{"a":1}' }]],
  ['several lines of data are joined with line breaks', 'data: a\ndata: b\n\n', [{ event: 'message', data: 'a\nb' }]],
  ['heartbeats are not events', ':\n\n: still here\n\n', []],
  ['a field needs no blank after its colon, and no value', 'event:complete\ndata\n\n', [{ event: 'complete', data: '' }]],
  ['lines may end with CR and LF', 'event: next\r\ndata: x\r\n\r\n', [{ event: 'next', data: 'x' }]],
  ['an event that is cut off by the end of the stream is dropped', 'data: whole\n\ndata: ha', [{ event: 'message', data: 'whole' }]],
])('%s', async (_name, text, expected) => {
  expect(await all(bodyOf([bytes(text)]))).toEqual(expected)
})

test('the events do not depend on how the network splits the stream into pieces', () => {
  const whole = bytes('event: next\ndata: {"name":"Zürich ☃"}\n\n:\n\nevent: next\ndata: 2\n\nevent: complete\ndata:\n\n')
  return fc.assert(
    fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 12 }), async (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
      const pieces = at.slice(1).map((end, i) => whole.slice(at[i], end))
      expect(await all(bodyOf(pieces))).toEqual([
        { event: 'next', data: '{"name":"Zürich ☃"}' },
        { event: 'next', data: '2' },
        { event: 'complete', data: '' },
      ])
    }),
  )
})

test('if a stream sends nothing for the time limit, reading it fails and the stream is closed', async () => {
  const body = bodyOf([bytes('data: 1\n\n')], { hangs: true })
  await expect(all(body, 20)).rejects.toThrow('nothing was received for 20 ms')
  expect(body.isCancelled()).toBe(true)
})

test('a stream is closed if its reader stops before the end', async () => {
  const body = bodyOf([bytes('data: 1\n\ndata: 2\n\n')], { hangs: true })
  for await (const event of readEventStream(body, 5_000)) {
    expect(event.data).toBe('1')
    break
  }
  expect(body.isCancelled()).toBe(true)
})
