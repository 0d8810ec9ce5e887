import { createRandom } from '@gantt/scheduler-core'
import { describe, expect, test } from 'vitest'
import { type CallKind, drawWork, type Read, readAnswer } from './calls.ts'
import { readMix } from './command.ts'

const selected = { host: { name: 'load-1', node: 'load-1' }, claim: { id: 'c-1', fence: 7 } }
const payload = (claim: object | null) => ({
  __typename: 'SelectDestinationsPayload',
  decision: { id: 'd-1' },
  destinations: [{ selected: { ...selected, claim } }],
})
const applied = { __typename: 'ResourceStatsApplied', unchanged: false }
const chosen = { decisionId: 'd-1', host: { host: 'load-1', node: 'load-1' } }

test.each<readonly [string, CallKind, object, Read]>([
  [
    'a placement with a claim',
    'select',
    { selectDestinations: payload(selected.claim) },
    { type: 'SelectDestinationsPayload', claim: { id: 'c-1', fence: 7 }, chosen },
  ],
  ['a choice without a claim', 'select', { selectDestinations: payload(null) }, { type: 'SelectDestinationsPayload', chosen }],
  ['a refusal', 'select', { selectDestinations: { __typename: 'NoValidHost', message: 'full' } }, { type: 'NoValidHost' }],
  ['a release', 'release', { claimRelease: [{ __typename: 'ClaimPayload' }] }, { type: 'ClaimPayload' }],
  ['a report', 'report', { updateResourceStats: { results: [applied, applied] } }, { type: 'ResourceStatsApplied' }],
  ['a heartbeat', 'heartbeat', { updateResourceStats: { results: [{ ...applied, unchanged: true }] } }, { type: 'ResourceStatsApplied' }],
  ['a mutation that does nothing', 'noop', { __typename: 'Mutation' }, { type: 'Mutation' }],
])('%s is read', (_what, kind, data, expected) => {
  expect(readAnswer(kind, 200, JSON.stringify({ data }))).toEqual(expected)
})

test.each<readonly [string, CallKind, number, string, string]>([
  ['a lost connection', 'select', 0, 'socket hang up', 'expected JSON, found status 0: socket hang up'],
  ['a fault', 'select', 503, '{"errors":[{"message":"no"}]}', 'status 503: {"errors":[{"message":"no"}]}'],
  ['a lost claim', 'release', 200, '{"data":{"claimRelease":[{"__typename":"ClaimLost","message":"gone"}]}}', 'ClaimLost: gone'],
  [
    'a refused report',
    'report',
    200,
    '{"data":{"updateResourceStats":{"results":[{"__typename":"ResourceStatsApplied"},{"__typename":"ResourceStatsStale"}]}}}',
    'ResourceStatsStale: ',
  ],
  [
    'a heartbeat that changed its host',
    'heartbeat',
    200,
    '{"data":{"updateResourceStats":{"results":[{"__typename":"ResourceStatsApplied","unchanged":false}]}}}',
    'expected no report to change its host: {"data":{"updateResourceStats":{"results":[{"__typename":"ResourceStatsApplied","unchanged":false}]}}}',
  ],
])('%s is a failure', (_what, kind, status, text, failure) => {
  expect(readAnswer(kind, status, text)).toMatchObject({ failure })
})

test('callers choose each kind of work as often as its share says, and never a kind without one', () => {
  const random = createRandom('shares')
  const mix = readMix('select=50,report=25,release=25')
  const times = { select: 0, claim: 0, release: 0, report: 0, heartbeat: 0 }
  for (let i = 0; i < 10_000; i++) times[drawWork(random, mix)]++
  expect(times.claim).toBe(0)
  for (const [kind, share] of [['select', 50] as const, ['report', 25] as const, ['release', 25] as const])
    expect(Math.abs(times[kind] / 100 - share)).toBeLessThan(3)
})

describe('a mix of shares', () => {
  test('that is not named is 0', () => {
    expect(readMix('select=100')).toEqual({ select: 100, claim: 0, release: 0, report: 0, heartbeat: 0 })
  })
  test.each(['', 'select', 'select=-1', 'select=1.5', 'delete=1', 'select=0'])('%j is refused', (text) => {
    expect(() => readMix(text)).toThrow(/must be KIND=SHARE|must be above 0/)
  })
})
