import { aLog, aReport } from '@gantt/scheduler-core/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemoryStore } from '../../sync/memory/memory.ts'
import { DEFAULT_HORIZON } from '../../sync/retention.ts'
import type { Synchronizer } from '../../sync/synchronizer.ts'
import { realTimers as timers } from '../../timers.ts'
import { createCheckpointer } from './checkpointer.ts'

const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/**
 * Returns the minutes in which checkpoints begin. The fleet gets `changes` changes in each of the first `endsAfter` minutes. Writing a
 * checkpoint takes `keepsFor` milliseconds. The first `fails` attempts fail.
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
      if (began.length <= fails) throw new Error('the store is unavailable')
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
  expect(warnings).toEqual(Array(fails).fill(expect.stringMatching(/the store is unavailable$/)))
  return began
}

test.each<[what: string, keepsFor: number, changes: number, began: readonly number[]]>([
  ['a checkpoint is written after each minute with changes if writing it takes little time', 100, 1, [1, 2, 3, 4, 5, 6, 7, 8]],
  ['writing checkpoints takes at most a twentieth of the time', 6_000, 1, [1, 3, 5, 7]],
  ['no checkpoint begins while another one is written', 150_000, 1, [1]],
  ['after many changes a checkpoint is written early, so that a start reads few entries', 6_000, 10_000, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
])('%s', async (_, keepsFor, changes, began) => {
  expect(await minutesOf(keepsFor, 9, changes)).toEqual(began)
})

test('a failed checkpoint is tried again without a pause, however long the attempt took', async () => {
  expect(await minutesOf(6_000, 9, 1, 3)).toEqual([1, 2, 3, 4, 6, 8])
})

test('a failed checkpoint is tried again even without further changes', async () => {
  expect(await minutesOf(100, 6, 1, 2, 1)).toEqual([1, 2, 3])
})
