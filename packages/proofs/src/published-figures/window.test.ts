import { createRandom } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { sendInWindow } from './window.ts'

const items = Array.from({ length: 200 }, (_, i) => i)
/** Waits for this number of turns of the event loop. */
const pause = async (turns: number): Promise<void> => {
  for (let i = 0; i < turns; i++) await new Promise(setImmediate)
}

test.each([1, 2, 7, 500])('items are sent in order, at most %i at once, and fewer than that many items overtake one', async (width) => {
  const random = createRandom(`window/${width}`)
  const sent: number[] = []
  const done: number[] = []
  let open = 0
  let most = 0
  await sendInWindow(items, width, async (item) => {
    sent.push(item)
    open++
    most = Math.max(most, open)
    await pause(random.below(6))
    open--
    done.push(item)
  })
  expect(sent).toEqual(items)
  expect(most).toBeLessThanOrEqual(width)
  for (const [position, item] of done.entries()) expect(done.slice(0, position).filter((other) => other > item).length).toBeLessThan(width)
})

test('with a width of one, calls are strictly sequential, even with immediate answers', async () => {
  const done: number[] = []
  await sendInWindow(items, 1, (item) => void done.push(item))
  expect(done).toEqual(items)
})

test('after a failure no further item is sent, and the error is thrown once all calls in progress have ended', async () => {
  const sent: number[] = []
  let ended = 0
  const sending = sendInWindow(items, 3, async (item) => {
    sent.push(item)
    await pause(item === 5 ? 1 : 20)
    ended++
    if (item === 5) throw new Error('the sixth failed')
  })
  await expect(sending).rejects.toThrow('the sixth failed')
  expect(ended).toBe(sent.length)
  expect(sent.length).toBeLessThan(10)
})
