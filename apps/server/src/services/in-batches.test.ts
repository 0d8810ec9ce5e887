import { expect, test } from 'vitest'
import { inBatches } from './in-batches.ts'

test('what is asked in one moment is read at once, and each gets its own', async () => {
  const reads: (readonly number[])[] = []
  const double = inBatches(async (keys: readonly number[]) => {
    reads.push(keys)
    return (key) => key * 2
  })
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6])
  expect(await double(4)).toBe(8)
  expect(reads).toEqual([[1, 2, 3], [4]])
})

test('a read that fails fails for those who asked, and not for the next', async () => {
  let isBroken = true
  const read = inBatches(async (_keys: readonly number[]) => {
    if (isBroken) throw new Error('away')
    return (key) => key
  })
  const asked = await Promise.allSettled([1, 2].map(read))
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isBroken = false
  expect(await read(3)).toBe(3)
})
