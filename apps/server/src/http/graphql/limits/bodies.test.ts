import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { turns } from '../../../event-loop/pauses.ts'
import { handTimers } from '../../../testing/hand-timers.ts'
import { limits } from '../../limits.ts'
import { toFault } from '../masking.ts'
import { type Bodies, createBodies, readBody } from './bodies.ts'

const KIB = 1024

/** A request whose body the test writes part by part. */
function aRequest(headers: Record<string, string> = {}) {
  const stream = new PassThrough()
  return { stream, request: Object.assign(stream, { headers }) }
}

/** Writes a part of a body, and returns when the reader has taken it. */
const write = (stream: PassThrough, part: Buffer | string): Promise<void> =>
  new Promise((resolve, reject) => void stream.write(part, (error) => (error ? reject(error) : void setImmediate(resolve))))

/** The details of the error with which reading ends. */
const refusalOf = (reading: Promise<string>): Promise<unknown> =>
  reading.then(
    (text) => text,
    (error: unknown) => toFault(error).extensions,
  )

describe('the bodies in progress together', () => {
  const small = { bodiesBytes: 8 * KIB, keyBodiesBytes: 4 * KIB }

  test('have a limit for all calls, and a body beyond it is refused', () => {
    const bodies = createBodies(small)
    const held = ['a', 'b'].map((key) => bodies.begin(key))
    for (const body of held) body.add(4 * KIB)
    const third = bodies.begin('c')
    expect(() => third.add(1)).toThrow(
      'The bodies and variables of the calls that this replica receives and answers use 8193 bytes together; at most 8192 are allowed. Send the call again later, or to another replica.',
    )
    expect(bodies.bytes).toBe(8 * KIB)
    held[0]?.end()
    const fourth = bodies.begin('c')
    fourth.add(4 * KIB)
    expect([bodies.bytes, bodies.bytesOf('a'), bodies.bytesOf('c')]).toEqual([8 * KIB, 0, 4 * KIB])
  })

  test('have a lower limit for the calls of one key, so that others are still received', () => {
    const bodies = createBodies(small)
    const greedy = Array.from({ length: 4 }, () => bodies.begin('greedy'))
    for (const body of greedy) body.add(KIB)
    const fifth = bodies.begin('greedy')
    expect(() => fifth.add(1)).toThrow(
      'The bodies and variables of the calls with this key that the replica receives and answers use 4097 bytes together',
    )
    bodies.begin('other').add(4 * KIB)
    expect([bodies.bytesOf('greedy'), bodies.bytesOf('other')]).toEqual([4 * KIB, 4 * KIB])
  })

  test('a refused body uses no memory, and an ended one is counted once', () => {
    const bodies = createBodies(small)
    const body = bodies.begin('a')
    body.add(3 * KIB)
    expect(() => body.add(2 * KIB)).toThrow('use 5120 bytes together')
    expect(bodies.bytes).toBe(0)
    body.end()
    expect([bodies.bytes, bodies.bytesOf('a')]).toEqual([0, 0])
    expect(() => body.add(1)).toThrow('the caller went away')
  })

  test('no key can use all bodies, and a body of the largest size fits several times for one key', () => {
    expect(limits.keyBodiesBytes).toBeLessThanOrEqual(limits.bodiesBytes / 4)
    expect(limits.keyBodiesBytes).toBeGreaterThanOrEqual(8 * limits.bodyBytes)
  })
})

describe('reading a body', () => {
  let bodies: Bodies
  let timers: ReturnType<typeof handTimers>
  beforeEach(() => {
    bodies = createBodies()
    timers = handTimers()
  })

  test.each<[string, Record<string, string>]>([
    ['of a stated length', { 'content-length': '12' }],
    ['in chunks', {}],
  ])('%s returns its text, even if a character is split between parts', async (_name, headers) => {
    const { stream, request } = aRequest(headers)
    const reading = readBody(request, bodies.begin('a'), timers)
    const bytes = Buffer.from('{"a":"ΩΩ"}')
    expect(bytes).toHaveLength(12)
    for (const byte of bytes) await write(stream, Buffer.from([byte]))
    stream.end()
    expect(await reading).toBe('{"a":"ΩΩ"}')
    expect(timers.running).toBe(0)
  })

  test('an empty body has an empty text', async () => {
    const { stream, request } = aRequest()
    const reading = readBody(request, bodies.begin('a'), timers)
    stream.end()
    expect(await reading).toBe('')
    expect(bodies.bytes).toBe(0)
  })

  test('of very many parts uses at most twice its length', async () => {
    const { stream, request } = aRequest()
    const reading = readBody(request, bodies.begin('a'), timers)
    const part = Buffer.from('x')
    let most = 0
    for (let i = 1; i <= 100_000; i++) {
      stream.emit('data', part)
      most = Math.max(most, bodies.bytes / i)
    }
    stream.end()
    expect(await reading).toHaveLength(100_000)
    expect(most).toBeLessThanOrEqual(2)
  })

  test('of a stated length never uses more than this length', async () => {
    const { stream, request } = aRequest({ 'content-length': String(100 * KIB) })
    const reading = readBody(request, bodies.begin('a'), timers)
    const seen: number[] = []
    for (let i = 0; i < 100; i++) {
      await write(stream, Buffer.alloc(KIB, 'x'))
      seen.push(bodies.bytes)
    }
    stream.end()
    expect(await reading).toHaveLength(100 * KIB)
    expect([Math.max(...seen), bodies.bytes]).toEqual([100 * KIB, 100 * KIB])
  })

  test('beyond the limit of all bodies is refused with 503 and a time to wait, and its memory is free', async () => {
    const few = createBodies({ bodiesBytes: 4 * KIB, keyBodiesBytes: 4 * KIB })
    few.begin('other').add(3 * KIB)
    const { stream, request } = aRequest()
    const reading = refusalOf(readBody(request, few.begin('a'), timers))
    await write(stream, Buffer.alloc(KIB))
    expect(few.bytes).toBe(4 * KIB)
    stream.write('x')
    expect(await reading).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      rule: 'limit.bodies',
      retryAfterMs: 1_000,
      http: { status: 503 },
    })
    expect([few.bytes, timers.running]).toEqual([3 * KIB, 0])
  })

  test.each<[string, Record<string, string>]>([
    ['stated', { 'content-length': String(limits.bodyBytes + 1) }],
    ['found', {}],
  ])('whose %s length is above the limit is refused with 413', async (_name, headers) => {
    const { stream, request } = aRequest(headers)
    const reading = refusalOf(readBody(request, bodies.begin('a'), timers))
    stream.end(Buffer.alloc(limits.bodyBytes + 1))
    expect(await reading).toMatchObject({ rule: 'limit.body', http: { status: 413 } })
    expect([bodies.bytes, timers.running]).toEqual([0, 0])
  })

  test('that makes no progress is refused with 408, and its memory is free', async () => {
    const { stream, request } = aRequest({ 'content-length': '10' })
    const reading = refusalOf(readBody(request, bodies.begin('a'), timers))
    await write(stream, 'abc')
    timers.pass(limits.bodyPauseMs - 1)
    // progress begins the time anew
    await write(stream, 'def')
    timers.pass(limits.bodyPauseMs - 1)
    expect(bodies.bytes).toBeGreaterThan(0)
    timers.pass(1)
    expect(await reading).toMatchObject({ code: 'UNAVAILABLE', rule: 'limit.body_pause', http: { status: 408 } })
    expect(bodies.bytes).toBe(0)
  })

  test('whose caller disconnects ends, and its memory is free', async () => {
    const { stream, request } = aRequest()
    const reading = readBody(request, bodies.begin('a'), timers)
    await write(stream, 'abc')
    stream.destroy(new Error('aborted'))
    await expect(reading).rejects.toThrow('the caller went away')
    expect([bodies.bytes, timers.running]).toEqual([0, 0])
  })
})

test('a large body takes a turn before it is counted and another one before it is decoded, and small ones take none', async () => {
  const admit = vi.spyOn(turns, 'admit')
  const bodies = createBodies()
  const read = async (length: number): Promise<string> => {
    const { stream, request } = aRequest()
    const reading = readBody(request, bodies.begin('a'))
    stream.end(Buffer.alloc(length, 'x'))
    return await reading
  }
  expect(await read(64 * KIB)).toBe('x'.repeat(64 * KIB))
  expect(admit).toHaveBeenCalledTimes(0)
  expect(await read(64 * KIB + 1)).toBe('x'.repeat(64 * KIB + 1))
  expect(admit).toHaveBeenCalledTimes(2)
  admit.mockRestore()
})
