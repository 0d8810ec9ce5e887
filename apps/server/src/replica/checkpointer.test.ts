import { aLog, aReport } from '@gantt/scheduler-core/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemoryStore } from '../sync/memory/memory.ts'
import { DEFAULT_HORIZON } from '../sync/retention.ts'
import type { Synchronizer } from '../sync/synchronizer.ts'
import { realTimers as timers } from '../timers.ts'
import { createCheckpointer } from './checkpointer.ts'

const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/**
 * At which minutes checkpoints begin of a fleet that changes a little each minute, where the store takes so long to keep one, and is away
 * at the first few; nothing changes any more after some minutes.
 */
async function minutesOf(keepsFor: number, minutes: number, changes = 1, fails = 0, endsAfter = minutes): Promise<number[]> {
  const startedAt = timers.now()
  const log = aLog()
  const began: number[] = []
  const warnings: string[] = []
  const store: Synchronizer = {
    ...createMemoryStore().open(),
    async saveCheckpoint() {
      began.push(Math.floor((timers.now() - startedAt) / MINUTE))
      await new Promise<void>((resolve) => void timers.after(keepsFor, resolve))
      if (began.length <= fails) throw new Error('the store is away')
      return true
    },
    trim: async () => {},
  }
  const checkpointer = createCheckpointer(store, {
    timers,
    revision: 0,
    horizon: DEFAULT_HORIZON,
    onCopy: () => {},
    warn: (message) => void warnings.push(message),
  })
  for (let minute = 0; minute < minutes; minute++) {
    await vi.advanceTimersByTimeAsync(minute === 0 ? MINUTE / 2 : MINUTE)
    if (minute >= endsAfter) continue
    log.append([aReport(`h${minute}`)])
    checkpointer.applied(log.fleet, changes)
  }
  expect(warnings).toEqual(Array(fails).fill(expect.stringMatching(/the store is away$/)))
  return began
}

test.each<[what: string, keepsFor: number, changes: number, began: readonly number[]]>([
  ['a minute of change is enough where they are made at once', 100, 1, [1, 2, 3, 4, 5, 6, 7, 8]],
  ['none is made for longer than a twentieth of the time', 6_000, 1, [1, 3, 5, 7]],
  ['nor while another is made', 150_000, 1, [1]],
  ['many changes do not wait: what a start reads stays short', 6_000, 10_000, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
])('%s', async (_, keepsFor, changes, began) => {
  expect(await minutesOf(keepsFor, 9, changes)).toEqual(began)
})

test('there is no rest after one that was not written, however long it was tried', async () => {
  expect(await minutesOf(6_000, 9, 1, 3)).toEqual([1, 2, 3, 4, 6, 8])
})

test('one that was not written is tried again, though nothing changed since', async () => {
  expect(await minutesOf(100, 6, 1, 2, 1)).toEqual([1, 2, 3])
})
