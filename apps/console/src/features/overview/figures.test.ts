import { expect, test } from 'vitest'
import { changeOf, FAILED, failedShare, fitsOf, perMinute, queryOf, replicasLine, shareChangeOf } from './figures.ts'

test('the failure rate is the share of failed decisions', () => {
  expect(failedShare({ decisions: 1_000, failed: 8 })).toBe('0.8 %')
})

test('decisions per minute are averaged over the whole span', () => {
  const span = { since: '2026-11-20T09:00:00.000Z', until: '2026-11-20T10:00:00.000Z' }
  expect([perMinute({ ...span, decisions: 12_345 }), perMinute({ ...span, decisions: 1 })]).toEqual(['210', '0.02'])
})

const group = { hostsWithRoom: 1, bottleneck: null }

test('fragmentation is the share of instances that do not fit, of those that would fit if each zone were one host', () => {
  const groups = [
    { ...group, key: 'a', fits: 1, fitsIfPooled: 3 },
    { ...group, key: 'b', fits: 1, fitsIfPooled: 1 },
  ]
  expect(fitsOf({ fits: 2, exact: true, groups })).toMatchObject({ fits: 2, fragmentation: 0.5 })
  expect(fitsOf({ fits: 2, exact: false, groups }).fragmentation).toBeUndefined()
  expect(fitsOf({ fits: 0, exact: true, groups: [{ ...group, key: 'a', fits: 0, fitsIfPooled: null }] }).fragmentation).toBeUndefined()
})

test('the line is marked if a replica is not live or has violations, and shows the lag of live replicas only', () => {
  const one = { id: 'r1', live: true, lag: 'PT0.012S', violations: 0, proposals: 0, conflicts: 0 }
  expect(replicasLine([one])).toEqual({ value: '1 of 1, lag 12 ms', isBad: false })
  expect(replicasLine([one, { ...one, id: 'r2', live: false, lag: 'PT9S' }])).toEqual({ value: '1 of 2, lag 12 ms', isBad: true })
  expect(replicasLine([{ ...one, violations: 1 }]).isBad).toBe(true)
})

test('the link of a count contains the exact times of the period', () => {
  const span = { since: '2026-11-20T09:00:00.000Z', until: '2026-11-20T10:00:00.007Z' }
  expect(queryOf(span)).toBe('at>=2026-11-20T09:00:00Z at<2026-11-20T10:00:00.007Z')
  expect(queryOf(span, FAILED)).toBe('outcome:PARTIAL,NO_VALID_HOST at>=2026-11-20T09:00:00Z at<2026-11-20T10:00:00.007Z')
})

test.each([
  [103, 100, '+3 %'],
  [97, 100, '−3 %'],
  [1_004, 1_000, '+0.4 %'],
  [100, 100, '±0 %'],
  [100_001, 100_000, '±0 %'],
  [3_000, 100, '+2,900 %'],
  [0, 5, '−100 %'],
  [5, 0, undefined],
  [0, 0, undefined],
])('%d instead of %d is shown as %s', (now, before, text) => {
  expect(changeOf(now, before)).toBe(text)
})

test('the change of a share is in percentage points', () => {
  const of = (decisions: number, failed: number) => ({ decisions, failed })
  expect(shareChangeOf(of(1_000, 8), of(1_000, 5))).toBe('+0.3 points')
  expect(shareChangeOf(of(10, 1), of(10, 9))).toBe('−80 points')
  expect(shareChangeOf(of(10, 1), of(1_000, 100))).toBe('±0 points')
  expect(shareChangeOf(of(10, 1), of(0, 0))).toBeUndefined()
})
