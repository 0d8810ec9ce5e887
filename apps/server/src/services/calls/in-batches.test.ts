import { expect, test } from 'vitest'
import { assertAsked, duringCall } from '../../event-loop/query.ts'
import { inBatches } from './in-batches.ts'

test('simultaneous reads are one query, and each gets its own result', async () => {
  const reads: (readonly number[])[] = []
  const double = inBatches(async (keys: readonly number[]) => {
    reads.push(keys)
    return (key) => key * 2
  })
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6])
  expect(await double(4)).toBe(8)
  expect(reads).toEqual([[1, 2, 3], [4]])
})

test('a failed read rejects the calls that wait for it, and the next calls read again', async () => {
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

test('if the first of several simultaneous callers disconnects, the others get their results', async () => {
  const double = inBatches(async (keys: readonly number[]) => {
    assertAsked()
    expect(keys).toEqual([1, 2])
    return (key) => key * 2
  })
  const caller = new AbortController()
  const answers = [duringCall(caller.signal, () => double(1)), double(2)]
  caller.abort()
  expect(await Promise.all(answers)).toEqual([2, 4])
})
