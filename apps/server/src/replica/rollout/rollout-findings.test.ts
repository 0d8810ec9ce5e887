import { expect, test } from 'vitest'
import type { KeptDisagreement, RolloutMinute, RolloutStore } from '../../db/tables/rollouts.ts'
import { createRolloutFindings, type Finding, MINUTE_MS, ROLLOUT_KEPT_MS, rolloutId } from './rollout-findings.ts'

const AT = 1_800_000_000_000
const rollout = rolloutId('site', { number: 2, mode: 'SHADOW', since: AT })

/** Findings with tables in memory that can be unavailable, and a clock that the test advances. */
function open() {
  const minutes = new Map<string, RolloutMinute>()
  const kept = new Map<string, KeptDisagreement>()
  const forgotten: number[] = []
  const warnings: string[] = []
  const state = { isAway: false, minutes, kept, forgotten, warnings }
  const store: Pick<RolloutStore, 'keep' | 'forget'> = {
    async keep(some, disagreements) {
      for (const one of some) minutes.set(`${one.rollout} ${one.at} ${one.replica}`, one)
      for (const one of disagreements) kept.set(one.decision, one)
      // the answer of a successful COMMIT can be lost
      if (state.isAway) throw new Error('the database does not answer')
    },
    async forget(before) {
      forgotten.push(before)
    },
  }
  const timers = { now: () => 0, after: () => () => {}, every: () => () => {} }
  const findings = createRolloutFindings({ store, replica: 'one', timers, warn: (message) => void warnings.push(message) })
  return { findings, ...state, state }
}

const finding = (at: number, end: Finding['end'] = 'agreed'): Finding => ({ rollout, at, end })
const disagreement = (at: number, decision: string): Finding => ({
  ...finding(at, 'elsewhere'),
  disagreement: () => ({
    ...{ decision, kind: 'ELSEWHERE', because: 'it has more', instance: 0 },
    ...{ baseline: { host: 'a', rank: 2, because: null }, candidate: { host: 'b', rank: 2, because: null } },
  }),
})

test('findings are counted by the minute of their decision, and each flush stores the counts', async () => {
  const { findings, minutes } = open()
  for (const one of [finding(AT), finding(AT + 1, 'skipped'), disagreement(AT + MINUTE_MS, 'd')]) findings.add(one)
  await findings.flush()
  findings.add(finding(AT + 2))
  await findings.close()
  expect([...minutes.values()]).toMatchObject([
    { rollout, at: AT, replica: 'one', agreed: 2, elsewhere: 0, skipped: 1 },
    { rollout, at: AT + MINUTE_MS, agreed: 0, elsewhere: 1, skipped: 0 },
  ])
})

test('while the tables are unavailable findings wait, operators get one message, and nothing is counted twice', async () => {
  const { findings, minutes, kept, warnings, state } = open()
  state.isAway = true
  findings.add(disagreement(AT, 'd'))
  await findings.flush()
  findings.add(finding(AT))
  await findings.flush()
  state.isAway = false
  await findings.flush()
  expect([...minutes.values()]).toMatchObject([{ agreed: 1, elsewhere: 1 }])
  expect(kept.size).toBe(1)
  expect(warnings).toEqual([
    'results of the shadow of a rollout are not stored yet, and storing them is tried again: the database does not answer',
  ])
})

test('of many disagreements in a minute fifty are stored with ranked hosts, and all are counted', async () => {
  const { findings, minutes, kept } = open()
  let asked = 0
  for (let i = 0; i < 60; i++) {
    const one = disagreement(AT, `d${i}`)
    findings.add({
      ...one,
      disagreement: () => {
        asked++
        return one.disagreement?.() ?? expect.unreachable()
      },
    })
  }
  await findings.flush()
  expect([asked, kept.size, [...minutes.values()][0]?.elsewhere]).toEqual([50, 50, 60])
})

test('a decision is not counted if its choices cannot be stored', async () => {
  const { findings, minutes } = open()
  const fails = (): never => {
    throw new RangeError('not known')
  }
  expect(() => findings.add({ ...finding(AT, 'elsewhere'), disagreement: fails })).toThrow(RangeError)
  findings.add(finding(AT, 'skipped'))
  await findings.flush()
  expect([...minutes.values()]).toMatchObject([{ elsewhere: 0, skipped: 1 }])
})

test('a late finding is added to an open minute, and stored findings stay unchanged', async () => {
  const { findings, minutes } = open()
  findings.add(finding(AT))
  await findings.flush()
  findings.add(finding(AT + 20 * MINUTE_MS))
  await findings.flush()
  findings.add(finding(AT + 1))
  await findings.flush()
  expect([...minutes.values()].map(({ at, agreed }) => [at - AT, agreed])).toEqual([
    [0, 1],
    [20 * MINUTE_MS, 1],
    [MINUTE_MS, 1],
  ])
})

test('findings that are older than a month are deleted once per hour', async () => {
  const { findings, forgotten } = open()
  for (const at of [AT, AT + MINUTE_MS, AT + 61 * MINUTE_MS]) {
    findings.add(finding(at))
    await findings.flush()
  }
  expect(forgotten).toEqual([AT - ROLLOUT_KEPT_MS, AT + 61 * MINUTE_MS - ROLLOUT_KEPT_MS])
})
