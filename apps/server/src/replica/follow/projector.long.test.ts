import { aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { unavailableTables } from '../../testing/unavailable-tables.ts'
import { Replica } from '../replica.ts'
import { createHistory } from './history.ts'
import { createProjector } from './projector.ts'

test('a closed projector writes no further rows, even if entries arrived while it wrote', async () => {
  const store = createMemoryStore().open()
  const replica = await Replica.start({ store, name: 'x', recordUnlogged: async () => {}, warn: () => {} })
  let position = 0
  let isClosed = false
  const late: number[] = []
  const go: (() => void)[] = []
  const projector = createProjector(
    replica,
    {
      position: async () => ({ revision: position, id: '' }),
      countSetAside: async () => 0,
      async write(rows) {
        if (isClosed) late.push(rows.length)
        await new Promise<void>((resolve) => go.push(resolve))
        position = rows.at(-1)?.revision ?? position
        return position
      },
    },
    { history: createHistory(store), log: store, warn: () => {} },
  )
  await replica.propose([aReport('h1')])
  // This entry arrives while the first one is being written. If the projector were not closed, it would write this entry next.
  await replica.propose([aReport('h2')])
  const closed = projector.close().then(() => {
    isClosed = true
  })
  for (let i = 0; i < 20; i++) {
    go.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await closed
  for (let i = 0; i < 20; i++) {
    go.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect({ position, late }).toEqual({ position: 2, late: [] })
  await replica.close()
})

test('rows wait up to a limit while the database is unavailable; further rows are recreated from the log, each once', async () => {
  const store = createMemoryStore().open()
  const replica = await Replica.start({ store, name: 'x', recordUnlogged: async () => {}, warn: () => {} })
  const history = createHistory(store)
  const tables = unavailableTables()
  const walks: number[] = []
  const projector = createProjector(replica, tables, {
    log: store,
    bufferRows: 100,
    warn: () => {},
    history: {
      ...history,
      walk(after, upTo) {
        walks.push(after)
        return history.walk(after, upTo)
      },
    },
  })
  const report = aReport('h')
  const hosts = Array.from({ length: 10 }, (_, i) => `h${i}`)
  for (let sequence = 1; sequence <= 30; sequence++)
    await replica.propose(
      hosts.map((host) => ({ ...report, host, node: host, sequence })),
      120_000,
    )
  tables.isAway = false
  expect(await projector.reached(30, 120_000)).toBe(true)
  expect(tables.written.map(({ revision, nodes }) => [revision, nodes.length])).toEqual(Array.from({ length: 30 }, (_, i) => [i + 1, 10]))
  expect(walks[0]).toBe(0)
  await projector.close()
  await replica.close()
})

test('rows of entries with many hosts are recreated in several transactions', async () => {
  const store = createMemoryStore().open()
  const replica = await Replica.start({ store, name: 'x', recordUnlogged: async () => {}, warn: () => {} })
  let isAway = true
  let position = 0
  const transactions: number[] = []
  const projector = createProjector(
    replica,
    {
      position: async () => ({ revision: position, id: '' }),
      countSetAside: async () => 0,
      async write(rows) {
        if (isAway) throw new Error('the database does not answer')
        if (rows[0]?.revision !== position + 1) return position
        transactions.push(rows.reduce((sum, { nodes }) => sum + nodes.length, 0))
        position = rows.at(-1)?.revision ?? position
        return position
      },
    },
    { log: store, bufferRows: 100, warn: () => {}, history: createHistory(store) },
  )
  const report = aReport('h')
  const hosts = Array.from({ length: 1_000 }, (_, i) => `h${i}`)
  for (let sequence = 1; sequence <= 12; sequence++)
    await replica.propose(
      hosts.map((host) => ({ ...report, host, node: host, sequence })),
      120_000,
    )
  isAway = false
  expect(await projector.reached(replica.fleet.place.revision, 120_000)).toBe(true)
  expect(transactions.reduce((sum, rows) => sum + rows, 0)).toBe(12_000)
  expect(Math.max(...transactions)).toBeLessThanOrEqual(5_000)
  await projector.close()
  await replica.close()
})
