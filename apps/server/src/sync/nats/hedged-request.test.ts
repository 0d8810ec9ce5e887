import { expect, test } from 'vitest'
import { hedged } from './hedged-request.ts'

const never = (): Promise<never> => new Promise(() => undefined)

/** Asks that end in this order, and how many were made. */
function asks<T>(...ends: readonly (() => Promise<T>)[]) {
  let made = 0
  return { ask: () => (ends[made++] ?? never)(), made: () => made }
}

test('a question that is answered is put once', async () => {
  const { ask, made } = asks(async () => 'answer')
  expect(await hedged(ask)).toBe('answer')
  expect(made()).toBe(1)
})

test('one that nobody answers is put again, and the first answer is taken', async () => {
  const { ask, made } = asks(never, never, async () => 'third')
  expect(await hedged(ask)).toBe('third')
  expect(made()).toBe(3)
})

test('a refusal is an answer, also one that is thrown at once', async () => {
  await expect(hedged(async () => Promise.reject(new Error('no such stream')))).rejects.toThrow('no such stream')
  const throws = (): Promise<string> => {
    throw new Error('closed')
  }
  await expect(hedged(throws)).rejects.toThrow('closed')
})

test('what is answered late is handed over, so that it can be undone', async () => {
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
