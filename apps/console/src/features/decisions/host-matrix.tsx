import { Badge, Group, Switch, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { useShortcuts } from '../../lib/keys.ts'
import { Empty } from '../../ui/empty.tsx'
import { type Sort, Table, type TableColumn } from '../../ui/table.tsx'
import { useTableKeys } from '../../ui/table-keys.ts'
import { Combos } from './combos.tsx'
import { countCombos, type FilterPlace, type Matrix, type Selection, selectHosts, sortHosts, type Verdict, verdictAt } from './matrix.ts'
import { MatrixStrip } from './matrix-strip.tsx'
import type { MatrixSort } from './search.ts'

export interface HostMatrixProps {
  readonly matrix: Matrix
  /** Filters that had something to check, in order. */
  readonly asked: readonly { readonly name: string; readonly isNet: boolean }[]
  readonly selection: Selection
  readonly sort: MatrixSort
  readonly all: boolean
  readonly host: string | undefined
  onSelect(selection: Selection): void
  onFind(text: string): void
  onSort(sort: MatrixSort): void
  onAll(all: boolean): void
  onOpen(host: string): void
}

const glyphs: Readonly<Record<Verdict, string>> = { pass: '+', fail: 'x', skipped: '·' }
const words: Readonly<Record<Verdict, string>> = { pass: 'passes', fail: 'refuses', skipped: 'not run' }

/** Hosts by filters: who said what of whom. */
export function HostMatrix(props: HostMatrixProps) {
  const { matrix, asked, selection, sort, all, host, onSelect, onFind, onSort, onAll, onOpen } = props
  const hosts = useMemo(() => sortHosts(matrix, selectHosts(matrix, selection), sort), [matrix, selection, sort])
  const filters = useMemo(
    () => asked.map(({ name, isNet }): FilterPlace => ({ name, isNet, index: matrix.filters.indexOf(name) })),
    [asked, matrix],
  )
  const columns = useMemo(() => columnsOf(matrix, filters, all), [matrix, filters, all])
  const [cursor, setCursor] = useState(-1)
  const find = useRef<HTMLInputElement>(null)
  const opened = host === undefined ? -1 : hosts.findIndex((one) => matrix.nameOf(one) === host)
  const active = cursor >= 0 && cursor < hosts.length ? cursor : opened
  const open = (index: number): void => {
    const one = hosts[index]
    if (one !== undefined) onOpen(matrix.nameOf(one))
  }
  useTableKeys({ count: hosts.length, active, onActive: setCursor, onOpen: open })
  useShortcuts([{ keys: '/', label: 'Find a host in the matrix', run: () => find.current?.focus() }])

  const tableSort: Sort = { key: sort, descending: false }
  return (
    <section aria-label="Hosts by filters">
      <Group justify="space-between" mb={4} gap="xs">
        <Group gap="xs">
          <Text component="h2" fw={600} size="md">
            Hosts × filters
          </Text>
          <Text size="sm" role="status" data-rows={hosts.length}>
            {formatCount(hosts.length)} of {formatCount(matrix.hostCount)} hosts
          </Text>
          <Chips selection={selection} onSelect={onSelect} />
        </Group>
        <Group gap="xs">
          <Switch
            size="xs"
            label="Every filter, not only the first that refuses"
            checked={all}
            onChange={({ currentTarget }) => onAll(currentTarget.checked)}
          />
          <TextInput
            ref={find}
            size="xs"
            aria-label="Find a host by part of its name"
            placeholder="find"
            value={selection.find ?? ''}
            onChange={({ currentTarget }) => onFind(currentTarget.value)}
          />
        </Group>
      </Group>
      <MatrixStrip matrix={matrix} filters={filters} all={all} onOpen={onOpen} />
      {all ? <Combos combos={countCombos(matrix)} chosen={selection.combo} onChoose={(combo) => onSelect({ combo })} /> : null}
      {hosts.length === 0 ? (
        <Empty title="No host is among these">
          <UnstyledButton className="funnel-count" onClick={() => onSelect({})}>
            Show all {formatCount(matrix.hostCount)} hosts
          </UnstyledButton>
        </Empty>
      ) : (
        <Table
          label="Hosts by filters"
          columns={columns}
          count={hosts.length}
          row={(index) => hosts[index]}
          rowKey={(index) => String(hosts[index])}
          sort={tableSort}
          onSort={({ key }) => onSort(key === 'name' ? 'name' : key === 'rank' ? 'rank' : 'distance')}
          active={active}
          onActive={setCursor}
          onOpen={open}
          height="min(420px, 60vh)"
        />
      )}
    </section>
  )
}

function columnsOf(matrix: Matrix, filters: readonly FilterPlace[], all: boolean): TableColumn<number>[] {
  return [
    { key: 'name', label: 'Host', width: 'minmax(160px, 1.5fr)', sortable: true, value: matrix.nameOf },
    ...filters.map(
      (filter): TableColumn<number> => ({
        key: `filter:${filter.name}`,
        label: filter.name,
        width: 'minmax(56px, 1fr)',
        value: (host) => words[verdictAt(matrix, host, filter, all)],
        cell: (host) => <Cell verdict={verdictAt(matrix, host, filter, all)} />,
      }),
    ),
    {
      key: 'distance',
      label: 'Distance',
      width: '90px',
      align: 'right',
      sortable: true,
      value: (host) => matrix.distance[host] ?? 0,
      cell: (host) => (matrix.rank[host] === 0 ? (matrix.distance[host] ?? 0).toFixed(3) : '–'),
    },
    {
      key: 'rank',
      label: 'Rank',
      width: '70px',
      align: 'right',
      sortable: true,
      value: (host) => matrix.rank[host] ?? 0,
      cell: (host) => (matrix.rank[host] === 0 ? '–' : formatCount(matrix.rank[host] ?? 0)),
    },
  ]
}

function Cell({ verdict }: { readonly verdict: Verdict }) {
  return (
    <span className={`verdict verdict-${verdict}`} role="img" aria-label={words[verdict]}>
      {glyphs[verdict]}
    </span>
  )
}

/** What the list is narrowed to; each can be taken off. */
function Chips({ selection, onSelect }: { readonly selection: Selection; onSelect(selection: Selection): void }) {
  const { filter, reason, sole, combo, passed } = selection
  const label =
    filter !== undefined
      ? `refused by ${filter}${reason === undefined ? '' : `: ${reason}`}`
      : sole !== undefined
        ? `refused by ${sole} alone`
        : combo !== undefined
          ? `refused by exactly ${combo.replaceAll(',', ', ')}`
          : passed !== undefined
            ? 'passed every filter'
            : undefined
  if (label === undefined) return null
  return (
    <UnstyledButton onClick={() => onSelect({})} aria-label={`Show all hosts, not only those ${label}`}>
      <Badge variant="light" color="blue" tt="none">
        {label} ×
      </Badge>
    </UnstyledButton>
  )
}
