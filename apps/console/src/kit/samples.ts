import type { QueryField } from '@gantt/scheduler-core/query'
import { graphql } from '../lib/service/graphql.ts'
import type { Call } from '../lib/service/wire.ts'
import type { TableColumn } from '../ui/table/table.tsx'

/** The present time in the kit. */
export const NOW = Date.now()

/** A text with a long word, which has no position for a line break and is wider than its container. */
export const LONG = `a-name-as-long-as-names-may-be-${'x'.repeat(120)} and a sentence behind it that says what it is for and where it comes from.`

/** A call that every key may make. */
export const CALL: Call = {
  document: graphql(`
    query KitViewer {
      viewer { scopes }
    }
  `),
}

export const nothing = (): void => {}

export interface Sample {
  readonly name: string
  readonly zone: string
  readonly free: number
}

/** Creates this number of different rows. */
export const samples = (count: number): readonly Sample[] =>
  Array.from({ length: count }, (_, i) => ({
    name: i === 2 ? LONG : `cmp-${String(i).padStart(4, '0')}`,
    zone: `az${1 + (i % 3)}`,
    free: 4_096 * i,
  }))

export const columns: readonly TableColumn<Sample>[] = [
  { key: 'name', label: 'Host', width: 'minmax(160px, 1fr)', sortable: true, value: ({ name }) => name },
  { key: 'zone', label: 'Zone', width: '96px', sortable: true, value: ({ zone }) => zone },
  { key: 'free', label: 'Free', title: 'Free memory, MiB', width: '96px', align: 'right', sortable: true, value: ({ free }) => free },
  { key: 'extra', label: 'Extra', width: '96px', isExtra: true, value: () => 'hidden by default' },
]

export const fields: readonly QueryField[] = [
  { name: 'state', kind: 'enum', values: ['up', 'down'], description: 'Whether it is alive.' },
  { name: 'mem.free', kind: 'number', unit: 'MiB', description: 'Free memory.' },
]
