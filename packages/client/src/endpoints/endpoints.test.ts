import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEndpoints, type Endpoints } from './endpoints.ts'

const URLS = ['http://a/graphql', 'http://b/graphql', 'http://c/graphql']

/** Endpoints on a clock that only the test advances. */
function endpointsAt(urls: readonly string[] = URLS): { readonly endpoints: Endpoints; pass(ms: number): void } {
  let now = 0
  return {
    endpoints: createEndpoints(urls, { now: () => now }),
    pass(ms) {
      now += ms
    },
  }
}

/** The letter of the endpoint that the next call of a client would use. */
const nextOf = (endpoints: Endpoints): string => letterOf(endpoints.route().next().url)
const letterOf = (url: string): string => url.charAt('http://'.length)

test.each([
  ['an empty list', [], 'url is an empty list'],
  ['a repeated URL', ['http://a/graphql', 'http://a/graphql'], 'url has "http://a/graphql" twice'],
  ['a URL that is neither http nor https', ['http://a/graphql', 'ftp://b/graphql'], 'url is "ftp://b/graphql"'],
])('%s is refused', (_what, urls, message) => {
  expect(() => createEndpoints(urls, { now: () => 0 })).toThrow(message)
})

test.each(['http://a', 'https://a:4400', 'http://a/graphql/', '/graphql', '../graphql'])('%s is accepted, and called as it is', (url) => {
  expect(
    createEndpoints(url, { now: () => 0 })
      .route()
      .next().url,
  ).toBe(url)
})

test.each(['http://me:secret@a/graphql', 'http://secret@a', 'http://me:secret@a:99999/graphql', 'https://secret:@/graphql', 'secret'])(
  '%s is refused with a message that does not repeat it',
  (url) => {
    const create = () => createEndpoints(url, { now: () => 0 })
    expect(create).toThrow(RangeError)
    expect(create).toThrow(/^url .*; it must /)
    expect(create).not.toThrow(/secret/)
  },
)

test('calls go to the first endpoint, and after its failure to the next one until the first is no longer avoided', () => {
  const { endpoints, pass } = endpointsAt()
  expect(nextOf(endpoints)).toBe('a')
  endpoints.route().next().failed()
  expect(nextOf(endpoints)).toBe('b')
  pass(4_999)
  expect(nextOf(endpoints)).toBe('b')
  pass(1)
  expect(nextOf(endpoints)).toBe('a')
})

test('each further failure in a row doubles the time for which an endpoint is avoided, up to a minute, and an answer ends it', () => {
  const { endpoints, pass } = endpointsAt()
  const avoidedFor = (): number => {
    endpoints.route().next().failed()
    let ms = 0
    for (; nextOf(endpoints) !== 'a'; ms += 1_000) pass(1_000)
    return ms
  }
  expect([1, 2, 3, 4, 5, 6].map(avoidedFor)).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000])
  endpoints.route().next().answered()
  expect(avoidedFor()).toBe(5_000)
})

test('calls that began before a failure and fail together count as one failure, and a late answer to such a call does not end it', () => {
  const { endpoints, pass } = endpointsAt()
  const together = [1, 2, 3].map(() => endpoints.route().next())
  pass(10)
  for (const target of together.slice(0, 2)) target.failed()
  together[2]?.answered()
  expect(nextOf(endpoints)).toBe('b')
  pass(5_000)
  expect(nextOf(endpoints)).toBe('a')
})

test('the retries of a call go to each endpoint in turn', () => {
  const { endpoints } = endpointsAt()
  const route = endpoints.route()
  expect([1, 2, 3, 4, 5].map(() => letterOf(route.next().url)).join('')).toBe('abcab')
})

test('if all endpoints failed, the retries of a call still go to each of them in turn, and do not wait', () => {
  const { endpoints } = endpointsAt()
  const route = endpoints.route()
  const tried = [1, 2, 3, 4, 5, 6].map(() => {
    expect(route.waitMs()).toBe(0)
    const target = route.next()
    target.failed()
    return letterOf(target.url)
  })
  expect(tried.join('')).toBe('abcabc')
})

test('a call waits for a stated time only if all endpoints stated one, and then for the one that ends first', () => {
  const { endpoints } = endpointsAt()
  const route = endpoints.route()
  const waits = [3_000, 1_000, 2_000].map((ms) => {
    const before = route.waitMs()
    route.next().stated(ms, 'all calls')
    return before
  })
  expect(waits).toEqual([0, 0, 0])
  expect(route.waitMs()).toBe(1_000)
  expect(letterOf(route.next().url)).toBe('b')
  expect(endpoints.route().waitMs(), 'another call does not wait').toBe(0)
  expect(nextOf(endpoints)).toBe('b')
})

test('a time that is about one call makes no other call avoid the endpoint', () => {
  const { endpoints } = endpointsAt()
  const route = endpoints.route()
  route.next().stated(3_000, 'this call')
  expect(letterOf(route.next().url)).toBe('b')
  expect(nextOf(endpoints)).toBe('a')
})

test('a pause for all endpoints makes the call wait, whichever endpoint is next', () => {
  const { endpoints } = endpointsAt()
  const route = endpoints.route()
  route.next()
  route.waitEverywhere(1_000)
  expect(route.waitMs()).toBe(1_000)
})

test('a second copy goes to the first other endpoint that is not avoided, or to none', () => {
  const { endpoints } = endpointsAt()
  const failing = endpoints.route()
  for (const url of ['a', 'b']) {
    const target = failing.next()
    expect(letterOf(target.url)).toBe(url)
    target.failed()
  }
  const route = endpoints.route()
  const first = route.next()
  expect(letterOf(first.url)).toBe('c')
  expect(route.other(first)).toBeUndefined()
  const fresh = endpointsAt().endpoints.route()
  expect(letterOf(fresh.other(fresh.next())?.().url ?? '')).toBe('b')
  const again = endpointsAt().endpoints.route()
  again.next()
  const retry = again.next()
  expect(letterOf(again.other(retry)?.().url ?? ''), 'the order counts, not how often the call tried it').toBe('a')
  const [only = ''] = URLS
  const alone = endpointsAt([only]).endpoints.route()
  expect(alone.other(alone.next())).toBeUndefined()
})

test('whatever happens, an endpoint that was reported as failed is chosen again only if its time is over or no other is ready', () => {
  const step = fc.record({ ms: fc.nat(20_000), ends: fc.constantFrom('answered', 'failed'), isNewCall: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { endpoints, pass } = endpointsAt()
      let route = endpoints.route()
      let now = 0
      /** The times until which endpoints are avoided at least: 5 s after their last failure, unless they answered since. */
      const avoided = new Map<string, number>()
      /** The endpoints that failed several times in a row, which are avoided for longer than 5 s. */
      const mayBeAvoidedLonger = new Set<string>()
      for (const { ms, ends, isNewCall } of steps) {
        pass(ms)
        now += ms
        if (isNewCall) route = endpoints.route()
        const target = route.next()
        const isAvoided = (url: string): boolean => (avoided.get(url) ?? 0) > now
        if (isAvoided(target.url)) expect(URLS.filter((url) => !isAvoided(url) && !mayBeAvoidedLonger.has(url))).toEqual([])
        if (ends === 'answered') {
          target.answered()
          avoided.delete(target.url)
          mayBeAvoidedLonger.delete(target.url)
        } else {
          target.failed()
          if (avoided.has(target.url)) mayBeAvoidedLonger.add(target.url)
          avoided.set(target.url, now + 5_000)
        }
        expect(route.waitMs()).toBe(0)
      }
    }),
  )
})
