import { expect, test } from 'vitest'
import type { Activity } from './figures.ts'
import { endOf, lineOf, pathOf, positionOf } from './steps.ts'

const step = (at: string, decisions: number, failed: number, took: { p50Ms: number; p99Ms: number } | null) => ({
  at,
  decisions,
  failed,
  took,
})

// Only the fields that the tested functions read.
const activity = {
  since: '2026-11-20T09:00:00.000Z',
  until: '2026-11-20T09:00:25.000Z',
  steps: [
    step('2026-11-20T09:00:00.000Z', 1, 0, { p50Ms: 2, p99Ms: 2 }),
    step('2026-11-20T09:00:10.000Z', 0, 0, null),
    step('2026-11-20T09:00:20.000Z', 1_200, 3, { p50Ms: 4.25, p99Ms: 38.4 }),
  ],
} as unknown as Activity

test('a step ends where the next step begins, and the last step ends at the end of the time span', () => {
  expect([endOf(activity, 0), endOf(activity, 2)]).toEqual(['2026-11-20T09:00:10.000Z', '2026-11-20T09:00:25.000Z'])
})

test.each([
  [0, 0, '2026-11-20 09:00:00 to 2026-11-20 09:00:10: 1 decision, 0 failed, p50 2 ms, p99 2 ms'],
  [1, 1, '2026-11-20 09:00:10 to 2026-11-20 09:00:20: 0 decisions, 0 failed'],
  [1, 2, '2026-11-20 09:00:10 to 2026-11-20 09:00:25: 1,200 decisions, 3 failed, p50 4.3 ms, p99 38.4 ms'],
  [0, 2, '2026-11-20 09:00:00 to 2026-11-20 09:00:25: 1,201 decisions, 3 failed, p99 of a step at most 38.4 ms'],
])('steps %d to %d are reported as %s', (from, to, text) => {
  expect(lineOf(activity, from, to, 'utc')).toBe(text)
})

test('the mark of a change is at its time, in the step in which the change was made', () => {
  const mark = { id: '1', at: '2026-11-20T09:00:15.000Z', account: 'ann', mutation: 'profileActivate', target: 'default@3' }
  const [before, at] = [0, 1].map((index) => lineOf(activity, index, index, 'utc', [mark]))
  expect(before).not.toContain('changed')
  expect(at).toBe('2026-11-20 09:00:10 to 2026-11-20 09:00:20: 0 decisions, 0 failed, changed: profileActivate of default@3')
  const newer = { ...mark, id: '2', at: '2026-11-20T09:00:16.000Z', mutation: 'hostSetStatus', target: 'cmp-1' }
  expect(lineOf(activity, 1, 1, 'utc', [newer, mark])).toMatch(/, 2 changes, the newest: hostSetStatus of cmp-1$/)
  expect([positionOf(activity, mark.at), positionOf(activity, activity.since), positionOf(activity, '2026-11-21T00:00:00.000Z')]).toEqual([
    1.5, 0, 3,
  ])
})

test.each([
  [[1, 2, 0], 'M0 50H1V0H2V100H3'],
  [[1, undefined, 2], 'M0 50H1M2 0H3'],
  [[undefined, undefined], ''],
])('%j is drawn as %s', (numbers, path) => {
  expect(pathOf(numbers, 2, 100)).toBe(path)
})
