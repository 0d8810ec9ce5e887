import { expect, test } from 'vitest'
import { type Connection, pagesIn, type ReadPage, readInSight } from './pages.ts'

const SIZE = 10

/** Serves a list from memory. Its rows are ascending numbers. A cursor is the row before the page. */
function serve(rows: readonly number[]) {
  const asked: (string | null)[] = []
  const read = async (after: string | null): Promise<Connection<number>> => {
    asked.push(after)
    const rest = rows.filter((row) => after === null || row > Number(after))
    const nodes = rest.slice(0, SIZE)
    return { nodes, totalCount: rows.length, pageInfo: { hasNextPage: rest.length > SIZE, endCursor: String(nodes.at(-1)) } }
  }
  return { asked, read }
}

async function readAll(rows: readonly number[]): Promise<readonly ReadPage<Connection<number>>[]> {
  const { read } = serve(rows)
  const pages: ReadPage<Connection<number>>[] = []
  let after: string | null | undefined = null
  while (after !== undefined) {
    const list: Connection<number> = await read(after)
    pages.push({ after, list })
    after = list.pageInfo.hasNextPage ? list.pageInfo.endCursor : undefined
  }
  return pages
}

const rowsOf = (pages: readonly ReadPage<Connection<number>>[]): readonly number[] => pages.flatMap(({ list }) => list.nodes)
const even = Array.from({ length: 1_000 }, (_one, i) => 2 * i)
const sight = { first: 503, last: 528 }

test.each([
  ['rows within one page', { first: 3, last: 7 }, [0, 1]],
  ['the last row of one page and the first of the next', { first: 9, last: 10 }, [0, 2]],
  ['rows beyond the end of the list', { first: 995, last: 1_200 }, [99, 100]],
])('finds the pages of %s', async (_name, rows, expected) => {
  expect(pagesIn(await readAll(even), rows)).toEqual(expected)
})

test('if a hundred pages are loaded, only the visible pages are refreshed', async () => {
  const { read, asked } = serve(even)
  const again = await readInSight(await readAll(even), sight, read)
  expect(asked).toHaveLength(3)
  expect(rowsOf(again)).toEqual(even)
})

test.each([
  ['rows that were added in between', [...even, 1_011, 1_013].sort((a, b) => a - b)],
  ['rows that were removed in between', even.filter((row) => row < 1_010 || row > 1_020)],
  ['all following rows that were removed', even.filter((row) => row < 1_010)],
])('%s: no row is missing or repeated', async (_name, now) => {
  const { read, asked } = serve(now)
  const again = rowsOf(await readInSight(await readAll(even), sight, read))
  expect(asked.length).toBeLessThanOrEqual(3)
  expect(again).toEqual(now.slice(0, again.length))
  expect(again.length).toBeGreaterThan(Math.min(now.length - 1, sight.last))
})

test('rows that were added above the visible rows are loaded only after scrolling up to them', async () => {
  const now = [-5, -3, ...even]
  const pages = await readInSight(await readAll(even), sight, serve(now).read)
  expect(rowsOf(pages)).toEqual(even)
  const top = rowsOf(await readInSight(pages, { first: 0, last: 5 }, serve(now).read))
  expect(top).toEqual(now.slice(0, SIZE))
})

test('a list that became empty has no rows', async () => {
  const pages = await readInSight(await readAll(even), { first: 0, last: 5 }, serve([]).read)
  expect(rowsOf(pages)).toEqual([])
})
