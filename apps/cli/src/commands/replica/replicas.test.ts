import { expect, test } from 'vitest'
import { isChecked, toChecked } from '../fleet/findings.ts'
import { isSound } from './replicas.ts'

const NOW = Date.parse('2026-11-29T12:00:00Z')
const recent = '2026-11-29T11:59:00Z'
const live = { live: true, stoppedAt: null, violations: 0, checkedAt: recent }
const stopped = { live: false, stoppedAt: recent, violations: 0, checkedAt: recent }
const sound = { violations: 0, age: 'PT1M' }

test.each([
  ['all replicas are live, checked and without violations', [live, live], sound, true],
  ['a replica was stopped', [live, stopped], sound, true],
  ['a replica is silent', [live, { ...stopped, stoppedAt: null }], sound, false],
  ['the answering replica has not completed its first check', [live], { violations: 0, age: null }, false],
  ['the last check of the answering replica is more than a day old', [live], { violations: 0, age: 'P1DT1S' }, false],
  ['another replica has not completed its first check', [live, { ...live, checkedAt: null }], sound, false],
  ['the last check of another replica is more than a day old', [live, { ...live, checkedAt: '2026-11-28T11:00:00Z' }], sound, false],
  ['a replica has a violation', [live, { ...live, violations: 1 }], sound, false],
  ['the auditor has found a violation', [live], { violations: 1, age: 'PT1M' }, false],
])('gantt replicas says whether all is sound: %s', (_what, replicas, auditor, expected) =>
  expect(isSound({ replicas, auditor }, NOW)).toBe(expected),
)

test('findings count as checked only if the auditor completed a full check in the last day', () => {
  expect([null, 'P1DT1S', 'P1D', 'PT2S'].map(isChecked)).toEqual([false, false, true, true])
  expect(toChecked(null)).toBe('no full check yet, so findings can be missing')
  expect(toChecked('PT2S', '7 items, ')).toBe('last full check: 7 items, 2 s ago')
  expect(toChecked('P2D')).toBe('last full check: 2 d ago, which is more than a day')
})
