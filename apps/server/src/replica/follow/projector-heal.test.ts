import type { HostIndex } from '@gantt/scheduler-core'
import { aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import type { Rows } from '../../db/tables/rows.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { Replica } from '../replica.ts'
import { healReplica } from '../watch/heal.ts'
import { createHistory } from './history.ts'
import { createProjector } from './projector.ts'

test('after a heal, rows that wait are recreated from the log, because they were made from the replaced state', async () => {
  const store = createMemoryStore().open()
  const replica = await Replica.start({ store, name: 'x', recordUnlogged: async () => {}, warn: () => {} })
  let isAway = true
  const written: Rows[] = []
  const projector = createProjector(
    replica,
    {
      position: async () => ({ revision: written.length, id: written.at(-1)?.entryId ?? '' }),
      countSetAside: async () => 0,
      async write(rows) {
        if (isAway) throw new Error('the database does not answer')
        const next = rows.filter(({ revision }) => revision > written.length)
        if (next[0]?.revision === written.length + 1) written.push(...next)
        return written.length
      },
    },
    { log: store, warn: () => {}, history: createHistory(store) },
  )
  await replica.propose([aReport('h1')])
  replica.fleet.hosts.columns.status[0 as HostIndex] = 1
  await replica.propose([aReport('h1', { vcpusUsed: 1 }, 2)])
  await healReplica(replica, store.past, { from: undefined, dryRun: false })
  isAway = false
  expect(await projector.reached(replica.fleet.place.revision, 120_000)).toBe(true)
  expect(written.map(({ nodes }) => nodes.map(({ status }) => status))).toEqual([['ENABLED'], ['ENABLED']])
  await projector.close()
  await replica.close()
})
