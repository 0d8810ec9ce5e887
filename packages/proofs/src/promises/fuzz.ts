import { createRandom } from '@gantt/scheduler-core'
import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { ADMIN_KEY, type Service, startService } from '../processes/service.ts'
import { type Call, drawCall } from '../random-calls/draw-document.ts'
import { drawFilter } from '../random-calls/draw-filter.ts'
import { drawReport } from '../random-calls/draw-report.ts'
import { chance, oneOf, type Source } from '../random-calls/draw-value.ts'
import { fillLargeFleet } from '../random-calls/large-fleet.ts'
import { type LiveAnswer, watchLive } from '../random-calls/live-watch.ts'
import { readSchema } from '../random-calls/schema.ts'
import { pauseOf } from './pauses.ts'

export interface ProveFuzzOptions {
  readonly documents: number
  readonly hosts: number
  readonly claims: number
  readonly seed: number
  /** The index of the first document. */
  readonly from: number
  /** How many read calls are sent concurrently. */
  readonly callers: number
  /** `/live` must answer within this many milliseconds. If absent, any duration is accepted. */
  readonly silentMs?: number
  say(line: string): void
}

/** The default time in milliseconds within which `/live` must answer. */
export const SILENT_MS = 200
/**
 * If the service used less than this many milliseconds of processor time while `/live` was silent, the silence is attributed to another
 * process on the machine.
 */
const OWN_MS = 100
/** The answers of `/live` are checked each time this many calls have been made. */
const BLOCK = 50
/** The timeout of a call, milliseconds. */
const TIMEOUT_MS = 90_000

const FILTERED = [
  'query ($q: String) { hosts(first: 20, query: $q) { totalCount nodes { name } } }',
  'query ($q: String) { claims(first: 20, query: $q) { totalCount nodes { id } } }',
  'query ($q: String) { aggregates(first: 5, query: $q) { totalCount nodes { name } } }',
  'query ($q: String) { decisions(first: 5, query: $q) { nodes { id } } }',
  'query ($q: String) { fleet { columns(names: [STATE, AZ], query: $q) { count } } }',
] as const

interface Ran {
  readonly call: Call
  readonly number: number
  /** When the call was sent, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

/**
 * Sends random documents, reports and filters, drawn from the published schema, to a service with a large fleet. The same seed gives the
 * same calls. No call may end in INTERNAL or end the process. Another process requests `/live` all the time; while nothing is decided or
 * written, it must get an answer within 200 ms.
 */
export async function proveFuzz(checks: Checks, options: ProveFuzzOptions): Promise<void> {
  const { documents, hosts, claims, seed, from, callers, silentMs = Number.POSITIVE_INFINITY, say } = options
  await withFolder(async (folder) => {
    const service = await startService({ GANTT_DATA_DIR: folder }, 120_000)
    const live = watchLive(service.url)
    try {
      const fleet = await fillLargeFleet(service.client, { hosts, claims, seed: 'fuzz' })
      const schema = await readSchema((document) => service.client.request(document))
      say(`${hosts} hosts, ${fleet.claims.length} claims, ${schema.types.size} types`)
      const tally = { answered: 0, refused: 0, left: 0, writing: 0, excepted: 0, ofMachine: 0, longestMs: 0, looks: 0 }
      let ran: Ran[] = []
      const run = async (call: Call, number: number): Promise<void> => {
        const begun = Date.now()
        const gone = chance(createRandom(`${seed} leaves ${number}`), 3) ? AbortSignal.timeout(5) : undefined
        const end = await send(service, call, gone)
        ran.push({ call, number, from: begun, to: Date.now() })
        tally[end.type]++
        if (call.isWriting) tally.writing++
        const describe = () => `document ${number} of seed ${seed}: ${end.why}\n${textOf(call)}`
        checks.check('no call ends in INTERNAL, or without an answer', end.why === undefined, describe)
      }
      live.take()
      await pauseOf(service)
      /** The longest time for which the service was busy without yielding since the last check, in milliseconds of processor time. */
      let pauseMs = 0
      const notePause = async (): Promise<void> => {
        pauseMs = Math.max(pauseMs, await pauseOf(service))
      }
      const runAlone = async (call: Call, number: number): Promise<void> => {
        await notePause()
        await run(call, number)
        if (!service.isGone) await pauseOf(service)
      }
      let reportedAt = performance.now()
      const look = async (): Promise<void> => {
        await notePause()
        for (const answer of live.take()) {
          tally.looks++
          const overlapping = ran.filter((one) => one.to >= answer.at && one.from <= answer.at + answer.ms)
          const isExcepted = overlapping.some(({ call }) => call.isWriting)
          if (!isExcepted) tally.longestMs = Math.max(tally.longestMs, answer.ms)
          const isSilent = answer.ms >= silentMs || answer.state !== 200
          if (isSilent && isExcepted) tally.excepted++
          else if (isSilent && pauseMs < OWN_MS && answer.state === 200) tally.ofMachine++
          else checks.check('/live is never silent for 200 ms', !isSilent, () => reportSilence(answer, pauseMs, overlapping))
        }
        ran = []
        pauseMs = 0
        if (performance.now() - reportedAt < 10_000) return
        reportedAt = performance.now()
        say(
          `${Object.entries(tally)
            .map(([what, count]) => `${what} ${Math.round(count)}`)
            .join(', ')}`,
        )
      }
      const end = from + documents
      let running = new Set<Promise<void>>()
      for (let number = from; number < end && !service.isGone; number++) {
        const call = drawOf({ schema, fleet, random: createRandom(`${seed} document ${number}`) }, number)
        // `/live` may be silent during a call that writes. Such a call runs alone, because it would hide the silence of other calls.
        if (call.isWriting || running.size >= callers) await (call.isWriting ? Promise.all(running) : Promise.race(running))
        if (call.isWriting) await runAlone(call, number)
        else {
          const one: Promise<void> = run(call, number).finally(() => running.delete(one))
          running.add(one)
        }
        if (number % BLOCK !== BLOCK - 1) continue
        await Promise.all(running)
        running = new Set()
        if (!service.isGone) await look()
      }
      await Promise.all(running)
      if (!service.isGone) await look()
      say(
        `${Object.entries(tally)
          .map(([what, count]) => `${what} ${Math.round(count)}`)
          .join(', ')}`,
      )
      checks.check('the process lives on', !service.isGone, () => service.words.slice(-20).join('\n'))
      checks.check('/live was asked', tally.looks > 0)
      checks.check('documents of both kinds were answered', tally.answered > documents / 10 && tally.refused > 0, () =>
        JSON.stringify(tally),
      )
    } finally {
      await live.stop()
      await service.stop()
    }
  })
}

function drawOf(source: Source, number: number): Call {
  const { random, fleet } = source
  const kind = random.below(10)
  if (kind === 0) return drawReport(source, number)
  if (kind < 3)
    return { document: oneOf(random, FILTERED), variables: { q: drawFilter(random, fleet) }, roots: ['query'], isWriting: false }
  return drawCall(source)
}

interface End {
  readonly type: 'answered' | 'refused' | 'left'
  /** A description of the defect in the answer. Undefined if there is none. */
  readonly why: string | undefined
}

async function send({ url }: Service, { document, variables }: Call, gone: AbortSignal | undefined): Promise<End> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: document, variables }),
      signal: gone === undefined ? timeout : AbortSignal.any([timeout, gone]),
    })
    const text = await response.text()
    const internal = /"code":"INTERNAL".{0,200}/.exec(text)?.[0]
    const isRefused = text.startsWith('{"errors"') || text.includes('"errors":[')
    return { type: isRefused ? 'refused' : 'answered', why: internal }
  } catch (error) {
    if (gone?.aborted === true) return { type: 'left', why: undefined }
    const why = timeout.aborted
      ? `no answer within ${TIMEOUT_MS} ms`
      : error instanceof Error
        ? String(error.cause ?? error)
        : String(error)
    return { type: 'refused', why }
  }
}

const textOf = ({ document, variables }: Call): string => `${document.slice(0, 2_000)}\n${JSON.stringify(variables).slice(0, 1_000)}`

const reportSilence = ({ ms, state }: LiveAnswer, pauseMs: number, overlapping: readonly Ran[]): string =>
  `${Math.round(ms)} ms (${state}; the longest piece took ${Math.round(pauseMs)} ms of the processor) while these ran:\n${overlapping
    .map(({ number, from, to, call }) => `document ${number}, ${to - from} ms: ${textOf(call)}`)
    .join('\n')}`
