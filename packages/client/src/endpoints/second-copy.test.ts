import { expect, test } from 'vitest'
import { FaultError, UnreachableError } from '../errors.ts'
import { handClock } from '../testing/hand-clock.ts'
import { sendCopies } from './second-copy.ts'

/** A copy whose end the test decides. */
interface Copy {
  readonly signal: AbortSignal
  answer(text: string): void
  fail(error: unknown): void
}

/** Sends an attempt whose answers that begin with `claim` are final. */
function attempt({
  isSlowKnown = true,
  hasSecond = true,
  signal,
}: {
  isSlowKnown?: boolean
  hasSecond?: boolean
  signal?: AbortSignal
} = {}) {
  const copies: Copy[] = []
  const failures: unknown[] = []
  const clock = handClock()
  const send = (own: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => {
      copies.push({ signal: own, answer: resolve, fail: reject })
      own.addEventListener('abort', () => reject(own.reason))
    })
  const result = sendCopies<string>({
    clock,
    slowAfterMs: isSlowKnown ? 10 : undefined,
    ...(signal && { signal }),
    isFinal: (answer) => answer.startsWith('claim'),
    first: send,
    second: (own) => (hasSecond ? send(own) : undefined),
    onFailure: (error) => failures.push(error),
  })
  return {
    result,
    clock,
    failures,
    first: () => copyAt(copies, 0),
    async second() {
      clock.end()
      await expect.poll(() => copies.length).toBe(2)
      return copyAt(copies, 1)
    },
    copies,
  }
}

function copyAt(copies: readonly Copy[], i: number): Copy {
  const copy = copies[i]
  if (copy === undefined) throw new Error(`copy ${i} was not sent`)
  return copy
}

const lost = new UnreachableError('the answer was lost')
const refused = new FaultError([{ message: 'no', extensions: { code: 'FORBIDDEN' } }], 403)

test('an attempt that is answered in time is sent once, and its wait ends', async () => {
  const { result, first, clock, copies } = attempt()
  first().answer('no host')
  expect(await result).toBe('no host')
  expect([copies.length, clock.waiting]).toEqual([1, 0])
})

test.each([
  ['first', 0],
  ['second', 1],
] as const)('if the %s copy is answered with a claim, the other one is cancelled and is no failure', async (_name, winner) => {
  const { result, second, copies, failures } = attempt()
  await second()
  copyAt(copies, winner).answer('claim 1')
  expect(await result).toBe('claim 1')
  expect(copyAt(copies, 1 - winner).signal.aborted).toBe(true)
  expect(failures).toEqual([])
})

type End = string | Error

test.each<readonly [string, End, End, End]>([
  ['a refusal and then a claim', 'no host', 'claim 1', 'claim 1'],
  ['two refusals', 'no host 1', 'no host 2', 'no host 1'],
  ['an error and then a claim', lost, 'claim 1', 'claim 1'],
  ['a lost answer and a refusal', lost, 'no host', lost],
  ['a refusal and a lost answer', 'no host', lost, lost],
  ['an error without effect and a refusal', refused, 'no host', 'no host'],
  ['a refusal and an error without effect', 'no host', refused, 'no host'],
  ['an error without effect and a lost answer', refused, lost, lost],
])('of %s the result is the one that says whether something is claimed', async (_name, one, other, expected) => {
  for (const order of [0, 1] as const) {
    const { result, second, copies, failures } = attempt()
    await second()
    const settled = result.catch((error: unknown) => error)
    const end = (copy: Copy, with_: End): void => (typeof with_ === 'string' ? copy.answer(with_) : copy.fail(with_))
    end(copyAt(copies, order), one)
    end(copyAt(copies, 1 - order), other)
    expect(await settled).toBe(expected)
    if (expected !== 'claim 1') expect(failures).toEqual([one, other].filter((each) => typeof each !== 'string'))
  }
})

test('if no second copy may be sent, the attempt waits for the first', async () => {
  const { result, first, clock, copies } = attempt({ hasSecond: false })
  clock.end()
  first().answer('late')
  expect([await result, copies.length]).toEqual(['late', 1])
})

test('without a time after which an attempt is slow, nothing waits', async () => {
  const { result, first, clock } = attempt({ isSlowKnown: false })
  expect(clock.waiting).toBe(0)
  first().answer('at last')
  expect(await result).toBe('at last')
})

test('a signal ends both copies with its reason', async () => {
  const stop = new AbortController()
  const { result, second, copies } = attempt({ signal: stop.signal })
  await second()
  stop.abort(new Error('enough'))
  await expect(result).rejects.toThrow('enough')
  expect(copies.map(({ signal }) => signal.aborted)).toEqual([true, true])
})
