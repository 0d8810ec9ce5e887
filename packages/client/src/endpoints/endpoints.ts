import type { Clock } from '../clock.ts'

/** An endpoint that is avoided after a first failure is avoided for this many milliseconds, and twice as long after each further one. */
const FIRST_AVOIDANCE_MS = 5_000
const MAX_AVOIDANCE_MS = 60_000

/** The endpoints of a client. All calls of the client share the knowledge about which of them failed lately. */
export interface Endpoints {
  /** Begins a call, which remembers which endpoints it tried. */
  route(): Route
}

/** Chooses the endpoints of the attempts of one call. */
export interface Route {
  /**
   * Returns the endpoint of the next attempt: the first one that is not avoided, of those that this call tried least often. If all are
   * avoided, it is the one that may be called first, and of these the one that this call tried least often.
   */
  next(): Target
  /**
   * Returns a function that begins a second copy of an attempt at another endpoint. Only then, the endpoint counts as one that this call
   * tried. Undefined if all other endpoints are avoided, or if there is no other.
   */
  other(than: Target): (() => Target) | undefined
  /** The least time in milliseconds before the next attempt: 0 unless the endpoint of that attempt stated a time to this call. */
  waitMs(): number
  /** Makes this call wait for at least `ms` milliseconds, whichever endpoint is next. */
  waitEverywhere(ms: number): void
}

/** The endpoint of one attempt. The caller reports how the attempt ended. An attempt that was cancelled is not reported. */
export interface Target {
  readonly url: string
  /** Reports an answer, also one that is an error. It ends the avoidance unless the endpoint failed since the attempt began. */
  answered(): void
  /** Reports that there was no answer, or one that shows that the endpoint does not work. Calls then avoid the endpoint for a time. */
  failed(): void
  /** Reports that the endpoint must not be called for `ms` milliseconds, by this call only or by all calls. */
  stated(ms: number, by: 'this call' | 'all calls'): void
}

interface Endpoint {
  readonly url: string
  /** Failures in a row. */
  failures: number
  /** The time of the last failure. A failure of an attempt that began before it does not count again. */
  failedAt: number
  avoidedUntil: number
  /** The time before which the endpoint must not be called. The endpoint stated it in an answer. */
  statedUntil: number
}

/** Creates endpoints in the order of preference. Throws RangeError for an empty list, a repeated URL, or a URL that is not http or https. */
export function createEndpoints(url: string | readonly string[], { now }: Pick<Clock, 'now'>): Endpoints {
  const endpoints = urlsOf(url).map(
    (each): Endpoint => ({ url: each, failures: 0, failedAt: -Infinity, avoidedUntil: -Infinity, statedUntil: -Infinity }),
  )
  return {
    route() {
      const attempts = new Map<Endpoint, number>()
      /** The times before which this call must not be sent to an endpoint. */
      const waits = new Map<Endpoint, number>()
      const earliest = (endpoint: Endpoint): number => waits.get(endpoint) ?? -Infinity
      const isReady = (endpoint: Endpoint): boolean => Math.max(endpoint.avoidedUntil, endpoint.statedUntil, earliest(endpoint)) <= now()
      const rankOf = (endpoint: Endpoint): readonly number[] => {
        const tried = attempts.get(endpoint) ?? 0
        if (isReady(endpoint)) return [0, tried]
        return [1, Math.max(now(), endpoint.statedUntil, earliest(endpoint)), tried, endpoint.avoidedUntil]
      }
      const best = (among: readonly Endpoint[]): Endpoint | undefined => firstOf(among, rankOf)
      const choose = (): Endpoint => {
        const chosen = best(endpoints)
        if (chosen === undefined) throw new Error('expected at least one endpoint, found none')
        return chosen
      }
      const targetOf = (endpoint: Endpoint): Target => {
        attempts.set(endpoint, (attempts.get(endpoint) ?? 0) + 1)
        return createTarget(endpoint, now, (until) => waits.set(endpoint, Math.max(until, earliest(endpoint))))
      }
      return {
        next: () => targetOf(choose()),
        other(than) {
          const chosen = endpoints.find((endpoint) => endpoint.url !== than.url && isReady(endpoint))
          return chosen && (() => targetOf(chosen))
        },
        waitMs: () => Math.max(0, earliest(choose()) - now()),
        waitEverywhere(ms) {
          const until = now() + ms
          for (const endpoint of endpoints) waits.set(endpoint, Math.max(until, earliest(endpoint)))
        },
      }
    },
  }
}

function createTarget(endpoint: Endpoint, now: Clock['now'], wait: (until: number) => void): Target {
  const startedAt = now()
  return {
    url: endpoint.url,
    answered() {
      if (startedAt >= endpoint.failedAt) Object.assign(endpoint, { failures: 0, avoidedUntil: -Infinity, statedUntil: -Infinity })
    },
    failed() {
      if (startedAt < endpoint.failedAt) return
      endpoint.failedAt = now()
      endpoint.avoidedUntil = endpoint.failedAt + Math.min(MAX_AVOIDANCE_MS, FIRST_AVOIDANCE_MS * 2 ** endpoint.failures)
      endpoint.failures += 1
    },
    stated(ms, by) {
      const until = now() + ms
      wait(until)
      if (by === 'this call') return
      endpoint.failedAt = now()
      endpoint.statedUntil = Math.max(endpoint.statedUntil, until)
    },
  }
}

/** Returns the item with the least rank, and of several the first one. Ranks are compared number by number. */
function firstOf<Item>(items: readonly Item[], rankOf: (item: Item) => readonly number[]): Item | undefined {
  const [first] = items
    .map((item, i) => ({ item, rank: [...rankOf(item), i] }))
    .toSorted((a, b) => {
      const at = a.rank.findIndex((value, i) => value !== b.rank[i])
      return (a.rank[at] ?? 0) - (b.rank[at] ?? 0)
    })
  return first?.item
}

function urlsOf(url: string | readonly string[]): readonly string[] {
  const urls = typeof url === 'string' ? [url] : [...url]
  if (urls.length === 0) throw new RangeError('url is an empty list; it must be an http or https address, or a list of at least one')
  for (const [i, each] of urls.entries()) {
    checkUrl(each)
    if (urls.indexOf(each) !== i) throw new RangeError(`url has ${JSON.stringify(each)} twice; each endpoint must be listed once`)
  }
  return urls
}

/** Checks an address. In browsers, it can be a path. */
function checkUrl(url: string): void {
  // A text without a slash can be an API key in the place of the address.
  if (!url.includes('/')) throw new RangeError('url is no address; it must be an http or https address')
  if (!URL.canParse(url)) {
    // An address with a scheme is no path. It is not shown, because it can contain a password.
    if (/^[a-z][a-z0-9+.-]*:/i.test(url))
      throw new RangeError('url is an address that cannot be read, perhaps because of its port; it must be an http or https address')
    return
  }
  const { protocol, username, password } = new URL(url)
  if (username !== '' || password !== '')
    throw new RangeError('url contains a user name or a password; it must have neither, and the API key is the option key')
  if (!/^https?:$/.test(protocol)) throw new RangeError(`url is ${JSON.stringify(url)}; it must be an http or https address`)
}
