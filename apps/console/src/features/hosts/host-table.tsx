import { useCallback, useMemo, useState } from 'react'
import { useShortcuts } from '../../lib/keys.ts'
import { Table } from '../../ui/table.tsx'
import { useTableKeys } from '../../ui/table-keys.ts'
import type { Fleet } from './fleet.ts'
import { hostColumns } from './host-columns.tsx'
import { type HostRow, readHost } from './host-row.ts'
import { lastOpened } from './present-list.ts'
import type { HostChoice } from './use-choice.ts'

export interface HostTableProps {
  readonly fleet: Fleet
  /** The hosts, in order. */
  readonly ordinals: Uint32Array
  readonly choice: HostChoice
  readonly filter: string
  readonly sort: string
  readonly height: string
  onSort(sort: string): void
  onOpen(ordinal: number | undefined): void
}

/** The hosts as rows. The cursor stays with its host, wherever a live change moves it. */
export function HostTable({ fleet, ordinals, choice, filter, sort, height, onSort, onOpen }: HostTableProps) {
  const { store } = fleet
  const [cursor, setCursor] = useState(() => ordinalOf(fleet, lastOpened()))
  const active = useMemo(() => (cursor === undefined ? -1 : ordinals.indexOf(cursor)), [ordinals, cursor])

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
  const setActive = useCallback((index: number) => setCursor(ordinals[index]), [ordinals])
  const open = useCallback((index: number) => onOpen(ordinals[index]), [ordinals, onOpen])
  useTableKeys({ count: ordinals.length, active, onActive: setActive, onOpen: open })

  const isChosen = useCallback((index: number) => choice.ordinals.has(ordinals[index] ?? -1), [choice.ordinals, ordinals])
  useShortcuts([
    { keys: 'x', label: 'Choose the host, or not', run: () => choice.toggle(active, false) },
    { keys: 'X', label: 'Choose all hosts from the one chosen last to this one', run: () => choice.toggle(active, true) },
  ])

  return (
    <Table
      label="Hosts"
      columns={hostColumns}
      count={ordinals.length}
      row={row}
      rowKey={(index) => String(ordinals[index])}
      sort={{ key: sort.replace(/^-/, ''), descending: sort.startsWith('-') }}
      onSort={({ key, descending }) => onSort(descending ? `-${key}` : key)}
      active={active}
      onActive={setActive}
      onOpen={open}
      isChosen={isChosen}
      onChoose={choice.toggle}
      listKey={`${sort} ${filter}`}
      height={height}
    />
  )
}

function ordinalOf({ store }: Fleet, wanted: ReturnType<typeof lastOpened>): number | undefined {
  return wanted && store.ordinals.find((ordinal) => store.nameOf(ordinal) === wanted.host && store.nodeOf(ordinal) === wanted.node)
}
