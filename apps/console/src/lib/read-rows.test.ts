import { expect, test } from 'vitest'
import { readRows } from './read-rows.ts'
import type { Connection } from './service/pages.ts'

const all = Array.from({ length: 25 }, (_one, i) => i)

const read = async (after: string | null): Promise<Connection<number>> => {
  const from = after === null ? 0 : Number(after)
  const nodes = all.slice(from, from + 10)
  return { nodes, pageInfo: { hasNextPage: from + 10 < all.length, endCursor: String(from + nodes.length) } }
}

test('every row is read, and the progress is reported after each page', async () => {
  const counts: number[] = []
  expect(await readRows(read, { onRead: (count) => counts.push(count) })).toEqual({ rows: all, isCut: false })
  expect(counts).toEqual([10, 20, 25])
})

test.each([
  [20, true],
  [24, true],
  [25, false],
])('for at most %i rows it is known whether there are more: %s', async (most, isCut) => {
  expect(await readRows(read, { most })).toEqual({ rows: all.slice(0, most), isCut })
})

test('after reading was cancelled, no further page is read', async () => {
  const cancel = new AbortController()
  const reads: (string | null)[] = []
  const run = readRows(
    (after) => {
      reads.push(after)
      cancel.abort()
      return read(after)
    },
    { signal: cancel.signal },
  )
  await expect(run).rejects.toThrow('abort')
  expect(reads).toEqual([null])
})
