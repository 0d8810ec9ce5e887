import type { Sort } from '@gantt/scheduler-core/query'
import { Button } from '@mantine/core'
import { use, useState, useTransition } from 'react'
import type { Connection } from '../lib/service/pages.ts'
import type { Pages } from '../lib/service/use-pages.ts'
import { CopyList } from '../ui/copy-list.tsx'
import { PanelHead, PanelLoading, SidePanel } from '../ui/dialog/side-panel.tsx'
import { ChoiceBar } from '../ui/filter/choice-bar.tsx'
import { FilterAside } from '../ui/filter/filter-aside.tsx'
import { FilterBar } from '../ui/filter/filter-bar.tsx'
import { FilterChips } from '../ui/filter/filter-chips.tsx'
import { SavedViews } from '../ui/filter/saved-views.tsx'
import { ViewsButton } from '../ui/filter/views-button.tsx'
import { ColumnChooser } from '../ui/table/column-chooser.tsx'
import { ListHead } from '../ui/table/list-head.tsx'
import { ListTable } from '../ui/table/list-table.tsx'
import { PagedList } from '../ui/table/paged-list.tsx'
import { SaveRows } from '../ui/table/save-rows.tsx'
import { Table } from '../ui/table/table.tsx'
import { HeadCell } from '../ui/table/table-head.tsx'
import { CALL, columns, fields, LONG, NOW, nothing, type Sample, samples } from './samples.ts'
import type { Story } from './story.ts'

const some = samples(40)
const fault = new Error('The list could not be read.')

function Rows({ label, rows, chosen = new Set() }: { label: string; rows: readonly Sample[]; chosen?: ReadonlySet<number> }) {
  const [sort, setSort] = useState<readonly Sort[]>([
    { key: 'zone', descending: false },
    { key: 'free', descending: true },
  ])
  const [active, setActive] = useState(1)
  return (
    <Table
      label={label}
      columns={columns}
      count={rows.length}
      row={(i) => (i === 3 ? undefined : rows[i])}
      rowKey={(i) => String(i)}
      sort={sort}
      onSort={setSort}
      onResize={nothing}
      active={active}
      onActive={setActive}
      onOpen={nothing}
      isChosen={(i) => (i === 4 ? undefined : chosen.has(i))}
      onChoose={nothing}
      height="220px"
    />
  )
}

const never = new Promise<string>(() => {})
const awaited = columns.map((column) => ({ ...column, cell: () => use(never) }))

/** A list that shows old rows while new rows are being loaded. In the kit the new rows never arrive. */
function OnTheirWay() {
  const [from, setFrom] = useState(0)
  const [isPending, startTransition] = useTransition()
  const [opened, setOpened] = useState('none')
  return (
    <>
      <Button size="compact-sm" onClick={() => startTransition(() => setFrom(20))} disabled={isPending}>
        Show others
      </Button>{' '}
      <span role="status">opened: {opened}</span>
      <Table
        label="Rows that do not move"
        columns={from === 0 ? columns : awaited}
        count={5}
        row={(i) => some[from + i]}
        rowKey={(i) => String(from + i)}
        active={-1}
        onActive={nothing}
        onOpen={(i) => setOpened(some[from + i]?.name ?? '')}
        height="200px"
      />
    </>
  )
}

const pages = (rows: readonly Sample[], more: Partial<Pages<Sample>> = {}): Pages<Sample> => ({
  rows,
  total: rows.length,
  error: null,
  isLoading: false,
  isOld: false,
  readAtMs: NOW,
  everyMs: undefined,
  onRange: nothing,
  refresh: nothing,
  lists: [],
  newest: undefined,
  readNewest: async () => {},
  read: async () => ({ nodes: rows, pageInfo: { hasNextPage: false, endCursor: null } }),
  load: async () => rows,
  ...more,
})

const paged = (label: string, of: Pages<Sample>) => (
  <PagedList
    list="kit"
    label={label}
    nouns={['host', 'hosts']}
    fields={fields}
    pages={of}
    columns={columns}
    keyOf={({ name }) => name}
    onOpen={nothing}
    none="There is none yet."
  />
)

const copyList = (of: Pages<Sample>) => (
  <CopyList
    list="kit"
    nouns={['host', 'hosts']}
    columns={columns}
    fields={[['name', ({ name }) => name, 'name']]}
    pages={{
      ...of,
      lists: [{ nodes: of.rows, pageInfo: { hasNextPage: false, endCursor: null } }],
      read: () => new Promise<Connection<Sample>>(nothing),
    }}
    call={CALL}
  />
)

/** A dialog that shows the progress while a file is being made. In the kit the file is never ready. */
function Saved() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Save</Button>
      {isOpen ? (
        <SaveRows
          file="kit.csv"
          many="hosts"
          total={8_412}
          make={() => new Promise(nothing)}
          onSaved={nothing}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  )
}

const chosen = (count: number) => ({ items: new Map(some.slice(0, count).map((row) => [row.name, row])), clear: nothing })
const nowhere = { current: null }
const chips = (label: string, value: string) => (
  <FilterChips label={label} fields={fields} value={value} input={nowhere} onChange={nothing} />
)
const filter = (label: string, value: string) => <FilterBar label={label} fields={fields} value={value} onChange={nothing} />

/** A list of two rows, with a side panel. */
const sidePanel = (id: string | undefined) => (
  <SidePanel
    state={{ id, isWide: true, toggle: nothing, follow: nothing, close: nothing }}
    panel={(row) => (row === 'awaited' ? <PanelLoading /> : <PanelHead>{row}</PanelHead>)}
    height="200px"
  >
    <div>
      cmp-0412
      <br />
      cmp-0413
    </div>
  </SidePanel>
)

export const lists: readonly Story[] = [
  {
    of: 'side-panel',
    states: {
      closed: sidePanel(undefined),
      open: sidePanel('cmp-0412'),
      'one with a long name': sidePanel(LONG),
      'being loaded': sidePanel('awaited'),
    },
  },
  {
    of: 'choice-bar',
    states: {
      'none is chosen': <ChoiceBar choice={chosen(0)} found={40} onChooseAll={nothing} />,
      'some are chosen': <ChoiceBar choice={chosen(3)} found={40} onChooseAll={nothing} />,
      'more rows match than can be selected': <ChoiceBar choice={chosen(3)} found={8_412} most={1_000} onChooseAll={nothing} />,
    },
  },
  { of: 'column-chooser', states: { closed: <ColumnChooser list="kit" columns={columns} /> } },
  {
    of: 'copy-list',
    states: {
      'all in its answer': copyList(pages(some)),
      'more than its answer has': copyList(pages(some, { total: 8_412 })),
    },
  },
  {
    of: 'filter-bar',
    states: {
      empty: filter('Filter nothing', ''),
      'a filter': filter('Filter some', 'state:up mem.free>=64GiB'),
      'two mistakes': filter('Filter wrongly', 'stat:up mem.free>=lots'),
    },
  },
  {
    of: 'filter-aside',
    states: {
      'two buttons': (
        <FilterAside>
          <button type="button">Views</button>
          <button type="button">Copy as</button>
        </FilterAside>
      ),
    },
  },
  {
    of: 'filter-chips',
    states: {
      'one plain term and one excluded term': chips('Terms', 'state:up -zone:"nova south"'),
      'more than two lines of terms': chips('Many terms', Array.from({ length: 40 }, (_, i) => `cmp-${1_000 + i}`).join(' ')),
      'one term that is longer than a line': chips('A long term', `${LONG.repeat(3)} state:up`),
    },
  },
  {
    of: 'list-head',
    states: {
      'a count': (
        <ListHead chooser={<ColumnChooser list="kit" columns={columns} />}>
          <span>40 hosts</span>
        </ListHead>
      ),
      'more actions than fit into the line': (
        <ListHead chooser={<ColumnChooser list="kit" columns={columns} />}>
          <span>8,412 hosts</span>
          <ChoiceBar choice={chosen(3)} found={8_412} most={1_000} onChooseAll={nothing}>
            {Array.from({ length: 12 }, (_, i) => (
              <button key={String(i)} type="button">
                Action {i + 1}
              </button>
            ))}
          </ChoiceBar>
        </ListHead>
      ),
    },
  },
  {
    of: 'list-table',
    states: {
      'with its columns and a choice': (
        <ListTable
          list="kit"
          label="Five hosts"
          columns={columns}
          count={5}
          row={(i) => some[i]}
          keyOf={(i) => i}
          onOpen={nothing}
          choice={{ isChosen: (i) => i === 1, toggle: nothing }}
          height="200px"
        />
      ),
    },
  },
  {
    of: 'paged-list',
    states: {
      rows: paged('Listed', pages(some.slice(0, 4))),
      'being loaded': paged('Awaited', pages([], { isLoading: true })),
      'the refresh failed, with the earlier rows': paged('Refused', pages(some.slice(0, 2), { error: fault, isOld: true })),
      none: paged('Missing', pages([])),
    },
  },
  { of: 'save-rows', states: { 'opened by its button': <Saved /> } },
  { of: 'saved-views', states: { 'no saved views': <SavedViews list="kit" onOpened={nothing} /> } },
  { of: 'views-button', states: { closed: <ViewsButton list="kit" /> } },
  {
    of: 'table',
    states: {
      'two orders, a cursor, a row that is not loaded, and one that cannot be selected': (
        <Rows label="Forty rows" rows={some} chosen={new Set([0, 2])} />
      ),
      'no rows': <Rows label="No rows" rows={[]} />,
      'other rows are being loaded': <OnTheirWay />,
    },
  },
  {
    of: 'table-head',
    states: {
      'not ordered, first, second': (
        // biome-ignore lint/a11y/useSemanticElements: the header of a virtual grid, without the grid
        <div role="table" aria-label="Heads">
          {/* biome-ignore lint/a11y/useSemanticElements: the header of a virtual grid, without the grid */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: the header of a virtual grid, without the grid */}
          <div role="row" style={{ display: 'flex', gap: 32 }}>
            {columns.slice(0, 3).map((column) => (
              <HeadCell
                key={column.key}
                column={column}
                sort={[
                  { key: 'zone', descending: false },
                  { key: 'free', descending: true },
                ]}
                onSort={nothing}
                onResize={undefined}
              />
            ))}
          </div>
        </div>
      ),
    },
  },
]
