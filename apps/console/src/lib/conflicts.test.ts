import { expect, test } from 'vitest'
import { conflictsLine } from './conflicts.ts'

test('the share of conflicts is computed from the proposals of all live replicas that report their conflicts', () => {
  const one = { live: true, proposals: 90, conflicts: 0 }
  const busy = { ...one, proposals: 10, conflicts: 5 }
  const gone = { ...one, live: false, conflicts: 90 }
  const older = { ...one, proposals: null, conflicts: null }
  expect(conflictsLine([one, busy, gone]).value).toBe('5 %')
  expect(conflictsLine([one, busy, gone]).title).toBe(
    'Of 100 proposals in the last minute, 5 had no effect, because they conflicted with an earlier entry of the log or the store refused their entry',
  )
  expect(conflictsLine([busy, older])).toMatchObject({ value: '50 %', title: expect.stringContaining('1 of 2 replicas do not report') })
  expect(conflictsLine([older]).value).toBe('-')
  expect(conflictsLine([{ ...one, proposals: 0 }]).value).toBe('-')
})
