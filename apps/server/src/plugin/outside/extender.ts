import http from 'node:http'
import https from 'node:https'
import { isJsonObject } from '@gantt/scheduler-core'
import { type Asked, type Asker, createFailures, WIRE_FORMAT } from './asker.ts'

export interface ExtenderOptions {
  /** The URL of the extender, http or https, from the operator's file. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly title: string
  /** The timeout of one answer in milliseconds, from the request to the last byte. */
  readonly timeoutMs: number
  warn(message: string): void
  /** Milliseconds since 1970. */
  now(): number
}

/** At most this many calls of one extender run at once. Further calls are refused at once. */
export const MAX_CONCURRENT_CALLS = 32
/** The maximum size of an answer, bytes. */
export const MAX_ANSWER_BYTES = 8_388_608

/**
 * Calls the filters and weighers of an extender over HTTP. Redirects are not followed, so that only the URL from the operator's file is
 * called. Only HTTP answers are accepted.
 */
export function openExtender({ url, headers, title, timeoutMs, warn, now }: ExtenderOptions): Asker {
  const failures = createFailures(title, warn, now)
  const { request, Agent } = new URL(url).protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONCURRENT_CALLS })
  let underWay = 0
  let isClosed = false

  const post = (body: string, limitMs: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const fail = (message: string): void => {
        sent.destroy()
        reject(new Error(message))
      }
      const sent = request(url, {
        method: 'POST',
        agent,
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json', 'content-length': Buffer.byteLength(body) },
      })
      const timer = setTimeout(() => fail(`it did not answer in ${limitMs} ms`), limitMs)
      let isAnswered = false
      sent.on('close', () => {
        clearTimeout(timer)
        // a switch to another protocol ends the request without an error
        if (!isAnswered) fail('the connection ended without an answer')
      })
      sent.on('error', (error) => fail(`the connection failed: ${error.message}`))
      sent.on('response', (response) => {
        isAnswered = true
        const { statusCode = 0 } = response
        if (statusCode >= 300 && statusCode < 400) return fail(`it answered ${statusCode}; a redirect is not followed`)
        if (statusCode !== 200) return fail(`it answered ${statusCode}; it must answer 200`)
        const pieces: Buffer[] = []
        let bytes = 0
        response.on('data', (piece: Buffer) => {
          bytes += piece.length
          if (bytes > MAX_ANSWER_BYTES) fail(`its answer is longer than ${MAX_ANSWER_BYTES} bytes`)
          else pieces.push(piece)
        })
        response.on('error', (error) => fail(`the connection failed: ${error.message}`))
        response.on('aborted', () => fail('the connection ended before the end of the answer'))
        response.on('end', () => {
          try {
            resolve(readAnswers(Buffer.concat(pieces).toString('utf8')))
          } catch (error) {
            reject(error)
          }
        })
      })
      sent.end(body)
    })

  return {
    title,
    async ask(question: Asked, waitMs: number) {
      const noted = (error: Error): Error => {
        failures.note(question.part, error.message)
        return error
      }
      if (isClosed) throw new Error('it is closed')
      if (underWay >= MAX_CONCURRENT_CALLS) throw noted(new Error(`${MAX_CONCURRENT_CALLS} calls to this extender are already running`))
      underWay++
      try {
        return await post(JSON.stringify(question), Math.min(timeoutMs, waitMs))
      } catch (error) {
        throw noted(error instanceof Error ? error : new Error(String(error)))
      } finally {
        underWay--
      }
    },
    noteBad: failures.note,
    get health() {
      return { state: isClosed ? ('CLOSED' as const) : ('READY' as const), count: failures.count, last: failures.last, restarts: 0 }
    },
    async close() {
      isClosed = true
      agent.destroy()
    },
  }
}

/**
 * Reads the answers in a body of the form `{"format": ..., "answers": [...]}`. A null answer means that the request needs nothing from the
 * part.
 */
function readAnswers(body: string): unknown {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    throw new Error('its answer is not JSON')
  }
  if (!isJsonObject(answer)) throw new Error('its answer is not a JSON object')
  if (answer.format !== WIRE_FORMAT)
    throw new Error(`its answer has the format ${JSON.stringify(answer.format) ?? 'none'}; it must be "${WIRE_FORMAT}"`)
  if (answer.answers === undefined) throw new Error('its answer has no field "answers"')
  return answer.answers
}
