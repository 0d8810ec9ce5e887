import { atOnce, type Liveness } from '@gantt/scheduler-core'
import { describe, expect, test } from 'vitest'
import { judgeLiveness, type WatchedHost } from './judge-liveness.ts'
import type { Heard } from './liveness-source.ts'

const NOW = 1_000_000
const timeouts = { suspectAfterMs: 60_000, downAfterMs: 180_000 }

/** A host, by default in a separate zone. */
const host = (name: string, state: Liveness, more: Partial<WatchedHost> = {}): WatchedHost => ({
  host: name,
  node: name,
  state,
  reportedAt: 0,
  domains: [`zone of ${name}`],
  ...more,
})
const fleet = (count: number, state: Liveness = 'UP', more: Partial<WatchedHost> = {}, prefix = 'h'): WatchedHost[] =>
  Array.from({ length: count }, (_, i) => host(`${prefix}${i}`, state, more))

const heardOf = (silent: Readonly<Record<string, number>>, listeningSince = 0): Heard => ({
  source: 'reports',
  now: NOW,
  listeningSince,
  lastOf: ({ host: name }) => NOW - (silent[name] ?? 0) * 1_000,
})

/** The result if the hosts in `silent` have been silent for this many seconds, and all other hosts gave a sign of life just now. */
function judge(hosts: readonly WatchedHost[], silent: Readonly<Record<string, number>>, listeningSince = 0) {
  const { changes, withheld, warning } = atOnce(judgeLiveness(hosts, heardOf(silent, listeningSince), timeouts))
  return {
    changes: changes.map(({ host: { host: name }, state }) => `${name} ${state}`),
    withheld: withheld.map(({ host: name }) => name),
    warning,
  }
}
const allSilent = (hosts: readonly WatchedHost[], seconds: number) => Object.fromEntries(hosts.map(({ host: name }) => [name, seconds]))

describe('the state of a silent host', () => {
  test.each<[what: string, state: Liveness, seconds: number, follows: readonly string[]]>([
    ['a host that gave a sign stays UP', 'UP', 59, []],
    ['a silent host is SUSPECT', 'UP', 60, ['h0 SUSPECT']],
    ['a host that is silent for long is SUSPECT before it is DOWN', 'UP', 600, ['h0 SUSPECT']],
    ['a SUSPECT host stays SUSPECT until the timeout', 'SUSPECT', 179, []],
    ['a SUSPECT host that stays silent is DOWN', 'SUSPECT', 180, ['h0 DOWN']],
    ['a SUSPECT host that gives a sign is UP', 'SUSPECT', 59, ['h0 UP']],
    ['a DOWN host that gives a sign is UP', 'DOWN', 1, ['h0 UP']],
    ['a DOWN host that is silent stays DOWN', 'DOWN', 6_000, []],
  ])('%s', (_what, state, seconds, follows) => {
    expect(judge([host('h0', state), ...fleet(10, 'UP', {}, 'other')], { h0: seconds }).changes).toEqual(follows)
  })

  test('if a host never gave a sign of life, its last report is used as one', () => {
    const never = { source: 'reports' as const, now: NOW, listeningSince: 0, lastOf: () => undefined }
    const hosts = [host('old', 'UP', { reportedAt: NOW - 61_000 }), host('new', 'UP', { reportedAt: NOW - 1_000 })]
    expect(atOnce(judgeLiveness(hosts, never, timeouts)).changes.map(({ host: { host: name } }) => name)).toEqual(['old'])
  })

  test('silence while no replica reads signs of life has no effect, and makes no host UP', () => {
    const hosts = [host('h0', 'UP'), host('h1', 'SUSPECT'), host('h2', 'DOWN')]
    expect(judge(hosts, allSilent(hosts, 900), NOW - 30_000).changes).toEqual([])
  })
})

test('the reason contains the start of the silence, the exceeded timeout and the source', () => {
  const { changes } = atOnce(judgeLiveness([host('h0', 'UP'), host('h1', 'UP')], heardOf({ h0: 90 }), timeouts))
  expect(changes.map(({ reason }) => reason)).toEqual(['silent since 1970-01-01T00:15:10.000Z, longer than 60 s (source reports)'])
})

describe('many hosts become silent at once', () => {
  test('every pass over the hosts of a large fleet yields', () => {
    const hosts = fleet(1_025, 'SUSPECT')
    // four slices of 256 hosts in each of three passes: which hosts are silent, in which domains, and which of them are withheld
    expect([...judgeLiveness(hosts, heardOf(allSilent(hosts, 600)), timeouts)]).toHaveLength(12)
  })

  test('if at least five hosts and more than a fifth of the fleet are silent, none of them becomes DOWN', () => {
    const dead = fleet(5, 'SUSPECT')
    const of = (others: number) => judge([...dead, ...fleet(others, 'UP', {}, 'other')], allSilent(dead, 200))
    expect(of(19)).toMatchObject({ changes: [], withheld: ['h0', 'h1', 'h2', 'h3', 'h4'] })
    expect(of(19).warning).toContain('5 of 24 hosts')
    expect(of(20)).toMatchObject({ withheld: [], warning: null })
    expect(of(20).changes).toHaveLength(5)
  })

  test('four silent hosts of five become DOWN, because fewer than five are not a mass failure', () => {
    const dead = fleet(4, 'SUSPECT')
    expect(judge([...dead, host('other', 'UP')], allSilent(dead, 200)).changes).toHaveLength(4)
  })

  test('hosts whose leases expire one after another are counted together', () => {
    const [first, ...rest] = fleet(6, 'SUSPECT')
    const hosts = [first as WatchedHost, ...rest, ...fleet(10, 'UP', {}, 'other')]
    expect(judge(hosts, { ...allSilent(rest, 100), h0: 200 })).toMatchObject({ changes: [], withheld: ['h0'] })
  })

  test.each(['zone z1', 'rack r7'])('a whole %s that becomes silent does not become DOWN', (domain) => {
    const dead = fleet(3, 'SUSPECT', { domains: [domain] })
    const others = fleet(40, 'UP', { domains: ['zone z2'] }, 'other')
    expect(judge([...dead, ...others], allSilent(dead, 200))).toMatchObject({ changes: [], withheld: ['h0', 'h1', 'h2'] })
    expect(judge([...dead, ...others], allSilent(dead, 200)).warning).toContain(domain)
    // one host of the zone is alive, so the silent ones are assumed to have failed individually
    expect(judge([...dead, ...others], allSilent(dead.slice(1), 200)).changes).toEqual(['h0 UP', 'h1 DOWN', 'h2 DOWN'])
  })

  test('the last live host of a rack can become DOWN alone', () => {
    const rack = { domains: ['rack r7'] }
    const hosts = [host('a', 'DOWN', rack), host('b', 'DOWN', rack), host('c', 'SUSPECT', rack), ...fleet(9, 'UP', {}, 'other')]
    expect(judge(hosts, { a: 9_000, b: 8_000, c: 200 })).toMatchObject({ changes: ['c DOWN'], withheld: [] })
  })

  test('two silent hosts that are the whole fleet do not become DOWN', () => {
    const hosts = fleet(2, 'SUSPECT')
    expect(judge(hosts, allSilent(hosts, 200))).toMatchObject({ changes: [], withheld: ['h0', 'h1'] })
    expect(judge(hosts, { h0: 200 }).changes).toEqual(['h1 UP', 'h0 DOWN'])
  })

  test('a source that is suddenly empty makes no host DOWN', () => {
    const hosts = fleet(100, 'SUSPECT', { domains: ['zone nova'] })
    expect(judge(hosts, allSilent(hosts, 10_000))).toMatchObject({ changes: [] })
  })
})

test('the timeouts of a replaced host start at its replacement, whatever signs of life its earlier names had', () => {
  const timeouts = { suspectAfterMs: 60_000, downAfterMs: 180_000 }
  const heard = (now: number, last: number | undefined) => ({ now, listeningSince: 0, source: 'reports', lastOf: () => last })
  const host = { host: 'new', node: 'new', state: 'UP' as const, reportedAt: 1_000, namedAt: 1_000_000, domains: [] }
  for (const last of [undefined, 500]) {
    expect(atOnce(judgeLiveness([host], heard(1_059_999, last), timeouts)).changes).toEqual([])
    expect(atOnce(judgeLiveness([host], heard(1_060_000, last), timeouts)).changes).toMatchObject([{ state: 'SUSPECT' }])
  }
})
