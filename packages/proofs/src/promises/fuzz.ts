import { createRandom } from '@gantt/scheduler-core'
import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { startService } from '../processes/service.ts'
import { chance } from '../random-calls/choose.ts'
import { drawNumbered } from '../random-calls/draw-call.ts'
import type { Call } from '../random-calls/draw-document.ts'
import { fillLargeFleet } from '../random-calls/large-fleet.ts'
import { type LiveAnswer, watchLive } from '../random-calls/live-watch.ts'
import { readSchema } from '../random-calls/schema.ts'
import { send } from '../random-calls/send.ts'
import { createKindTally } from '../random-calls/tally.ts'
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

interface Ran {
  readonly call: Call
  readonly number: number
  /** When the call was sent, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
  /** Whether something was or may have been decided or written for the call. `/live` may be silent during such a call. */
  readonly hasActed: boolean
}

/**
 * Sends random documents, reports, filters, requests and subscriptions, drawn from the published schema, to a service with a large fleet.
 * The same seed gives the same calls. No call may end in INTERNAL or end the process, and calls of every kind must get through. Another
 * process requests `/live` all the time; while nothing is decided or written, it must get an answer within `silentMs`, also during calls
 * that only read or are refused.
 */
export async function proveFuzz(checks: Checks, options: ProveFuzzOptions): Promise<void> {
  const { documents, hosts, claims, seed, from, callers, silentMs = Number.POSITIVE_INFINITY, say } = options
  await withFolder(async (folder) => {
    const service = await startService({ GANTT_DATA_DIR: folder }, 120_000)
    const live = watchLive(service.url)
    try {
      const fleet = await fillLargeFleet(service.client, { hosts, claims, seed: 'fuzz' })
      const schema = await readSchema((document) => service.client.request(document))
      const refusals: ReadonlySet<string> = new Set(schema.types.get('UserError')?.possibleTypes?.map(({ name }) => name))
      say(`${hosts} hosts, ${fleet.claims.length} claims, ${schema.types.size} types`)
      const byKind = createKindTally()
      const tally = { answered: 0, refused: 0, left: 0, writing: 0, excepted: 0, ofMachine: 0, longestMs: 0, looks: 0 }
      let ran: Ran[] = []
      const run = async (call: Call, number: number): Promise<Ran> => {
        const begun = Date.now()
        // The service continues a call that writes when its caller has left, and `/live` may be silent until then. So the caller does not
        // disconnect during such a call.
        const isLeft = !call.isWriting && chance(createRandom(`${seed} leaves ${number}`), 3)
        const gone = isLeft ? AbortSignal.timeout(5) : undefined
        const end = await send(service, call, gone, refusals)
        const one = { call, number, from: begun, to: Date.now(), hasActed: call.isWriting && end.mayHaveActed }
        ran.push(one)
        tally[end.type]++
        byKind.add(call, end, one.to - one.from)
        if (call.isWriting) tally.writing++
        const describe = () => `document ${number} of seed ${seed}: ${end.why}\n${textOf(call)}`
        checks.check('every call is answered, and none with INTERNAL', end.why === undefined, describe)
        return one
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
        const { hasActed } = await run(call, number)
        if (service.isGone) return
        if (hasActed) await pauseOf(service)
        else await notePause()
      }
      let reportedAt = performance.now()
      const look = async (): Promise<void> => {
        await notePause()
        for (const answer of live.take()) {
          tally.looks++
          const overlapping = ran.filter((one) => one.to >= answer.at && one.from <= answer.at + answer.ms)
          const isExcepted = overlapping.some((one) => one.hasActed)
          if (!isExcepted) tally.longestMs = Math.max(tally.longestMs, answer.ms)
          const isSilent = answer.ms >= silentMs || answer.state !== 200
          if (isSilent && isExcepted) tally.excepted++
          else if (isSilent && pauseMs < OWN_MS && answer.state === 200) tally.ofMachine++
          else checks.check(`/live answers within ${silentMs} ms`, !isSilent, () => reportSilence(answer, pauseMs, overlapping))
        }
        ran = []
        pauseMs = 0
        if (performance.now() - reportedAt < 10_000) return
        reportedAt = performance.now()
        say(textOfTally(tally))
      }
      const end = from + documents
      const running = new Set<Promise<unknown>>()
      const followed = new Set<Promise<unknown>>()
      for (let number = from; number < end && !service.isGone; number++) {
        const call = drawNumbered({ schema, fleet, random: createRandom(`${seed} document ${number}`) }, number)
        // `/live` may be silent during a call that writes. Such a call runs alone, because it would hide the silence of other calls.
        if (call.isWriting || running.size >= callers) await (call.isWriting ? Promise.all(running) : Promise.race(running))
        if (call.isWriting) await runAlone(call, number)
        else {
          // Subscriptions stay open while other calls write, so that the service has something to send to them.
          const among = call.chunks === undefined ? running : followed
          const one: Promise<unknown> = run(call, number).finally(() => among.delete(one))
          among.add(one)
        }
        if (number % BLOCK !== BLOCK - 1) continue
        await Promise.all([...running, ...followed])
        if (!service.isGone) await look()
      }
      await Promise.all([...running, ...followed])
      if (!service.isGone) await look()
      say(textOfTally(tally))
      for (const line of byKind.lines()) say(line)
      checks.check('the process does not end', !service.isGone, () => service.words.slice(-20).join('\n'))
      checks.check('/live was called', tally.looks > 0)
      checks.check('documents were answered, and others refused', tally.answered > documents / 10 && tally.refused > 0, () =>
        JSON.stringify(tally),
      )
      byKind.check(checks, documents)
    } finally {
      await live.stop()
      await service.stop()
    }
  })
}

const textOfTally = (tally: Readonly<Record<string, number>>): string =>
  Object.entries(tally)
    .map(([what, count]) => `${what} ${Math.round(count)}`)
    .join(', ')

const textOf = ({ document, variables }: Call): string => `${document.slice(0, 2_000)}\n${JSON.stringify(variables).slice(0, 1_000)}`

const reportSilence = ({ at, ms, state }: LiveAnswer, pauseMs: number, overlapping: readonly Ran[]): string =>
  `${Math.round(ms)} ms from ${new Date(at).toISOString()} (${state}; the longest pause took ${Math.round(pauseMs)} ms of processor time) while these calls ran:\n${overlapping
    .map(({ number, from, to, call }) => `document ${number}, ${to - from} ms: ${textOf(call)}`)
    .join('\n')}`
