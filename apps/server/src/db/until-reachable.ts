import { retryUntilDone, type WaitOptions } from '../wait-for-store.ts'
import { outageOf } from './outage.ts'

export interface ReachOptions extends Omit<WaitOptions, 'onAway'> {
  readonly url: string
}

/**
 * Retries an operation on the operator's own database until the server answers, because the server may start later than the service. Errors
 * that waiting does not resolve, such as a wrong password, are thrown at once.
 */
export const untilReachable = <T>(work: () => Promise<T>, { url, ...options }: ReachOptions): Promise<T> =>
  retryUntilDone(work, {
    ...options,
    done: 'the database answers',
    whyAway(error) {
      const why = outageOf(error)
      if (why === undefined) return undefined
      return `waiting for the PostgreSQL server ${placeOf(url)} that DATABASE_URL names: ${why}. Start it, or set DATABASE_URL to one that runs`
    },
  })

/** The host and port of a URL, without the parts that may be secret. */
function placeOf(url: string): string {
  const { hostname, port, searchParams } = new URL(url)
  return `at ${hostname || (searchParams.get('host') ?? 'localhost')}:${port || (searchParams.get('port') ?? '5432')}`
}
