import { ORIGIN } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { createTurns } from '../event-loop/pauses.ts'
import { parseEntriesYielding } from './parse-entries.ts'

test('entries that take long to parse are parsed in several turns of the event loop, in order', async () => {
  let now = 0
  let turns = 0
  const after = (_ms: number, then: () => void) => {
    const timer = setImmediate(() => {
      turns++
      then()
    })
    return () => clearImmediate(timer)
  }
  const timers = { now: () => now, after, every: () => () => undefined }
  const parse = (revision: number) => {
    now += 3
    return { format: 1 as const, id: `entry ${revision}`, writer: 'w', basis: ORIGIN, changes: [], revision, at: 0 }
  }
  const entries = await parseEntriesYielding([1, 2, 3, 4, 5, 6], parse, createTurns(timers))
  expect(entries.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 6])
  expect(turns).toBeGreaterThanOrEqual(2)
})
