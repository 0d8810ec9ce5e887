import { expect, test } from 'vitest'
import { questions } from './index.ts'
import { isMet } from './question.ts'
import { toLines } from './table.ts'
import { targets } from './targets/index.ts'
import { isMeasured } from './targets/target.ts'
import { targetLines } from './targets/target-lines.ts'

test('each measurement has a different name', () => {
  const names = [...targets, ...questions].map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test.each(questions.map((question) => [question.name, question] as const))(
  'the measurement %s gives values for a small fleet',
  async (_, question) => {
    const figures = await question.run({ hosts: 40, rounds: 1 })
    expect(figures.length).toBeGreaterThan(0)
    for (const { what, median, ratio } of figures) {
      expect(what).not.toBe('')
      expect(median).toBeGreaterThanOrEqual(0)
      if (ratio !== null) expect(ratio).toBeGreaterThanOrEqual(0)
    }
    expect(new Set(figures.map(({ what }) => what)).size).toBe(figures.length)
    for (const line of toLines(question, figures)) expect(line.length).toBeLessThanOrEqual(80)
  },
)

/** These measurements start a service. targets.test.ts runs the others. */
const ofServices = targets.filter(({ name }) => ['p6', 'p8', 'p11'].includes(name))

test.each(ofServices.map((target) => [target.name, target] as const))(
  'the measurement %s of a service gives values or a reason for each of its goals',
  async (_, target) => {
    const outcomes = await target.run({ hosts: 40, rounds: 1, seconds: 1 })
    expect(new Set(outcomes.map(({ goal }) => goal))).toEqual(new Set(target.goals))
    for (const outcome of outcomes)
      if (isMeasured(outcome)) {
        expect(Math.min(...outcome.baseline.values)).toBeGreaterThan(0)
        // on a busy machine, no call may end within the second that is counted
        for (const value of outcome.values) expect(value).toSatisfy((each: number) => Number.isFinite(each) && each >= 0)
      } else expect(outcome.reason).not.toBe('')
    for (const line of targetLines(outcomes)) expect(line.length).toBeLessThanOrEqual(80)
  },
)

test('a value meets its target if it does not exceed the target', () => {
  const figure = { what: 'x', unit: 'ms', median: 3, p99: null, ratio: 20 } as const
  expect(isMet(figure)).toBeUndefined()
  expect(isMet({ ...figure, target: { of: 'ratio', most: 20 } })).toBe(true)
  expect(isMet({ ...figure, target: { of: 'median', most: 2 } })).toBe(false)
  expect(isMet({ ...figure, target: { of: 'p99', most: 2 } })).toBeUndefined()
})
