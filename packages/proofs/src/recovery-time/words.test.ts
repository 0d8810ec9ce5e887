import { startText } from '@gantt/server/for-proofs'
import { expect, test } from 'vitest'
import { findStart } from './words.ts'

test.each([
  { checkpoint: 0, checkpointMs: 0, entries: 0, entriesMs: 0 },
  { checkpoint: 0, checkpointMs: 0, entries: 1, entriesMs: 20 },
  { checkpoint: 0, checkpointMs: 0, entries: 48, entriesMs: 250 },
  { checkpoint: 7, checkpointMs: 1_500, entries: 0, entriesMs: 0 },
  { checkpoint: 7, checkpointMs: 1_500, entries: 1, entriesMs: 10 },
  { checkpoint: 7, checkpointMs: 1_500, entries: 2_000, entriesMs: 250 },
])('the figures of a start are found in the line in which the service logs them: %o', (figures) => {
  const { checkpointMs, entries, entriesMs } = figures
  expect(findStart(['Listening.', startText(figures)])).toEqual({
    checkpointSeconds: checkpointMs / 1_000,
    entries,
    entriesSeconds: entriesMs / 1_000,
  })
})

test('other lines contain no figures of a start', () => {
  expect(findStart(['Fleet: unknown', 'Gantt is ready.'])).toBeUndefined()
})
