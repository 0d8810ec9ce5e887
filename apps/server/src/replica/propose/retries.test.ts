import { expect, test } from 'vitest'
import { realTimers } from '../../timers.ts'
import { createRetries, MAX_ATTEMPTS, type Obstacle } from './retries.ts'

const aWork = (decisionId: string, failed: Error[] = []) => ({
  decisionId,
  attempt: 0,
  fail: (error: Error) => void failed.push(error),
})

function attempt(
  count: number,
  work: ReturnType<typeof aWork>,
  obstacles: readonly Obstacle[],
  retries = createRetries(() => {}, realTimers),
): boolean {
  let may = true
  for (let i = 0; i < count && may; i++) {
    work.attempt++
    may = retries.mayTryAgain(work, obstacles[i % obstacles.length] as Obstacle)
  }
  return may
}

test('a call is decided at most a hundred times; its error then names the most frequent obstacle', () => {
  const failed: Error[] = []
  const work = aWork('d1', failed)
  expect(attempt(MAX_ATTEMPTS - 1, work, ['claim.no_room', 'claim.no_room', 'claim.edited'])).toBe(true)
  expect(failed).toEqual([])
  expect(attempt(1, work, ['claim.no_room'])).toBe(false)
  expect(failed).toMatchObject([{ name: 'RetriesExhaustedError', attempts: MAX_ATTEMPTS }])
})

test('the tenth failed attempt of a call is logged once with the rules that voided the attempts, even while other calls fail', () => {
  const warnings: string[] = []
  let now = 0
  const retries = createRetries((message) => warnings.push(message), { ...realTimers, now: () => now })
  attempt(9, aWork('d1'), ['claim.no_room'], retries)
  expect(warnings).toEqual([])
  attempt(10, aWork('d2'), ['claim.no_room', 'claim.no_room', 'claim.edited'], retries)
  attempt(10, aWork('d3'), ['claim.no_room'], retries)
  expect(warnings).toEqual([
    '10 attempts of decision d2 did not count: claim.no_room (7 times), claim.edited (3 times); calls may be starved by claim.no_room',
  ])
  now += 60_000
  attempt(10, aWork('d4'), ['claim.no_room'], retries)
  expect(warnings).toHaveLength(2)
})

test('the outcomes of all proposals are counted by obstacle', () => {
  const retries = createRetries(() => {}, realTimers)
  attempt(3, aWork('d1'), ['claim.no_room', 'append.refused'], retries)
  attempt(1, aWork('d2'), ['claim.no_room'], retries)
  retries.succeeded()
  const refusal = { cause: { code: 'memory.short', text: '', admitted: 1, nearest: null }, reasons: [] } as const
  for (const decision of [refusal, { reasons: [] }, { ...refusal, cause: { ...refusal.cause, code: null } }, refusal])
    retries.unlogged(decision)
  expect(retries.tally).toMatchObject({ counted: 1, unlogged: 4 })
  expect([...retries.tally.refused]).toEqual([['memory.short', 2]])
  expect([...retries.tally.fruitless]).toEqual([
    ['claim.no_room', 3],
    ['append.refused', 1],
  ])
})
