import { expect, test } from 'vitest'
import { eachYielding, filterYielding, mapAheadOfQueries, mapYielding } from './lists.ts'
import { CallerGoneError, duringCall } from './query.ts'

test.each([
  ['filtered', (items: readonly number[], use: (item: number) => void) => filterYielding(items, (item) => use(item) === undefined)],
  ['converted', (items: readonly number[], use: (item: number) => void) => mapYielding(items, use)],
  ['visited', (items: readonly number[], use: (item: number) => void) => eachYielding(items, use)],
])('while items are %s, the work ends before the next item if the caller has disconnected', async (_name, work) => {
  const gone = new AbortController()
  let used = 0
  const done = duringCall(gone.signal, () =>
    work([1, 2, 3, 4], () => {
      if (++used === 2) gone.abort()
    }),
  )
  await expect(done).rejects.toThrow(CallerGoneError)
  expect(used).toBe(2)
})

test('work that must not wait behind long queries yields whenever its time in one turn is over', async () => {
  let now = 0
  let yields = 0
  const after = (_ms: number, callback: () => void) => {
    yields++
    setImmediate(callback)
    return () => undefined
  }
  const timers = { now: () => now, after, every: () => () => undefined }
  const made = await mapAheadOfQueries(
    [1, 2, 3, 4, 5, 6],
    (item) => {
      now += 2
      return item * 10
    },
    timers,
  )
  expect(made).toEqual([10, 20, 30, 40, 50, 60])
  expect(yields).toBe(2)
})
