import { expect, test } from 'vitest'
import { agrees, modeOf, problemsOf, type Replica } from './compare.ts'

const replica = (id: string, more: Partial<Replica> = {}): Replica => ({
  ...{ id, url: null, version: '1.0.0', featureLevel: 6, mode: 'NORMAL', reason: null, live: true, answers: false, revision: '9' },
  ...{ lagEvents: 0, lag: 'PT0S', violations: 0, checkedAt: null, stateHash: { revision: '9', hash: 'aa' } },
  ...{
    lagHistory: [],
    decisionsPerSecond: 0,
    proposals: 0,
    conflicts: 0,
    memoryBytes: 0,
    hosts: { up: 0, suspect: 0, down: 0 },
    plugins: [],
  },
  ...{ startedAt: '2026-11-20T09:00:00.000Z', lastSeenAt: '2026-11-20T09:14:02.000Z', stoppedAt: null },
  ...more,
})

test('replicas with the same state and release and recent signs of life cause no problem', () => {
  const all = [replica('a'), replica('b'), replica('c', { live: false, stoppedAt: '2026-11-20T09:14:02.000Z' })]
  expect(problemsOf(all)).toEqual([])
  expect(agrees(replica('a'), all)).toBe(true)
})

test.each([
  ['a different state at the same revision', { stateHash: { revision: '9', hash: 'bb' } }, 'differ at revision 9'],
  ['a replica of a different release', { version: '1.1.0' }, '1.0.0, 1.1.0'],
  ['a replica that is silent', { live: false }, 'b sent no heartbeat'],
])('%s is reported', (_what, more, text) => {
  const [problem, ...others] = problemsOf([replica('a'), replica('b', more)])
  expect(problem).toContain(text)
  expect(others).toEqual([])
})

test('states of different revisions are not compared', () => {
  const all = [replica('a'), replica('b', { stateHash: { revision: '8', hash: 'bb' } })]
  expect(problemsOf(all)).toEqual([])
  expect(agrees(replica('a'), all)).toBeUndefined()
})

test.each([
  [{}, 'normal'],
  [{ mode: 'STORE_AWAY' }, 'store unavailable'],
  [{ live: false }, 'silent'],
  [{ live: false, stoppedAt: '2026-11-20T09:14:02.000Z' }, 'stopped'],
])('a replica with %j is shown as %s', (more, word) => {
  expect(modeOf(replica('a', more))).toBe(word)
})
