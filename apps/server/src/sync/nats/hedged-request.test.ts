import { expect, test } from 'vitest'
import { hedged } from './hedged-request.ts'

const never = (): Promise<never> => new Promise(() => undefined)

/** A function that sends requests with the given outcomes, in order, and counts them. */
function asks<T>(...ends: readonly (() => Promise<T>)[]) {
  let made = 0
  return { ask: () => (ends[made++] ?? never)(), made: () => made }
}

test('a request that is answered in time is sent only once', async () => {
  const { ask, made } = asks(async () => 'answer')
  expect(await hedged(ask)).toBe('answer')
  expect(made()).toBe(1)
})

test('an unanswered request is sent again, and the first answer is used', async () => {
  const { ask, made } = asks(never, never, async () => 'third')
  expect(await hedged(ask)).toBe('third')
  expect(made()).toBe(3)
})

test('a refusal is accepted as an answer, even if it is thrown synchronously', async () => {
  await expect(hedged(async () => Promise.reject(new Error('no such stream')))).rejects.toThrow('no such stream')
  const throws = (): Promise<string> => {
    throw new Error('closed')
  }
  await expect(hedged(throws)).rejects.toThrow('closed')
})

test('a late answer is passed on, so that its effect can be undone', async () => {
  let answerFirst = (_answer: string): void => {}
  const { ask } = asks(
    () =>
      new Promise<string>((resolve) => {
        answerFirst = resolve
      }),
    async () => 'second',
  )
  const late: string[] = []
  expect(await hedged(ask, (answer) => late.push(answer))).toBe('second')
  answerFirst('first')
  await expect.poll(() => late).toEqual(['first'])
})
