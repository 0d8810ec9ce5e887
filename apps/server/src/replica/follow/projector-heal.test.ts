import type { HostIndex } from '@gantt/scheduler-core'
import { aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { unavailableTables } from '../../testing/unavailable-tables.ts'
import { Replica } from '../replica.ts'
import { healReplica } from '../watch/heal.ts'
import { createHistory } from './history.ts'
import { createProjector } from './projector.ts'

test('after a heal, rows that wait are recreated from the log, because they were made from the replaced state', async () => {
  const store = createMemoryStore().open()
  const replica = await Replica.start({ store, name: 'x', recordUnlogged: async () => {}, warn: () => {} })
  const tables = unavailableTables()
  const projector = createProjector(replica, tables, { log: store, warn: () => {}, history: createHistory(store) })
  await replica.propose([aReport('h1')])
  replica.fleet.hosts.columns.status[0 as HostIndex] = 1
  await replica.propose([aReport('h1', { vcpusUsed: 1 }, 2)])
  await healReplica(replica, store.past, { from: undefined, dryRun: false })
  tables.isAway = false
  expect(await projector.reached(replica.fleet.place.revision, 120_000)).toBe(true)
  expect(tables.written.map(({ nodes }) => nodes.map(({ status }) => status))).toEqual([['ENABLED'], ['ENABLED']])
  await projector.close()
  await replica.close()
})
