import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Clock, systemClock } from './clock.ts'
import { ProtocolError, UnreachableError } from './errors.ts'
import { AskAgain, createRetry, pauseAfter } from './retry.ts'

/** A clock for tests. Its time advances only by `wait`, which resolves at once. */
function aClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = []
  return {
    waits,
    now: () => waits.reduce((sum, ms) => sum + ms, 0),
    async wait(ms) {
      waits.push(ms)
    },
  }
}

const away = new UnreachableError('away')

test('pauses are random, from 0 up to a bound that doubles with each failure and is at most five seconds', () => {
  const longest = Array.from({ length: 8 }, (_, failures) => pauseAfter(failures, () => 1))
  expect(longest).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
  fc.assert(
    fc.property(fc.nat(40), fc.double({ min: 0, max: 1, noNaN: true }), (failures, drawn) => {
      const pause = pauseAfter(failures, () => drawn)
      return pause >= 0 && pause <= Math.min(5_000, 100 * 2 ** failures)
    }),
  )
})

test('every pause ends before the deadline, and the time limit of an attempt is at most the remaining time', () => {
  const input = [
    fc.integer({ min: 1, max: 60_000 }),
    fc.integer({ min: 1, max: 20_000 }),
    fc.nat(3_000),
    fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  ] as const
  return fc.assert(
    fc.asyncProperty(...input, async (deadlineMs, attemptMs, retryAfterMs, drawn) => {
      const clock = aClock()
      const retry = createRetry({ clock, random: () => drawn.next().value ?? 0 })
      let attempts = 0
      const ended = retry({ deadlineMs, attemptMs }, async (given) => {
        expect(given.deadlineMs).toBeLessThanOrEqual(Math.max(1, Math.min(attemptMs, deadlineMs - clock.now())))
        // The 51st attempt succeeds. Otherwise, the test would not end if pauses of 0 ms never reached the deadline.
        if (++attempts > 50) return 'enough'
        throw new ProtocolError('busy', 503, retryAfterMs)
      })
      await ended.catch((error: unknown) => expect(error).toBeInstanceOf(ProtocolError))
      expect(clock.now()).toBeLessThan(deadlineMs)
      expect(clock.waits.every((ms) => ms >= retryAfterMs)).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test('an answer that requires a retry is returned if no time is left for a retry', async () => {
  const clock = aClock()
  const retry = createRetry({ clock, random: () => 0 })
  expect(await retry({ deadlineMs: 2_500 }, async () => new AskAgain('later', 1_000))).toBe('later')
  expect(clock.waits).toEqual([1_000, 1_000])
})

test('onFailure is called for every failure, and an error that would recur is thrown at once', async () => {
  const failures: unknown[] = []
  const wrong = new ProtocolError('not found', 404)
  const errors = [away, away, wrong]
  const retry = createRetry({ clock: aClock(), random: () => 0 })
  const ended = retry(
    {},
    () => Promise.reject(errors[failures.length]),
    (error) => failures.push(error),
  )
  await expect(ended).rejects.toBe(wrong)
  expect(failures).toEqual([away, away, wrong])
})

test('an aborted signal ends a pause with its reason', async () => {
  const stop = new AbortController()
  const waiting = systemClock.wait(600_000, stop.signal)
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect(systemClock.wait(0, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  await systemClock.wait(0)
})
