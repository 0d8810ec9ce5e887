import { parseSort } from '@gantt/scheduler-core/query'
import { useCallback, useMemo } from 'react'
import type { Choice } from '../../../ui/filter/use-choice.ts'
import { ListTable, type ListTableProps } from '../../../ui/table/list-table.tsx'
import type { TableColumn } from '../../../ui/table/table.tsx'
import type { Fleet } from '../fleet.ts'
import { lastOpened } from '../host/opened-host.ts'
import { type HostRow, readHost } from '../host-row.ts'

export interface HostTableProps {
  readonly fleet: Fleet
  readonly columns: readonly TableColumn<HostRow>[]
  /** The hosts to show, in the order of the rows. */
  readonly ordinals: Uint32Array
  readonly choice: Choice<number>
  readonly sidePanel: ListTableProps<HostRow>['sidePanel']
  readonly filter: string
  readonly sort: string
  readonly height: string
  onSort: ListTableProps<HostRow>['onSort']
  onOpen(ordinal: number | undefined): void
}

/** The hosts as rows. */
export function HostTable({ fleet, columns, ordinals, choice, sidePanel, filter, sort, height, onSort, onOpen }: HostTableProps) {
  const { store } = fleet
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are read anew with each change of the fleet
  const row = useMemo(() => {
    const rows = new Map<number, HostRow>()
    return (index: number): HostRow => {
      const ordinal = ordinals[index] ?? 0
      const known = rows.get(ordinal)
      if (known !== undefined) return known
      const read = readHost(store, ordinal)
      rows.set(ordinal, read)
      return read
    }
  }, [fleet, ordinals])
  const keyOf = useCallback((index: number) => ordinals[index] ?? -1, [ordinals])
  const open = useCallback((index: number) => onOpen(ordinals[index]), [ordinals, onOpen])

  return (
    <ListTable
      list="hosts"
      label="Hosts"
      columns={columns}
      count={ordinals.length}
      row={row}
      keyOf={keyOf}
      first={ordinalOf(fleet, lastOpened())}
      sort={parseSort(sort)}
      onSort={onSort}
      onOpen={open}
      sidePanel={sidePanel}
      choice={choice}
      listKey={`${sort} ${filter}`}
      height={height}
    />
  )
}

function ordinalOf({ store }: Fleet, wanted: ReturnType<typeof lastOpened>): number | undefined {
  return wanted && store.ordinals.find((ordinal) => store.nameOf(ordinal) === wanted.host && store.nodeOf(ordinal) === wanted.node)
}
