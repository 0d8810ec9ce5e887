import { aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../sync/memory/memory.ts'
import { createHistory } from './history.ts'
import { createProjector } from './projector.ts'
import { Replica } from './replica.ts'

test('once a projector is closed it writes no more, though entries came while it wrote', async () => {
  const store = createMemoryStore().open()
  const replica = await Replica.start({ store, name: 'x', recordUnlogged: async () => {}, warn: () => {} })
  let position = 0
  let isClosed = false
  const late: number[] = []
  const go: (() => void)[] = []
  const projector = createProjector(
    replica,
    {
      position: async () => position,
      countSetAside: async () => 0,
      async write(rows) {
        if (isClosed) late.push(rows.length)
        await new Promise<void>((resolve) => go.push(resolve))
        position = rows.at(-1)?.revision ?? position
        return position
      },
    },
    createHistory(store),
    () => {},
  )
  await replica.propose([aReport('h1')])
  // arrives while the first is being written: without a stop it would be written by whoever comes next
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
