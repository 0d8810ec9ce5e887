import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { handTimers } from '../testing/hand-timers.ts'
import { HEARTBEAT_MS, heartbeatText, withHeartbeats } from './heartbeats.ts'

let timers: ReturnType<typeof handTimers>
beforeEach(() => {
  timers = handTimers()
})

/** A stream with heartbeats, with functions that send data on it and read from it. */
function open() {
  let revision = 1
  let cancelledWith: unknown
  let send: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = controller
    },
    cancel(reason) {
      cancelledWith = reason
    },
  })
  const reader = withHeartbeats(body, () => ({ revision: revision++, stateAgeMs: 4.4 }), ReadableStream, timers).getReader()
  const decoder = new TextDecoder()
  return {
    reader,
    send: (text: string) => send?.enqueue(new TextEncoder().encode(text)),
    end: () => send?.close(),
    fail: (error: Error) => send?.error(error),
    read: async () => decoder.decode((await reader.read()).value),
    cancelledWith: () => cancelledWith,
  }
}

/** Resolves when the streams have handled what happened so far. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

const beat = (revision: number): string => `:heartbeat {"revision":"${revision}","stateAgeMs":4}\n\n`

test('a heartbeat is a comment with the revision and the age of the state', () => {
  expect(heartbeatText({ revision: 7, stateAgeMs: 3.6 })).toBe(':heartbeat {"revision":"7","stateAgeMs":4}\n\n')
})

test.each(['docs/client.md', 'packages/client/README.md'])('%s says how often a stream gets a heartbeat', (page) => {
  const text = readFileSync(new URL(`../../../../${page}`, import.meta.url), 'utf8')
  expect(text).toMatch(/the service sends a (heartbeat|keep-alive message) every second/)
  expect(HEARTBEAT_MS).toBe(1_000)
})

test('an idle stream gets a heartbeat at once, and then each second', async () => {
  const { read } = open()
  expect(await read()).toBe(beat(1))
  for (let next = 2; next < 6; next++) {
    const coming = read()
    timers.pass(HEARTBEAT_MS)
    expect(await coming).toBe(beat(next))
  }
})

test('an event in two chunks is not interrupted by a heartbeat', async () => {
  const { read, send } = open()
  expect(await read()).toBe(beat(1))
  const head = read()
  send('event: next\n')
  expect(await head).toBe('event: next\n')
  const data = read()
  timers.pass(3 * HEARTBEAT_MS)
  send('data: {}\n\n')
  expect(await data).toBe('data: {}\n\n')
  const later = read()
  timers.pass(HEARTBEAT_MS)
  expect(await later).toBe(beat(2))
})

test('heartbeats do not accumulate for a slow reader', async () => {
  const { read, send } = open()
  timers.pass(60 * HEARTBEAT_MS)
  expect(await read()).toBe(beat(1))
  send('event: next\ndata: 1\n\n')
  expect(await read()).toBe('event: next\ndata: 1\n\n')
})

test.each([
  ['a stream ends', (stream: ReturnType<typeof open>) => stream.end()],
  ["a stream's reader leaves", (stream: ReturnType<typeof open>) => void stream.reader.cancel('left')],
  ['a stream fails', (stream: ReturnType<typeof open>) => stream.fail(new Error('broken'))],
])('no timer keeps running when %s', async (_what, end) => {
  const stream = open()
  await stream.read()
  end(stream)
  await stream.reader.read().catch(() => undefined)
  await settled()
  expect(timers.running).toBe(0)
})

test('the source of a stream ends when its reader disconnects', async () => {
  const { reader, cancelledWith } = open()
  await reader.cancel('left')
  expect(cancelledWith()).toBe('left')
})
