import { expect, test } from 'vitest'
import { type Page, readPages, tally } from './pages.ts'

/** A list of the integers up to `totalCount`, and the page sizes that were requested. */
function aList(totalCount: number): { read: (first: number, after: string | null) => Promise<Page<number>>; sizes: number[] } {
  const sizes: number[] = []
  const read = async (first: number, after: string | null): Promise<Page<number>> => {
    sizes.push(first)
    const from = Number(after ?? 0)
    const to = Math.min(totalCount, from + first)
    const nodes = Array.from({ length: to - from }, (_, at) => from + at)
    return { totalCount, nodes, pageInfo: { hasNextPage: to < totalCount, endCursor: String(to) } }
  }
  return { read, sizes }
}

test.each([
  ['all items of a list that fits one page', 6, 50, 6, [50]],
  ['some items of a long list', 2_000, 50, 50, [50]],
  ['more items than one page has', 2_000, 700, 700, [500, 200]],
  ['all items of a long list', 1_200, Number.POSITIVE_INFINITY, 1_200, [500, 500, 500]],
  ['an empty list', 0, 50, 0, [50]],
])('%s: the items are read in as few calls as possible', async (_name, totalCount, wanted, got, sizes) => {
  const list = aList(totalCount)
  const { items, ...rest } = await readPages(wanted, list.read)
  expect([items, rest, list.sizes]).toEqual([Array.from({ length: got }, (_, at) => at), { totalCount }, sizes])
})

test('the line below a list states how many of the rows are listed', () => {
  expect([tally(1, 1, 'host'), tally(6, 6, 'host'), tally(50, 60, 'host')]).toEqual([
    '1 host',
    '6 hosts',
    '50 of 60 hosts; --all shows the others',
  ])
})
