import { expect, test } from 'vitest'
import type { Timers } from '../timers.ts'
import { CallerGoneError, callAnswered, duringCall, holdingFleets } from './query.ts'
import { createSlots, TooManyWhatIfQueriesError } from './slots.ts'

/** Timers that ring only when the test says so. */
function aClock() {
  const due = new Set<() => void>()
  const timers: Timers = {
    now: () => 0,
    after(_ms, callback) {
      due.add(callback)
      return () => void due.delete(callback)
    },
    every: () => () => undefined,
  }
  return {
    timers,
    due,
    ring: () => {
      for (const callback of [...due]) callback()
    },
  }
}

/** The signal of a caller that does not disconnect. */
const stays = (): AbortSignal => new AbortController().signal
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Lets these keys ask for slots in this order. Returns the keys that have got slots, in order, with the functions that end them. */
function asking(limits: { readonly all: number; readonly ofKey: number; readonly waiting: number }, keys: readonly string[]) {
  const { timers, ring } = aClock()
  const slots = createSlots(limits, timers)
  const got: string[] = []
  const ends: (() => void)[] = []
  const answers = keys.map((key) =>
    slots.take(key, 1_000, stays()).then((end) => {
      got.push(key)
      ends.push(end)
    }),
  )
  return { slots, got, ends, answers, ring }
}

test('of a hundred calls of one key, only as many hold fleets as the key may, and all get a slot in the end', async () => {
  const { slots, got, ends, answers } = asking({ all: 8, ofKey: 2, waiting: 100 }, Array(100).fill('a'))
  await settled()
  expect([got.length, slots.taken, slots.waiting]).toEqual([2, 2, 98])
  let most = 0
  for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
    end()
    await settled()
    most = Math.max(most, slots.taken)
  }
  await Promise.all(answers)
  expect([most, got.length, slots.taken, slots.waiting]).toEqual([2, 100, 0, 0])
})

test('keys take turns, so a key with many waiting calls does not delay the other keys', async () => {
  const { got, ends, answers } = asking({ all: 1, ofKey: 1, waiting: 9 }, ['a', 'a', 'a', 'a', 'b', 'b', 'c'])
  for (let end: (() => void) | undefined = () => undefined; end !== undefined; end = ends.shift()) {
    end()
    await settled()
  }
  await Promise.all(answers)
  expect(got).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a'])
})

test('all keys together hold no more than all slots', async () => {
  const { slots, got } = asking({ all: 3, ofKey: 2, waiting: 9 }, ['a', 'a', 'b', 'b', 'c'])
  await settled()
  expect([got, slots.waiting]).toEqual([['a', 'a', 'b'], 2])
})

test('a call beyond the calls that may wait is refused, and the refusal says what to do', async () => {
  const { answers, slots } = asking({ all: 8, ofKey: 1, waiting: 2 }, ['a', 'a', 'a'])
  await settled()
  const beyond = slots.take('a', 1_000, stays())
  await expect(beyond).rejects.toThrow(TooManyWhatIfQueriesError)
  await expect(beyond).rejects.toThrow('send the call again when some of them are answered, or send fewer such calls at the same time')
  expect([slots.waiting, answers.length]).toEqual([2, 3])
  await expect(slots.take('b', 1_000, stays())).resolves.toBeTypeOf('function')
})

test('a call that waits until its deadline is refused and leaves the queue', async () => {
  const { answers, slots, ring, ends } = asking({ all: 8, ofKey: 1, waiting: 2 }, ['a', 'a'])
  await settled()
  ring()
  await expect(answers[1]).rejects.toMatchObject({ name: 'UnavailableError', reason: 'deadline' })
  ends[0]?.()
  await settled()
  expect([slots.taken, slots.waiting]).toEqual([0, 0])
})

test('a caller that disconnects leaves the queue, and its timer is stopped', async () => {
  const { timers, due } = aClock()
  const slots = createSlots({ all: 1, ofKey: 1, waiting: 2 }, timers)
  const end = await slots.take('a', 1_000, stays())
  const gone = new AbortController()
  const waiting = slots.take('a', 1_000, gone.signal)
  gone.abort()
  await expect(waiting).rejects.toThrow(CallerGoneError)
  expect([slots.waiting, due.size]).toEqual([0, 0])
  end()
  end()
  expect(slots.taken).toBe(0)
})

test('one call takes one slot for all its what-if queries, works on them one after another, and keeps the slot until it is answered', async () => {
  const slots = createSlots()
  let working = 0
  let most = 0
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const query = () =>
    holdingFleets(1_000, async () => {
      most = Math.max(most, ++working)
      await settled()
      working--
    })
  const call = duringCall(
    stays(),
    async () => {
      await Promise.all([query(), query(), query()])
      await answered
      callAnswered()
      await settled()
      // the answer is sent without a slot
      expect(slots.taken).toBe(0)
    },
    { keyId: 'a', slots },
  )
  await expect.poll(() => slots.taken).toBe(1)
  answer()
  await call
  expect([most, slots.taken]).toEqual([1, 0])
})

test('a call that fails gives up its slot when the work on its what-if queries has ended', async () => {
  const slots = createSlots()
  let end: () => void = () => undefined
  const long = new Promise<void>((resolve) => {
    end = resolve
  })
  const call = duringCall(
    stays(),
    async () => {
      await Promise.all([holdingFleets(1_000, () => long), settled().then(() => Promise.reject(new Error('wrong')))])
    },
    { keyId: 'a', slots },
  )
  await expect(call).rejects.toThrow('wrong')
  expect(slots.taken).toBe(1)
  end()
  await settled()
  expect(slots.taken).toBe(0)
})

test('a what-if query of a call that is already answered is not begun', async () => {
  const slots = createSlots()
  let begun = 0
  let end: () => void = () => undefined
  const long = new Promise<void>((resolve) => {
    end = resolve
  })
  const ask = () =>
    holdingFleets(1_000, () => {
      begun++
      return long
    })
  const queries = await duringCall(
    stays(),
    async () => {
      const asked = [ask(), ask()]
      await settled()
      callAnswered()
      return { asked }
    },
    { keyId: 'a', slots },
  )
  const [first, second] = queries.asked
  const refused = expect(second).rejects.toThrow(CallerGoneError)
  end()
  await Promise.all([first, refused])
  await settled()
  expect([begun, slots.taken]).toEqual([1, 0])
})

test('work outside of calls needs no slot', async () => {
  expect(await holdingFleets(1_000, () => Promise.resolve(7))).toBe(7)
})
