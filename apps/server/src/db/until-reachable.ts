import { setTimeout as sleep } from 'node:timers/promises'
import { StoppedError } from '../until-there.ts'

export interface ReachOptions {
  readonly url: string
  /** Ends the waiting, by StoppedError. */
  readonly stopped: AbortSignal
  /** For operators: at first, every 30 seconds, and when it is over. */
  warn(message: string): void
}

const AGAIN_MS = 500
const TELL_EVERY_MS = 30_000
/** Of the network, and PostgreSQL's own while it starts or stops. */
const AWAY = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT', 'EPIPE'],
  ...['57P01', '57P03'],
])
/** What `pg` says without a code. */
const AWAY_TEXTS = ['timeout expired', 'Connection terminated unexpectedly', 'Connection terminated due to connection timeout']

/**
 * Does what needs a database of the operator's own until its server answers: it may start later than the service. What waiting does not
 * mend, such as a wrong password, is thrown at once.
 */
export async function untilReachable<T>(work: () => Promise<T>, { url, stopped, warn }: ReachOptions): Promise<T> {
  const since = performance.now()
  let toldAt = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      const done = await work()
      if (toldAt > 0) warn(`The database answers after ${Math.round((performance.now() - since) / 1_000)} s; the start goes on.`)
      return done
    } catch (error) {
      const why = whyAway(error)
      if (why === undefined) throw error
      const reason = `waiting for the PostgreSQL server ${placeOf(url)} that DATABASE_URL names: ${why}`
      if (performance.now() - toldAt >= TELL_EVERY_MS) {
        toldAt = performance.now()
        warn(`${reason}. Start it, or set DATABASE_URL to one that runs.`)
      }
      await sleep(AGAIN_MS, undefined, { signal: stopped }).catch(() => undefined)
      if (stopped.aborted) throw new StoppedError(reason, { cause: error })
    }
  }
}

/** Why a server cannot be reached; undefined for what waiting does not mend. */
function whyAway(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== undefined && AWAY.has(code)) return message === '' ? code : message
  return AWAY_TEXTS.includes(message) ? message : undefined
}

/** Host and port, without what may be a secret. */
function placeOf(url: string): string {
  const { hostname, port, searchParams } = new URL(url)
  return `at ${hostname || (searchParams.get('host') ?? 'localhost')}:${port || (searchParams.get('port') ?? '5432')}`
}
