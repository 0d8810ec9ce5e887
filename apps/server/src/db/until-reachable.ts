import { untilDone, type WaitOptions } from '../until-there.ts'

export interface ReachOptions extends Omit<WaitOptions, 'onAway'> {
  readonly url: string
}

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
export const untilReachable = <T>(work: () => Promise<T>, { url, ...options }: ReachOptions): Promise<T> =>
  untilDone(work, {
    ...options,
    done: 'the database answers',
    whyAway(error) {
      const why = whyAway(error)
      if (why === undefined) return undefined
      return `waiting for the PostgreSQL server ${placeOf(url)} that DATABASE_URL names: ${why}. Start it, or set DATABASE_URL to one that runs`
    },
  })

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
