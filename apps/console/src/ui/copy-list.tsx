import { lazy, Suspense, useState } from 'react'
import type { RowField } from '../lib/csv.ts'
import { formatCount } from '../lib/format.ts'
import { toGraphiql } from '../lib/graphiql.ts'
import type { ReadOptions, Sheet } from '../lib/read-rows.ts'
import { useMoment } from '../lib/service/moment.ts'
import type { Connection } from '../lib/service/pages.ts'
import { useAt } from '../lib/service/travel.ts'
import type { Pages } from '../lib/service/use-pages.ts'
import type { Call } from '../lib/service/wire.ts'
import { type Copy, CopyMenu, callCopies, notifyDone } from './copy-as.tsx'
import { shownColumns, useColumnLayout } from './table/columns.ts'
import type { TableColumn } from './table/table.tsx'

/** Loaded when rows are first saved as a file. */
const SaveRows = lazy(async () => ({ default: (await import('./table/save-rows.tsx')).SaveRows }))

/**
 * At most this many rows are copied to the clipboard. A browser allows writing to the clipboard only shortly after a click, so loading more
 * rows would take too long.
 */
const MAX_COPIED_ROWS = 1_000

type CopiedPages<Row> = Pick<Pages<Row, Connection<Row>>, 'lists' | 'total' | 'read'>

/** Wraps rows that are all loaded, so that they can be copied like a list that is loaded page by page. */
export function wholeList<Row>(nodes: readonly Row[]): CopiedPages<Row> {
  const list: Connection<Row> = { nodes, pageInfo: { hasNextPage: false, endCursor: null } }
  return { lists: [list], total: nodes.length, read: async () => list }
}

interface CopyListProps<Row> {
  readonly call: Call
  /** Items in addition to the rows, such as a command. */
  readonly items?: readonly Copy[]
  /** The name of the list for its stored layout, and for its file. */
  readonly list: string
  readonly nouns: readonly [one: string, many: string]
  readonly columns: readonly TableColumn<Row>[]
  /** The columns of a copied row. A field that belongs to a table column is only included while the column is shown. */
  readonly fields: readonly RowField<Row>[]
  readonly pages: CopiedPages<Row>
  /** The count of rows, and whether the list has more rows than counted. Only set if the page counts the rows itself. */
  readonly counted?: { readonly total: number; readonly isMore: boolean }
}

/**
 * The menu that copies the list in several forms: its call, the answer and, if the list has at most MAX_COPIED_ROWS rows, all rows. It also
 * saves all matching rows as a CSV file, including those that are not loaded.
 */
export function CopyList<Row>(props: CopyListProps<Row>) {
  const { call, items = [], list, nouns, pages, counted = { total: pages.total, isMore: false } } = props
  const [isSaving, setSaving] = useState(false)
  const { asked } = useMoment(call.document, call.variables ?? {})
  const make = useSheet(props)
  const { total, isMore } = counted
  const all = `${isMore ? 'more than ' : ''}${formatCount(total)} ${nouns[total === 1 ? 0 : 1]}`
  const first = pages.lists[0]?.nodes.length ?? total
  const answer = first < total ? `Answer, JSON: the first ${formatCount(first)} of ${all}` : 'Answer, JSON'
  const isSmall = !isMore && total <= MAX_COPIED_ROWS
  const sheet: readonly Copy[] = isSmall ? [[`CSV, ${all}`, async () => (await make({ most: MAX_COPIED_ROWS })).text]] : []
  const file = `${list}.csv`
  return (
    <>
      <CopyMenu
        items={[...items, ...sheet, ...callCopies(call.document, asked, answer)]}
        files={[[`CSV file, ${all}`, () => setSaving(true)]]}
        graphiql={toGraphiql(call.document, asked)}
      />
      {isSaving ? (
        <Suspense>
          <SaveRows
            {...{ file, total, make }}
            many={nouns[1]}
            onSaved={(count) => {
              setSaving(false)
              notifyDone(`Saved: ${file}, ${formatCount(count)} rows.`)
            }}
            onClose={() => setSaving(false)}
          />
        </Suspense>
      ) : null}
    </>
  )
}

/** Returns a function that reads all rows as a CSV file. If the page shows the past, each row contains the moment. */
function useSheet<Row>({ call, list, columns, fields, pages: { read } }: CopyListProps<Row>): (options?: ReadOptions) => Promise<Sheet> {
  const { isPast } = useMoment(call.document, call.variables ?? {})
  const at = useAt()
  const shown = shownColumns(columns, useColumnLayout(list)).map(({ key }) => key)
  return async (options = {}) => {
    const { readSheet } = await import('../lib/read-rows.ts')
    const moment: readonly RowField<Row>[] = isPast ? [['at', () => at ?? null]] : []
    return readSheet(read, { fields: [...fields, ...moment], shown }, options)
  }
}
