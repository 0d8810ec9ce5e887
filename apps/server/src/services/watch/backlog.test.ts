import { expect, test } from 'vitest'
import { createTurns } from '../../event-loop/pauses.ts'
import { type BacklogOptions, createBacklog } from './backlog.ts'
import { createStream, createWaitingList } from './stream.ts'

/** A backlog on a simulated event loop. Each turn of the loop has 4 ms, and processing an item takes `lookMs`. */
function aBacklog(lookMs: number, options: Partial<BacklogOptions<string, number>> = {}) {
  let now = 0
  const due: (() => void)[] = []
  const turns = createTurns({
    now: () => now,
    after: (_ms, callback) => {
      due.push(callback)
      return () => undefined
    },
    every: () => () => undefined,
  })
  const looked: [string, number][] = []
  const spend = (): void => {
    now += lookMs
  }
  let full = 0
  const backlog = createBacklog<string, number>({
    look: (item, detail) => {
      spend()
      looked.push([item, detail])
    },
    merge: Math.min,
    most: 100,
    onFull: () => void full++,
    onFailed: (error) => expect.unreachable(String(error)),
    pause: turns.pause,
    ...options,
  })
  const turn = async (): Promise<void> => {
    for (const callback of due.splice(0)) callback()
    for (let i = 0; i < 20; i++) await Promise.resolve()
  }
  return { backlog, looked, turn, turns, spend, isIdle: () => due.length === 0, full: () => full }
}

test('items that are processed quickly are processed before `put` returns', () => {
  const { backlog, looked } = aBacklog(0)
  for (const item of ['a', 'b', 'c']) backlog.put(item, 1)
  expect(looked.map(([item]) => item)).toEqual(['a', 'b', 'c'])
})

test('one turn processes only a few slow items, and all items stay in order', async () => {
  const { backlog, looked, turn, isIdle } = aBacklog(3)
  const items = Array.from({ length: 30 }, (_, i) => `${i}`)
  for (const item of items) backlog.put(item, 1)
  expect(looked.length).toBeLessThanOrEqual(2)
  while (!isIdle()) {
    const before = looked.length
    await turn()
    expect(looked.length - before).toBeLessThanOrEqual(2)
  }
  expect(looked.map(([item]) => item)).toEqual(items)
})

test('an item that takes longer than a turn is the only one in its turn, for all subscribers together', async () => {
  const { backlog, looked, turn, turns, spend } = aBacklog(20)
  const other = createBacklog<string, number>({
    ...{ merge: Math.min, most: 100, onFull: () => undefined, onFailed: () => undefined, pause: turns.pause },
    look: (item, detail) => {
      spend()
      looked.push([item, detail])
    },
  })
  for (const item of ['a', 'b', 'c']) {
    backlog.put(item, 1)
    other.put(item, 2)
  }
  for (let i = 1; i <= 6; i++) {
    expect(looked).toHaveLength(i)
    await turn()
  }
  expect(looked).toHaveLength(6)
})

test('an item that is added again goes to the end, with the combined state', async () => {
  const { backlog, looked, turn, isIdle } = aBacklog(20)
  for (const [item, detail] of [
    ['first', 1],
    ['a', 2],
    ['b', 3],
    ['a', 4],
  ] as const)
    backlog.put(item, detail)
  while (!isIdle()) await turn()
  expect(looked).toEqual([
    ['first', 1],
    ['b', 3],
    ['a', 2],
  ])
})

test('if too many items wait, all are dropped and a gap is reported', async () => {
  const { backlog, looked, turn, isIdle, full } = aBacklog(20, { most: 10 })
  for (let i = 0; i < 12; i++) backlog.put(`${i}`, i)
  expect(full()).toBe(1)
  backlog.put('later', 1)
  while (!isIdle()) await turn()
  expect(looked.map(([item]) => item)).toEqual(['0', 'later'])
})

test('many items are added in several turns, and stay in order with items that arrive meanwhile', async () => {
  let taken = 0
  const { backlog, looked, turn, isIdle, spend } = aBacklog(3, { most: Number.POSITIVE_INFINITY })
  function* many(): Generator<string> {
    for (let i = 0; i < 2_000; i++) {
      if (taken % 64 === 0) spend()
      taken++
      yield `${i}`
    }
  }
  backlog.putEach(many(), 1)
  backlog.put('last', 2)
  backlog.put('5', 3)
  let most = taken
  while (!isIdle()) {
    const before = taken
    await turn()
    most = Math.max(most, taken - before)
  }
  expect(most).toBeLessThanOrEqual(2 * 256)
  expect(looked.map(([item]) => item)).toEqual([
    ...Array.from({ length: 2_000 }, (_, i) => `${i}`).filter((item) => item !== '5'),
    ...['last', '5'],
  ])
  expect(looked.at(-1)).toEqual(['5', 1])
})

test('nothing is processed after the end, and an error ends the backlog', async () => {
  const ended = aBacklog(20)
  for (const item of ['a', 'b']) ended.backlog.put(item, 1)
  ended.backlog.end()
  while (!ended.isIdle()) await ended.turn()
  expect(ended.looked).toHaveLength(1)

  const failures: unknown[] = []
  const failing = aBacklog(0, {
    look: () => {
      throw new Error('no')
    },
    onFailed: (error) => void failures.push(error),
  })
  failing.backlog.put('a', 1)
  await failing.turn()
  failing.backlog.put('b', 1)
  expect(failures).toEqual([new Error('no')])
})

test('a stream that fails gives its reader the error, and ends', async () => {
  for (const waits of [true, false]) {
    let [stopped, ended] = [0, 0]
    let fail: (error: unknown) => void = () => undefined
    const stream = createStream<number>({
      start: (push, failed) => {
        fail = failed
        if (!waits) push(1)
        return () => void stopped++
      },
      waiting: createWaitingList((pending, event) => [...pending, event]),
      ended: () => void ended++,
    })
    const next = stream.next()
    if (!waits) expect(await next).toEqual({ done: false, value: 1 })
    fail(new Error('no'))
    await expect(waits ? next : stream.next()).rejects.toThrow('no')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect([stopped, ended]).toEqual([1, 1])
  }
})
