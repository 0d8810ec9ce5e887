import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@gantt/client'
import { claimsOf, select } from '../promises/calls.ts'

/** Callers that place and read on one replica until they are stopped, and the times of the answers to them. */
export interface Probe {
  readonly writes: readonly Answered[]
  readonly reads: readonly Answered[]
  /** Ids of the claims that were acknowledged. */
  readonly claims: readonly string[]
  /** Stops the callers. */
  stop(): Promise<void>
}

/** An answered call. Its times are in milliseconds of `performance.now`. */
export interface Answered {
  readonly begunAt: number
  readonly endedAt: number
}

/**
 * Each kind of call has this many callers. Writes and reads have separate callers, because calls of one kind can hang while calls of the
 * other kind are refused at once.
 */
const CALLERS = 2
const PAUSE_MS = 10
/** A refused call is retried after this many milliseconds. */
const RETRY_DELAY_MS = 20

const READ = '{ hosts(first: 1) { nodes { name capacity { free } } } }'

export function startProbe(client: Client, name: string): Probe {
  const writes: Answered[] = []
  const reads: Answered[] = []
  const claims: string[] = []
  let isOver = false
  const repeat = async (answered: Answered[], call: (i: number) => Promise<void>): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      const begunAt = performance.now()
      const isAnswered = await call(i).then(
        () => true,
        () => false,
      )
      if (isAnswered) answered.push({ begunAt, endedAt: performance.now() })
      await sleep(isAnswered ? PAUSE_MS : RETRY_DELAY_MS)
    }
  }
  const running = Promise.all(
    Array.from({ length: CALLERS }, (_, caller) => [
      repeat(writes, async (i) => {
        const answer = await select(client, { key: `${name}-${caller}-${i}` })
        const placed = claimsOf(answer)
        if (placed.length === 0) throw new Error(`a call was not placed: ${JSON.stringify(answer)}`)
        claims.push(...placed.map(({ id }) => id))
      }),
      repeat(reads, async () => void (await client.request(READ))),
    ]).flat(),
  )
  return {
    writes,
    reads,
    claims,
    async stop() {
      isOver = true
      await running
    },
  }
}

/** The milliseconds from a moment to the first answer to a call that was sent after that moment. Undefined if there was no such answer. */
export const answeredAgainMs = (answered: readonly Answered[], at: number): number | undefined => {
  const after = answered.filter(({ begunAt }) => begunAt >= at).map(({ endedAt }) => endedAt)
  return after.length === 0 ? undefined : Math.min(...after) - at
}

/** The longest time without an answer, in milliseconds, that overlaps the period between two moments. */
export function longestSilenceMs(answered: readonly Answered[], from: number, to: number): number {
  const times = answered.map(({ endedAt }) => endedAt).sort((a, b) => a - b)
  let longest = 0
  for (let i = 1; i < times.length; i++) {
    const [before, after] = [times[i - 1] as number, times[i] as number]
    if (after > from && before < to) longest = Math.max(longest, after - before)
  }
  return longest
}
