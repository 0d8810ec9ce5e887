import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { readMetrics } from '../processes/metrics.ts'
import { ADMIN_KEY, type Service, startService } from '../processes/service.ts'
import { fillLargeFleet } from '../random-calls/large-fleet.ts'
import { type LongQuestion, longQuestions } from '../random-calls/questions.ts'

export interface ProvePausesOptions {
  readonly hosts: number
  readonly claims: number
  readonly rounds: number
  /** If set, only queries with this text in their names are sent. */
  readonly only: string | undefined
  say(line: string): void
}

/** A query may block other calls for at most this many milliseconds. */
const MAX_PAUSE_MS = 20

/**
 * Sends every slow query to a service with a large fleet, one at a time. Measures the longest time for which each query blocks all other
 * calls. Each query is sent in several rounds, and its round with the shortest such time counts, so that other load on the machine does not
 * matter.
 */
export async function provePauses(checks: Checks, { hosts, claims, rounds, only = '', say }: ProvePausesOptions): Promise<void> {
  await withFolder(async (folder) => {
    const service = await startService({ GANTT_DATA_DIR: folder }, 120_000)
    try {
      const fleet = await fillLargeFleet(service.client, { hosts, claims, seed: 'pauses' })
      say(`${hosts} hosts, ${fleet.claims.length} claims`)
      const questions = longQuestions(fleet).filter(({ name }) => name.includes(only))
      for (const question of questions) {
        const found: Asked[] = []
        for (let round = 0; round < rounds; round++) found.push(await askOnce(service, question))
        const pauses = found.map(({ pauseMs }) => pauseMs)
        const longest = Math.min(...pauses)
        const took = Math.min(...found.map(({ tookMs }) => tookMs))
        say(
          `${question.name.padEnd(40)}${longest.toFixed(1).padStart(9)} ms longest pause${took.toFixed(0).padStart(8)} ms in total${found[0]?.fault ?? ''}`,
        )
        checks.check(
          `no pause is longer than ${MAX_PAUSE_MS} ms`,
          longest <= MAX_PAUSE_MS,
          () => `${question.name}: ${longest.toFixed(1)} ms`,
        )
        checks.check('every query is answered', found[0]?.fault === '', () => `${question.name}${found[0]?.fault}`)
      }
    } finally {
      await service.stop()
    }
  })
}

interface Asked {
  readonly pauseMs: number
  readonly tookMs: number
  /** A text that shows the errors in the answer. Empty if there are none. */
  readonly fault: string
}

async function askOnce(service: Service, { document, variables }: LongQuestion): Promise<Asked> {
  await pauseOf(service)
  const begun = performance.now()
  const response = await fetch(service.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: document, variables }),
  })
  const text = await response.text()
  const tookMs = performance.now() - begun
  const fault = text.includes('"errors"') ? `  ${text.slice(0, 300)}` : ''
  return { pauseMs: await pauseOf(service), tookMs, fault }
}

/**
 * The longest pause of the service since the last call of this function. It is measured in processor time, in milliseconds, so that other
 * processes do not affect it.
 */
export const pauseOf = async (service: Service): Promise<number> =>
  (await readMetrics(service)).value('gantt_longest_pause_cpu_seconds') * 1_000
