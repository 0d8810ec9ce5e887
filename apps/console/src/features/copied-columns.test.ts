import { expect, test } from 'vitest'
import { claimColumns, claimFieldsCopied } from './claims/claim-columns.tsx'
import { decisionColumns, decisionFieldsCopied } from './decisions/list/decision-columns.tsx'
import { keyColumns, keyFieldsCopied } from './keys/key-columns.tsx'
import { replicaColumns, replicaFieldsCopied } from './replicas/replica-columns.tsx'

interface List {
  readonly name: string
  readonly columns: readonly { readonly key: string }[]
  readonly fields: readonly (readonly [name: string, read: unknown, column?: string])[]
  /** Columns that are always copied, or that have no content to copy. */
  readonly without: readonly string[]
}

const lists: readonly List[] = [
  { name: 'claims', columns: claimColumns, fields: claimFieldsCopied, without: [] },
  { name: 'decisions', columns: decisionColumns('utc', 0), fields: decisionFieldsCopied(0), without: [] },
  { name: 'keys', columns: keyColumns(() => {}), fields: keyFieldsCopied, without: ['steps'] },
  { name: 'replicas', columns: replicaColumns([]), fields: replicaFieldsCopied([]), without: ['name'] },
]

test.each(lists)('a copy of the list $name has every column that can be shown', ({ columns, fields, without }) => {
  const copied = new Set(fields.flatMap(([, , column]) => (column === undefined ? [] : [column])))
  expect(columns.map(({ key }) => key).filter((key) => !copied.has(key) && !without.includes(key))).toEqual([])
})
