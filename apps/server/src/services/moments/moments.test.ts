import { checkpointOf } from '@gantt/scheduler-core'
import { aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { createHistory } from '../../replica/follow/history.ts'
import { KEPT_THINGS } from '../../replica/follow/past-fleets.ts'
import { Replica } from '../../replica/replica.ts'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import type { InputFault } from '../calls/outcome.ts'
import { createMoments } from './moments.ts'

/** A log of twelve entries, a second apart, with checkpoints at 4, 8 and 12. */
async function aLog() {
  let clock = 1_000_000
  const store = createMemoryStore(() => clock)
  const log = store.open()
  const replica = await Replica.start({ store: log, name: 'r', recordUnlogged: async () => {}, warn: (message) => expect.fail(message) })
  for (let i = 1; i <= 12; i++) {
    clock += 1_000
    await replica.propose([aReport(`h${i}`)])
    if (i % 4 === 0) await log.saveCheckpoint(checkpointOf(replica.fleet))
  }
  const history = createHistory(log.past, KEPT_THINGS)
  const close = async () => {
    history.close()
    await replica.close()
  }
  return { store, log, replica, moments: createMoments(replica, history, log.past), close }
}

const refusal = async (asked: Promise<unknown>) => {
  const error = (await asked.then(
    () => expect.fail('the call was answered'),
    (cause: unknown) => cause,
  )) as InputFault
  return error.issues[0]
}

test('a revision that was trimmed from the log is refused, and the message names the first available revision', async () => {
  const { store, log, moments, close } = await aLog()
  store.followedTo(12)
  await log.trim({ days: 30, bytes: 1 })
  expect(await refusal(moments.revisionAt({ revision: 7 }, ['at']))).toMatchObject({
    code: 'moment.gone',
    message: `at is 7; it must be 8 or more: entries before ${new Date(1_008_000).toISOString()} are deleted`,
  })
  expect(await refusal(moments.revisionAt({ time: 1_007_999 }, ['at']))).toMatchObject({ code: 'moment.gone' })
  expect(await moments.revisionAt({ time: 1_008_000 }, ['at'])).toBe(8)
  expect((await moments.forCall()({ revision: 8 })).hosts.count).toBe(8)
  await close()
})

test('every time finds the last revision at or before it, and the fleet of that revision does not change later', async () => {
  const { replica, moments, close } = await aLog()
  const found = []
  for (let at = 1_001_000; at < 1_012_000; at += 500) found.push(await moments.revisionAt({ time: at }, ['at']))
  expect(found).toEqual(Array.from({ length: 22 }, (_, i) => Math.floor(i / 2) + 1))
  expect(await refusal(moments.revisionAt({ time: 1_000_999 }, ['at']))).toMatchObject({ code: 'moment.before_log' })
  const fleetAt = moments.forCall()
  const last = await fleetAt({ revision: 12 })
  expect(await fleetAt({ revision: 12 })).toBe(last)
  await replica.propose([aReport('h13')])
  expect([last.hosts.count, (await fleetAt(null)).hosts.count]).toEqual([12, 13])
  await close()
})
