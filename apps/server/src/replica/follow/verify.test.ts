import { checkpointOf } from '@gantt/scheduler-core'
import { aReport, aRequest } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import type { StoredDecision } from '../../db/tables/rows.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { Replica } from '../replica.ts'
import { rowsOf } from './rows-of.ts'
import { verifyDecisions } from './verify.ts'

test('a trimmed log is checked from its oldest checkpoint on, and earlier decisions are only counted', async () => {
  const memory = createMemoryStore()
  const store = memory.open()
  const replica = await Replica.start({ store, name: 'x', recordUnlogged: async () => {}, warn: () => {} })
  const stored: StoredDecision[] = []
  replica.onApplied((applied) => void stored.push(...rowsOf(replica.fleet, applied, () => 'spec').decisions))
  await replica.propose([aReport('h1', { vcpus: 64 })])
  const place = (key: string) =>
    replica.place({
      account: 'a',
      key,
      digest: key,
      request: aRequest({ memoryMb: 64 }),
      profile: 'default',
      mode: 'CONFIRM',
      ttlMs: 1_000,
      deadlineMs: 120_000,
      alternatesPerInstance: 0,
      intent: 'CREATE',
      source: null,
      allOrNothing: true,
    })
  for (let i = 0; i < 6; i++) {
    await place(`k${i}`)
    if (i % 2 === 1) await store.saveCheckpoint(checkpointOf(replica.fleet))
  }
  await store.trim({ days: 0, bytes: 0 })
  // entries 1 to 7, checkpoints at 3, 5 and 7: the newest two are kept, and the log begins at the older of them
  expect(await verifyDecisions(store, stored)).toEqual({ from: 5, checked: 2, beyond: 4, conflicts: 0, elsewhere: 0, differences: [] })
  const wrong = stored.map((one) => (one.place.basis === 6 ? { ...one, record: { ...one.record, seed: 'another' } } : one))
  expect((await verifyDecisions(store, wrong)).differences).toHaveLength(1)
  await replica.close()
})
