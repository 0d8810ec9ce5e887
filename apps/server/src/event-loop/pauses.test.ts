import { describe, expect, test } from 'vitest'
import type { Timers } from '../timers.ts'
import { createTurns } from './pauses.ts'
import { answerYielding, CallerGoneError, duringCall } from './query.ts'

/**
 * A clock that advances by `readMs` at each read, by default a millisecond, and by calls of `pass`. The test triggers the turns of the
 * event loop.
 */
function aLoop(readMs = 1) {
  let now = 0
  const due: (() => void)[] = []
  const timers: Timers = {
    now: () => (now += readMs),
    after(_ms, callback) {
      due.push(callback)
      return () => undefined
    },
    every: () => () => undefined,
  }
  const turn = async (): Promise<void> => {
    // the callbacks run as in production, not as microtasks
    await new Promise<void>(
      (resolve) =>
        void setImmediate(() => {
          for (const callback of due.splice(0)) callback()
          resolve()
        }),
    )
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  const pass = (ms: number): void => {
    now += ms
  }
  return { turns: createTurns(timers), turn, pass, isIdle: () => due.length === 0 }
}

function* counting(steps: number, note: (step: number) => void): Generator<undefined, number> {
  for (let step = 0; step < steps; step++) {
    note(step)
    yield
  }
  return steps
}

describe('turns of the event loop', () => {
  test('in one turn of the event loop, all long work together gets no more than a limited time', async () => {
    const { turns, turn, isIdle } = aLoop()
    const steps = new Array<number>(20).fill(0)
    const answers = steps.map((_, i) =>
      answerYielding(
        counting(50, () => void steps.splice(i, 1, (steps[i] ?? 0) + 1)),
        turns,
      ),
    )
    let most = 0
    let before = steps.reduce((sum, count) => sum + count)
    while (!isIdle()) {
      await turn()
      const now = steps.reduce((sum, count) => sum + count)
      most = Math.max(most, now - before)
      before = now
    }
    expect(await Promise.all(answers)).toEqual(steps.map(() => 50))
    // a turn takes four milliseconds of this clock, which advances at every read
    expect(most).toBeLessThanOrEqual(5)
  })

  test('a long step of one work leaves no time in its turn for the steps of others', async () => {
    const { turns, turn, pass, isIdle } = aLoop(0)
    let inTurn = 0
    const answers = Array.from({ length: 10 }, () =>
      answerYielding(
        counting(5, () => {
          inTurn++
          pass(20)
        }),
        turns,
      ),
    )
    const counts: number[] = []
    while (!isIdle()) {
      inTurn = 0
      await turn()
      counts.push(inTurn)
    }
    await Promise.all(answers)
    expect(counts.length).toBeGreaterThan(40)
    expect(Math.max(...counts)).toBe(1)
  })

  test('many calls that arrive at once are admitted in several turns', async () => {
    const { turns, turn, isIdle } = aLoop()
    let begun = 0
    const calls = Array.from({ length: 100 }, async () => {
      await turns.admit()
      begun++
    })
    await Promise.resolve()
    expect(begun).toBeLessThan(20)
    for (let turnsTaken = 0; !isIdle(); turnsTaken++) {
      expect(turnsTaken).toBeLessThan(100)
      await turn()
    }
    await Promise.all(calls)
    expect(begun).toBe(100)
  })
})

describe('a query whose caller disconnects', () => {
  test('a query whose caller disconnected ends when it yields next, and releases what it holds', async () => {
    const { turns, turn } = aLoop()
    const caller = new AbortController()
    let [steps, released] = [0, 0]
    function* holding(): Generator<undefined, number> {
      try {
        return yield* counting(1_000, () => void steps++)
      } finally {
        released++
      }
    }
    const answer = duringCall(caller.signal, () => answerYielding(holding(), turns))
    const end = expect(answer).rejects.toThrow(CallerGoneError)
    await turn()
    const before = steps
    expect(before).toBeGreaterThan(0)
    caller.abort()
    await turn()
    await end
    expect(steps).toBe(before)
    expect(released).toBe(1)
  })

  test('work of other calls continues after a caller disconnected', async () => {
    const { turns, turn, isIdle } = aLoop()
    const [gone, stays] = [new AbortController(), new AbortController()]
    const first = duringCall(gone.signal, () =>
      answerYielding(
        counting(30, () => undefined),
        turns,
      ),
    )
    const second = duringCall(stays.signal, () =>
      answerYielding(
        counting(30, () => undefined),
        turns,
      ),
    )
    const end = expect(first).rejects.toThrow(CallerGoneError)
    gone.abort()
    while (!isIdle()) await turn()
    await end
    expect(await second).toBe(30)
  })
})
