import { expect, test } from 'vitest'
import { startText } from './start.ts'

test.each([
  ['an empty log', { checkpoint: 0, entries: 0 }, 'Fleet: empty, because the log has no entries yet.'],
  ['a log without a checkpoint', { checkpoint: 0, entries: 1 }, 'Fleet: 1 entry of the log applied in 0.25 s.'],
  [
    'a checkpoint',
    { checkpoint: 10_000, entries: 12 },
    'Fleet: checkpoint at revision 10000 loaded in 1.50 s, 12 later entries of the log applied in 0.25 s.',
  ],
])('the start from %s is described in words', (_name, figures, text) => {
  expect(startText({ ...figures, checkpointMs: 1_500, entriesMs: 250 })).toBe(text)
})
