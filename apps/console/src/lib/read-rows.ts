import { csvOf, fieldsShown, type RowField } from './csv.ts'
import type { Connection } from './pages.ts'

/** So many rows of a list are copied at most. */
export const MOST_ROWS = 20_000

interface ReadRows<Row> {
  readonly rows: readonly Row[]
  /** There are more than were read. */
  readonly isCut: boolean
}

export interface ReadOptions {
  /** How many at most; MOST_ROWS if not given. */
  readonly most?: number
  readonly signal?: AbortSignal
  /** Hears after each page how many rows are there. */
  onRead?(count: number): void
}

type ReadPage<Row> = (after: string | null, signal?: AbortSignal) => Promise<Connection<Row>>

/** Every row of a list, page by page from its first one. Throws as reading a page does, and when the signal says so. */
export async function readRows<Row>(read: ReadPage<Row>, { most = MOST_ROWS, signal, onRead }: ReadOptions = {}): Promise<ReadRows<Row>> {
  const rows: Row[] = []
  let after: string | null | undefined = null
  while (after !== undefined && rows.length < most) {
    signal?.throwIfAborted()
    const page: Connection<Row> = await read(after, signal)
    rows.push(...page.nodes)
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined
    onRead?.(Math.min(most, rows.length))
  }
  return { rows: rows.slice(0, most), isCut: after !== undefined || rows.length > most }
}

/** Rows as a sheet. */
export interface Sheet {
  readonly text: string
  /** How many rows it has. */
  readonly count: number
  /** The list has more. */
  readonly isCut: boolean
}

/** Every row of a list as a sheet, with the fields of the columns that are shown. Throws as readRows does. */
export async function readSheet<Row>(
  read: ReadPage<Row>,
  { fields, shown }: { readonly fields: readonly RowField<Row>[]; readonly shown: readonly string[] },
  options: ReadOptions,
): Promise<Sheet> {
  const { rows, isCut } = await readRows(read, options)
  return { text: csvOf(fieldsShown(fields, shown), rows), count: rows.length, isCut }
}
