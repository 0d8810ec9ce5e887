import { expect, test } from 'vitest'
import { questions } from './index.ts'
import { isMet } from './question.ts'
import { toLines } from './table.ts'

test('each measurement has a different name', () => {
  expect(new Set(questions.map(({ name }) => name)).size).toBe(questions.length)
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

test('a value meets its target if it does not exceed the target', () => {
  const figure = { what: 'x', unit: 'ms', median: 3, p99: null, ratio: 20 } as const
  expect(isMet(figure)).toBeUndefined()
  expect(isMet({ ...figure, target: { of: 'ratio', most: 20 } })).toBe(true)
  expect(isMet({ ...figure, target: { of: 'median', most: 2 } })).toBe(false)
  expect(isMet({ ...figure, target: { of: 'p99', most: 2 } })).toBeUndefined()
})
