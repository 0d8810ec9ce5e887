import { expect, test } from 'vitest'
import { createLease, type Lease } from './lease.ts'

/** The times at which extensions begin that all fail after `tookMs` or at their time limit, and the time at which the lease is over. */
function attemptsOf(lease: Lease, tookMs: number): readonly number[] {
  const times: number[] = []
  for (let now = 0; ; ) {
    now += lease.waitMs(now)
    times.push(now)
    if (lease.isOver(now)) return times
    now += Math.min(tookMs, lease.limitMs(now))
    lease.failed(now)
  }
}

test('a reservation is extended each time a third of its duration has passed, counted from when the extension was sent', () => {
  const lease = createLease(10, 120)
  expect(lease.waitMs(10)).toBe(40)
  lease.extended(50)
  expect([lease.waitMs(51), lease.isOver(169), lease.isOver(170)]).toEqual([39, false, true])
})

test('a reservation of an earlier call is extended at once', () => {
  expect(createLease(10, 120, true).waitMs(10)).toBe(0)
})

test.each([0, 5_000, 1_000_000])('extensions that fail after %i ms are repeated several times before the reservation ends', (tookMs) => {
  const times = attemptsOf(createLease(0, 120_000), tookMs)
  expect(times[0]).toBe(40_000)
  expect(times.at(-1)).toBeCloseTo(120_000)
  expect(times.length).toBeGreaterThan(5)
  expect(times.length).toBeLessThan(40)
})

test.each([40, 100, 119.5])('an extension that begins at %d ms ends before the reservation does', (now) => {
  expect(now + createLease(0, 120).limitMs(now)).toBeLessThanOrEqual(120)
})
