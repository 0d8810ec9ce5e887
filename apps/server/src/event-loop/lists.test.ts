import { expect, test } from 'vitest'
import { eachInPieces, filterInPieces, mapInPieces } from './lists.ts'
import { CallerGoneError, duringCall } from './question.ts'

test.each([
  ['filtered', (items: readonly number[], use: (item: number) => void) => filterInPieces(items, (item) => use(item) === undefined)],
  ['made into others', (items: readonly number[], use: (item: number) => void) => mapInPieces(items, use)],
  ['gone through', (items: readonly number[], use: (item: number) => void) => eachInPieces(items, use)],
])('if items are %s and each takes long, other calls are answered between any two of them, and the work ends', async (_name, work) => {
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
