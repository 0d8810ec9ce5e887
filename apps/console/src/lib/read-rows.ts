import { csvOf, fieldsShown, type RowField } from './csv.ts'
import type { Connection } from './service/pages.ts'

/** At most this many rows of a list are copied. */
export const MAX_ROWS = 20_000

interface ReadRows<Row> {
  readonly rows: readonly Row[]
  /** True if the list has more rows than were read. */
  readonly isCut: boolean
}

export interface ReadOptions {
  /** At most this many rows are read. The default is MAX_ROWS. */
  readonly most?: number
  readonly signal?: AbortSignal
  /** Called after each page with the count of rows so far. */
  onRead?(count: number): void
}

type ReadPage<Row> = (after: string | null, signal?: AbortSignal) => Promise<Connection<Row>>

/** Reads all rows of a list, page by page from the first one. Throws an error if a read fails, or if the signal is aborted. */
export async function readRows<Row>(read: ReadPage<Row>, { most = MAX_ROWS, signal, onRead }: ReadOptions = {}): Promise<ReadRows<Row>> {
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

/** Rows as a CSV file. */
export interface Sheet {
  readonly text: string
  /** The count of rows. */
  readonly count: number
  /** True if the list has more rows than the file. */
  readonly isCut: boolean
}

/** All rows of a list as a CSV file, with the fields of the shown columns. Throws like readRows. */
export async function readSheet<Row>(
  read: ReadPage<Row>,
  { fields, shown }: { readonly fields: readonly RowField<Row>[]; readonly shown: readonly string[] },
  options: ReadOptions,
): Promise<Sheet> {
  const { rows, isCut } = await readRows(read, options)
  return { text: csvOf(fieldsShown(fields, shown), rows), count: rows.length, isCut }
}
