import { expect, test } from 'vitest'
import { DEFAULT_HORIZON, planTrim, retainedUntil } from './retention.ts'

const DAY = 86_400_000
const now = 100 * DAY
/** One checkpoint a day. Each is a hundred revisions and a thousand bytes after the previous one. */
const daily = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ revision: (i + 1) * 100, at: now - (count - 1 - i) * DAY, logBytes: (i + 1) * 1_000 }))

test.each([
  ['entries within the limits of days and bytes stay', { days: 30, bytes: 1_000_000 }, 1_000, undefined],
  ['entries older than the limit of days are dropped, up to the newest checkpoint of that age', { days: 3, bytes: 1_000_000 }, 1_000, 300],
  ['entries beyond the limit of bytes are dropped, up to a checkpoint', { days: 30, bytes: 3_500 }, 1_000, 300],
  ['two checkpoints stay, whatever the limits are', { days: 0, bytes: 0 }, 1_000, 500],
  ['entries that a follower has not reached are not dropped', { days: 0, bytes: 0 }, 250, 200],
  ['nothing is dropped while a follower has reached no entry', { days: 0, bytes: 0 }, 0, undefined],
])('%s', (_name, horizon, reached, base) => {
  expect(planTrim(daily(6), horizon, { now, logBytes: 6_000, reached })?.base).toBe(base)
})

test('of many checkpoints the newest four stay, and a few others that are spread over the whole log', () => {
  const all = daily(80)
  const drop = new Set(planTrim(all, { days: 1_000, bytes: 1_000_000 }, { now, logBytes: 80_000, reached: 8_000 })?.drop)
  const kept = all.filter(({ revision }) => !drop.has(revision)).map(({ revision }) => revision)
  expect(kept).toEqual([100, 1100, 2100, 3100, 4100, 5100, 6100, 7100, 7700, 7800, 7900, 8000])
})

test('a log without checkpoints is not trimmed', () => {
  expect(planTrim([], { days: 0, bytes: 0 }, { now, logBytes: 10, reached: 10 })).toBeUndefined()
})

test.each([
  ['its maximum age if the log hardly grows', { revision: 5, at: 0 }, { firstRevision: 0, firstAt: 0, bytes: 10 }, DAY, 7 * DAY],
  ['the maximum size if that is sooner', { revision: 5, at: 0 }, { firstRevision: 0, firstAt: 0, bytes: 500 }, DAY, 2 * DAY],
  ['the maximum size, by the growth of an hour', { revision: 5, at: 0 }, { firstRevision: 0, firstAt: 0, bytes: 500 }, 1, 7_200_000],
  ['now if it is overdue', { revision: 5, at: 0 }, { firstRevision: 4, firstAt: 0, bytes: 10 }, 9 * DAY, 9 * DAY],
  ['its maximum age while the log is empty', { revision: 0, at: 0 }, { firstRevision: 0, firstAt: null, bytes: 0 }, 0, 7 * DAY],
  ['an earlier time if it is dropped already', { revision: 3, at: 0 }, { firstRevision: 4, firstAt: 0, bytes: 10 }, DAY, undefined],
] as const)('an entry stays in the log until: %s', (_, entry, retention, now, until) => {
  expect(retainedUntil(entry, retention, { days: 7, bytes: 1_000 }, now)).toBe(until)
})

test('by default, seven days or 10 GiB of the log are kept', () => {
  expect(DEFAULT_HORIZON).toEqual({ days: 7, bytes: 10 * 1_024 ** 3 })
})
