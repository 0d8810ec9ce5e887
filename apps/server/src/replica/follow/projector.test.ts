import { aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { unavailableTables } from '../../testing/unavailable-tables.ts'
import { Replica } from '../replica.ts'
import { createHistory } from './history.ts'
import { createProjector } from './projector.ts'

test('the rows of several entries are written together, at once if a query waits for them', async () => {
  const store = createMemoryStore().open()
  const replica = await Replica.start({ store, name: 'x', recordUnlogged: async () => {}, warn: () => {} })
  const tables = unavailableTables()
  tables.isAway = false
  const transactions: number[] = []
  const counted: typeof tables = {
    ...tables,
    write(rows) {
      transactions.push(rows.length)
      return tables.write(rows)
    },
  }
  // without a query, the rows would be written after a day
  const gatherMs = 24 * 3_600_000
  const projector = createProjector(replica, counted, { log: store, warn: () => {}, history: createHistory(store), gatherMs })
  for (const host of ['h1', 'h2', 'h3']) await replica.propose([aReport(host)])
  expect(transactions).toEqual([])
  expect(await projector.reached(3, 60_000)).toBe(true)
  expect(transactions).toEqual([3])
  await replica.propose([aReport('h4')])
  await projector.close()
  expect(transactions).toEqual([3, 1])
  await replica.close()
})
