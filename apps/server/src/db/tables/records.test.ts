import { expect, test } from 'vitest'
import { anAuditEntry } from '../../stores/records.suite.ts'
import type { TableWriter } from '../table-writer.ts'
import type { AuditHead } from './audit.ts'
import { createRecordStore } from './records.ts'

const head = (seq: number): AuditHead => ({ seq, hash: `hash ${seq}` })

/**
 * A store whose transactions end when the test says so, with the ends of the chain before and after them. They are imitated, because a
 * database does not let a test choose the order in which the answers of transactions arrive.
 */
function aStore() {
  const ends: ((seqs: { readonly before: number; readonly after: number }) => void)[] = []
  const warnings: string[] = []
  const transaction = () =>
    new Promise((resolve) => void ends.push(({ before, after }) => resolve({ before: head(before), head: head(after) })))
  const store = createRecordStore({ transaction } as Pick<TableWriter, 'transaction'>, {
    mayPack: () => true,
    warn: (message) => void warnings.push(message),
  })
  return { store, ends, warnings }
}

test('concurrent writes that end in another order than they were made cause no warning, and rows that are missing later do', async () => {
  const { store, ends, warnings } = aStore()
  const [first, second] = [store.keepAudit([anAuditEntry()]), store.keepAudit([anAuditEntry()])]
  ends[1]?.({ before: 1, after: 2 })
  await second
  ends[0]?.({ before: 0, after: 1 })
  await first
  expect(warnings).toEqual([])
  const third = store.keepAudit([anAuditEntry()])
  ends[2]?.({ before: 1, after: 2 })
  await third
  expect(warnings).toEqual(['the audit lost rows: row 2 was written, but the last row is 1; rows were removed or a backup was restored'])
})
