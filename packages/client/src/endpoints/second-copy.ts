import type { Clock } from '../clock.ts'
import { mayHaveHappened } from '../errors.ts'

/** How one copy of an attempt ended. */
type Ended<Answer> = { readonly answer: Answer } | { readonly error: unknown }

export interface CopiesOptions<Answer> {
  readonly clock: Clock
  /** The milliseconds after which the second copy is sent. Undefined if none may be sent. */
  readonly slowAfterMs: number | undefined
  /** Aborts the copies and rejects with its reason. */
  readonly signal?: AbortSignal
  /** Returns true for an answer that the other copy would get too. Other answers wait for the other copy. */
  isFinal(answer: Answer): boolean
  /** Sends the first copy. */
  first(signal: AbortSignal): Promise<Answer>
  /** Sends the second copy `waitedMs` after the first. Returns undefined if it may not be sent. */
  second(signal: AbortSignal, waitedMs: number): Promise<Answer> | undefined
  /** Called with the error of each copy that failed, even if the other copy was answered. A cancelled copy does not count as failed. */
  onFailure(error: unknown): void
}

/**
 * Sends an attempt, and sends a second copy if the first one is slow. The first final answer is the result, and the other copy is
 * cancelled. Without a final answer, the result is, in this order: an error after which the call may have taken effect, an answer, another
 * error; of two of the same kind the earlier one. So a call is not reported as refused while a copy of it may still take effect.
 */
export async function sendCopies<Answer>(options: CopiesOptions<Answer>): Promise<Answer> {
  const { clock, slowAfterMs, signal: stop, isFinal, first, second, onFailure } = options
  const over = new AbortController()
  const signal = stop === undefined ? over.signal : AbortSignal.any([over.signal, stop])
  const settle = async (copy: Promise<Answer>): Promise<Ended<Answer>> => {
    try {
      return { answer: await copy }
    } catch (error) {
      if (!over.signal.aborted) onFailure(error)
      return { error }
    }
  }
  try {
    const one = settle(first(signal))
    const early = slowAfterMs === undefined ? await one : await within(one, slowAfterMs, clock)
    if (early !== undefined) return resultOf(early)
    const sent = second(signal, slowAfterMs ?? 0)
    if (sent === undefined) return resultOf(await one)
    const other = settle(sent)
    const [earlier, later] = await Promise.race([
      one.then((ended) => [ended, other] as const),
      other.then((ended) => [ended, one] as const),
    ])
    if ('answer' in earlier && isFinal(earlier.answer)) return earlier.answer
    stop?.throwIfAborted()
    const both = [earlier, await later]
    return resultOf(both.toSorted((a, b) => rankOf(a, isFinal) - rankOf(b, isFinal))[0] ?? earlier)
  } finally {
    over.abort()
  }
}

/** Returns how a copy ended, or undefined if it did not end within this time. */
async function within<Result>(copy: Promise<Result>, ms: number, clock: Clock): Promise<Result | undefined> {
  const ended = new AbortController()
  const slow = clock.wait(ms, ended.signal).then(
    () => undefined,
    () => copy,
  )
  try {
    return await Promise.race([copy, slow])
  } finally {
    ended.abort()
  }
}

function rankOf<Answer>(ended: Ended<Answer>, isFinal: (answer: Answer) => boolean): number {
  if ('answer' in ended) return isFinal(ended.answer) ? 0 : 2
  return mayHaveHappened(ended.error) ? 1 : 3
}

function resultOf<Answer>(ended: Ended<Answer>): Answer {
  if ('error' in ended) throw ended.error
  return ended.answer
}
