import { lazy, Suspense, useState } from 'react'
import type { RowField } from '../lib/csv.ts'
import { formatCount } from '../lib/format.ts'
import { toGraphiql } from '../lib/graphiql.ts'
import { useMoment } from '../lib/moment.ts'
import type { Connection } from '../lib/pages.ts'
import type { ReadOptions, Sheet } from '../lib/read-rows.ts'
import { useAt } from '../lib/travel.ts'
import type { Pages } from '../lib/use-pages.ts'
import type { Call } from '../lib/wire.ts'
import { shownColumns, useColumnLayout } from './columns.ts'
import { type Copy, CopyMenu, callCopies, notifyDone } from './copy-as.tsx'
import type { TableColumn } from './table.tsx'

/** Loaded when a file is asked for. */
const SaveRows = lazy(async () => ({ default: (await import('./save-rows.tsx')).SaveRows }))

/** So many rows go into the clipboard at most: a browser takes it only shortly after a press. */
const MOST_IN_CLIPBOARD = 1_000

type CopiedPages<Row> = Pick<Pages<Row, Connection<Row>>, 'lists' | 'total' | 'read'>

/** A list that is all there. */
export function wholeList<Row>(nodes: readonly Row[]): CopiedPages<Row> {
  const list: Connection<Row> = { nodes, pageInfo: { hasNextPage: false, endCursor: null } }
  return { lists: [list], total: nodes.length, read: async () => list }
}

interface CopyListProps<Row> {
  readonly call: Call
  /** What else there is to paste. */
  readonly items?: readonly Copy[]
  /** Names the list where its layout is kept, and its file. */
  readonly list: string
  readonly nouns: readonly [one: string, many: string]
  readonly columns: readonly TableColumn<Row>[]
  /** What a sheet has of each row; a field of a column is there where the column is shown. */
  readonly fields: readonly RowField<Row>[]
  readonly pages: CopiedPages<Row>
  /** Of a list that somebody else counts: how many there are, and whether there are more than that. */
  readonly counted?: { readonly total: number; readonly isMore: boolean }
}

/** A list as something to paste or to keep: what a page has, and all rows that match as a sheet, whether the page has them or not. */
export function CopyList<Row>(props: CopyListProps<Row>) {
  const { call, items = [], list, nouns, pages, counted = { total: pages.total, isMore: false } } = props
  const [isSaving, setSaving] = useState(false)
  const { asked } = useMoment(call.document, call.variables ?? {})
  const make = useSheet(props)
  const { total, isMore } = counted
  const all = `${isMore ? 'more than ' : ''}${formatCount(total)} ${nouns[total === 1 ? 0 : 1]}`
  const first = pages.lists[0]?.nodes.length ?? total
  const answer = first < total ? `Answer, JSON: the first ${formatCount(first)} of ${all}` : 'Answer, JSON'
  const isSmall = !isMore && total <= MOST_IN_CLIPBOARD
  const sheet: readonly Copy[] = isSmall ? [[`CSV, ${all}`, async () => (await make({ most: MOST_IN_CLIPBOARD })).text]] : []
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

/** Makes the sheet of all rows. Those of the past say so. */
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
