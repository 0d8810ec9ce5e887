import type { Sort } from '@gantt/scheduler-core/query'
import { Badge, Group, Switch, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useShortcuts } from '../../../lib/browser/keys.ts'
import type { Matrix } from '../../../lib/explanation.ts'
import { formatCount } from '../../../lib/format.ts'
import { MatrixStrip } from '../../../ui/chart/matrix-strip.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Table } from '../../../ui/table/table.tsx'
import { countHosts } from '../facts.ts'
import { countCombos, type FilterPlace, groupByFirst, type Selection, selectHosts, sortHosts, verdictAt } from '../matrix.ts'
import type { MatrixSort } from '../search.ts'
import { Combos } from './combos.tsx'
import { describeCell, matrixColumns } from './matrix-columns.tsx'
import './matrix.css'

export interface HostMatrixProps {
  readonly matrix: Matrix
  /** The filters that apply to the request, in the order of evaluation. */
  readonly asked: readonly { readonly name: string; readonly isNet: boolean }[]
  readonly selection: Selection
  readonly sort: MatrixSort
  readonly all: boolean
  readonly host: string | undefined
  /** True if another panel is next to the matrix. */
  readonly isNarrow: boolean
  onSelect(selection: Selection): void
  onFind(text: string): void
  onSort(sort: MatrixSort): void
  onAll(all: boolean): void
  onOpen(host: string): void
}

/** Hosts by filters: each filter's verdict on each host. */
export function HostMatrix(props: HostMatrixProps) {
  const { matrix, asked, selection, sort, all, host, isNarrow, onSelect, onFind, onSort, onAll, onOpen } = props
  const hosts = useMemo(() => sortHosts(matrix, selectHosts(matrix, selection), sort), [matrix, selection, sort])
  const filters = useMemo(
    () => asked.map(({ name, isNet }): FilterPlace => ({ name, isNet, index: matrix.filters.indexOf(name) })),
    [asked, matrix],
  )
  const columns = useMemo(() => matrixColumns(matrix, filters, all, isNarrow), [matrix, filters, all, isNarrow])
  const combos = useMemo(() => (all ? countCombos(matrix) : []), [matrix, all])
  const [cursor, setCursor] = useState(-1)
  const find = useRef<HTMLInputElement>(null)
  const opened = host === undefined ? -1 : hosts.findIndex((one) => matrix.nameOf(one) === host)
  const active = cursor >= 0 && cursor < hosts.length ? cursor : opened
  const open = (index: number): void => {
    const one = hosts[index]
    if (one !== undefined) onOpen(matrix.nameOf(one))
  }
  useShortcuts([
    { keys: '/', label: 'Find a host in the matrix', run: () => find.current?.focus() },
    { keys: 'a', label: 'Show every filter, or only the first that refuses', run: () => onAll(!all) },
  ])

  const tableSort: Sort = { key: sort, descending: false }
  return (
    <section aria-label="Hosts by filters" className="matrix">
      <Group justify="space-between" mb={4} gap="xs">
        <Group gap="xs">
          <Text component="h2" fw={600} size="md">
            Hosts × filters
          </Text>
          <Text size="sm" role="status" data-rows={hosts.length}>
            {formatCount(hosts.length)} of {countHosts(matrix.hostCount)}
          </Text>
          <Chips selection={selection} onSelect={onSelect} />
        </Group>
        <Group gap="xs">
          <Switch
            size="sm"
            label="Every filter, not only the first that refuses"
            checked={all}
            onChange={({ currentTarget }) => onAll(currentTarget.checked)}
          />
          <TextInput
            ref={find}
            size="xs"
            aria-label="Find a host by part of its name"
            placeholder="find a host; shortcut /"
            value={selection.find ?? ''}
            onChange={({ currentTarget }) => onFind(currentTarget.value)}
          />
        </Group>
      </Group>
      <Overview matrix={matrix} filters={filters} all={all} hosts={hosts} onOpen={onOpen} />
      <Combos combos={combos} filters={asked.map(({ name }) => name)} chosen={selection.combo} onChoose={(combo) => onSelect({ combo })} />
      {hosts.length === 0 ? (
        <Empty title="No matching hosts">
          <UnstyledButton className="count" onClick={() => onSelect({ find: undefined })}>
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
          sort={[tableSort]}
          onSort={(press) => {
            const [{ key } = tableSort] = press([tableSort])
            onSort(key === 'name' ? 'name' : key === 'rank' ? 'rank' : 'distance')
          }}
          active={active}
          onActive={setCursor}
          onOpen={open}
          isMain
          height="min(420px, 60vh)"
        />
      )}
    </section>
  )
}

interface OverviewProps {
  readonly matrix: Matrix
  readonly filters: readonly FilterPlace[]
  readonly all: boolean
  /** The hosts that are listed below. */
  readonly hosts: readonly number[]
  onOpen(host: string): void
}

/** A small picture of all hosts, including those that the list leaves out, grouped by the first filter that refuses them. */
function Overview({ matrix, filters, all, hosts, onOpen }: OverviewProps) {
  const { hosts: order, starts } = useMemo(() => groupByFirst(matrix), [matrix])
  const listed = useMemo(() => {
    const isListed = new Uint8Array(matrix.hostCount)
    for (const host of hosts) isListed[host] = 1
    return isListed
  }, [matrix, hosts])
  const names = useMemo(() => filters.map(({ name }) => name), [filters])
  const toneAt = useCallback(
    (column: number, row: number) => {
      const filter = filters[row]
      return filter === undefined ? 'skipped' : verdictAt(matrix, order[column] ?? 0, filter, all)
    },
    [matrix, filters, all, order],
  )
  const isFaded = useCallback((column: number) => listed[order[column] ?? 0] !== 1, [listed, order])
  if (filters.length === 0 || order.length === 0) return null
  return (
    <MatrixStrip
      label={`${formatCount(order.length)} hosts by ${filters.length} filters, in groups by the first filter that refuses`}
      rows={names}
      count={order.length}
      groups={starts}
      toneAt={toneAt}
      isFaded={isFaded}
      describe={(column, row) => describeCell(matrix, order[column] ?? 0, filters[row], all)}
      onOpen={(column) => onOpen(matrix.nameOf(order[column] ?? 0))}
    />
  )
}

/** The condition that restricts the list of hosts, as a button that removes it. */
function Chips({ selection, onSelect }: { readonly selection: Selection; onSelect(selection: Selection): void }) {
  const label = labelOf(selection)
  if (label === undefined) return null
  return (
    <UnstyledButton className="chip" onClick={() => onSelect({})} aria-label={`Show all hosts, not only those ${label}`}>
      <Badge variant="light" color="blue" tt="none">
        {label} ×
      </Badge>
    </UnstyledButton>
  )
}

function labelOf({ filter, reason, short, sole, combo, passed }: Selection): string | undefined {
  if (filter !== undefined)
    return `refused by ${filter}${reason === undefined ? '' : `: ${reason}`}${short === undefined ? '' : `, short by ${short}`}`
  if (sole !== undefined) return `refused by ${sole} alone`
  if (combo !== undefined) return `refused by exactly ${combo.replaceAll(',', ', ')}`
  return passed === undefined ? undefined : 'that passed every filter'
}
