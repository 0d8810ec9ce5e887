import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { causeOf } from '../cause/cause.ts'
import { causeText } from '../cause/cause-text.ts'
import { candidatesFilter } from '../contracts/candidates.ts'
import { examine } from '../examine/examine.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { Profile } from '../records/profile.ts'
import { aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import { reasonText } from '../text/reason-text.ts'
import { NAMED_BY_ALL } from '../values/levels.ts'

type Asks = Parameters<typeof aRequest>[0]

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile

/**
 * A fleet for requests that name hosts. Hosts a and b are in aggregate 1. Host c is in zone z and in aggregate 2, and has a second node,
 * c2.
 */
function townAt(level = NAMED_BY_ALL) {
  const log = aLog()
  log.append([{ type: 'feature', level }, ...['a', 'b', 'c'].map((name) => aReport(name)), { ...aReport('c'), node: 'c2' }])
  log.append([
    { type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'one', hosts: ['a', 'b'], metadata: {} } },
    { type: 'aggregate', uuid: aUuid(2), expectedVersion: 0, next: { name: 'two', hosts: ['c'], metadata: { availability_zone: 'z' } } },
  ])
  return log.fleet
}

/** The nodes that the request admits, and the reason for the first refused node. */
function saidOf(asks: Asks, { level, profile = 'default' }: { readonly level?: number; readonly profile?: string } = {}) {
  const fleet = townAt(level)
  const { checksOf } = examine(fleet, aRequest(asks), profileNamed(profile), 's')
  const reasons = fleet.hosts.records.map(({ index }) => checksOf(index).find(({ reason }) => reason !== undefined)?.reason)
  const why = reasons.find((reason) => reason !== undefined)
  return {
    in: fleet.hosts.records.filter((_, i) => reasons[i] === undefined).map(({ node }) => node),
    why: why && `${why.code}: ${reasonText(why)}`,
  }
}

describe('if a request names hosts in several fields, only hosts that all of these fields name are admitted', () => {
  test.each<[name: string, asks: Asks, said: ReturnType<typeof saidOf>]>([
    [
      'Z15b: a is forced, and b is the destination',
      { forceHosts: ['a'], requestedDestination: { host: 'b' } },
      { in: [], why: 'host.none_common: No host is in all lists of the request: a by forceHosts and b by requestedDestination.' },
    ],
    [
      'Z15b kind: the destination is one of the forced hosts',
      { forceHosts: ['a', 'b'], requestedDestination: { host: 'b' } },
      { in: ['b'], why: 'host.not_requested: The request names other hosts: b.' },
    ],
    [
      'Z15b kind: a host and a node of another host are forced',
      { forceHosts: ['a'], forceNodes: ['c2'] },
      { in: [], why: 'host.none_common: No host is in all lists of the request: a by forceHosts and c2 by forceNodes.' },
    ],
    [
      'Z15b kind: the destination is one of the nodes of a forced host',
      { forceHosts: ['c'], requestedDestination: { node: 'c2' } },
      { in: ['c2'], why: 'host.not_requested: The request names other hosts: c.' },
    ],
    [
      'Z15b kind: nodes are forced, and the destination is another node',
      { forceNodes: ['a', 'b'], requestedDestination: { host: 'c', node: 'c2' } },
      {
        in: [],
        why: 'host.none_common: No host is in all lists of the request: a, b by forceNodes and c, c2 by requestedDestination.',
      },
    ],
    [
      'Z15b kind: a forced host is outside of the requested aggregates',
      { forceHosts: ['c'], requestedDestination: { aggregates: [aUuid(1)] } },
      {
        in: [],
        why: `host.none_common: No host is in all lists of the request: c by forceHosts and ${aUuid(1)} by requestedDestination.aggregates.`,
      },
    ],
    [
      'Z15b kind: two lists of aggregates have no host in common',
      { requestedDestination: { aggregates: [aUuid(1)] }, requestedResources: [{ amounts: [], memberOf: [aUuid(2)] }] },
      {
        in: [],
        why: `host.none_common: No host is in all lists of the request: ${aUuid(1)} by requestedDestination.aggregates and ${aUuid(2)} by requestedResources.memberOf.`,
      },
    ],
    [
      'Z15b kind: a forced host in another zone is refused for its zone',
      { forceHosts: ['a'], availabilityZone: 'z' },
      { in: [], why: 'zone.other: The host is in availability zone nova; z was requested.' },
    ],
    [
      'Z15b kind: a forced host is also excluded',
      { forceHosts: ['a'], ignoreHosts: ['a'] },
      { in: [], why: 'host.excluded: The request excludes the host.' },
    ],
  ])('%s', (_name, asks, said) => {
    expect(saidOf(asks)).toEqual(said)
  })

  test('below feature level NAMED_BY_ALL a request with two lists of names admits a host that is in either list', () => {
    expect(saidOf({ forceHosts: ['a'], requestedDestination: { host: 'b' } }, { level: NAMED_BY_ALL - 1 }).in).toEqual(['a', 'b'])
  })

  test('under compat: nova a host must be in all lists of names, at every level', () => {
    const asks = { forceHosts: ['a'], requestedDestination: { host: 'b' } }
    for (const level of [NAMED_BY_ALL - 1, NAMED_BY_ALL]) expect(saidOf(asks, { level, profile: 'nova-compat' }).in).toEqual([])
  })
})

test.each<[name: string, asks: Asks, text: string]>([
  [
    'both names',
    { forceHosts: ['a'], requestedDestination: { host: 'b' } },
    'There is no host named a by forceHosts and b by requestedDestination. Each by itself: 1 named a by forceHosts; 1 named b by requestedDestination.',
  ],
  [
    'the name and the zone',
    { forceHosts: ['a'], availabilityZone: 'z' },
    'There is no host named a and in availability zone z. Each by itself: 1 named a; 2 in availability zone z. Nearest is a: The host is in availability zone nova; z was requested.',
  ],
])('the cause of the refusal says that no host has %s', (_name, asks, text) => {
  expect(causeText(causeOf(townAt(), aRequest(asks), profileNamed('default')))).toBe(text)
})

const some = (...names: string[]) => fc.oneof(fc.constant<string[]>([]), fc.subarray(names, { minLength: 1 }))
const place = (...names: string[]) => fc.option(fc.constantFrom(...names))

const town = townAt()

function admitted(asks: Asks): readonly string[] {
  const prepared = candidatesFilter.prepare(aRequest(asks), town, {})
  return town.hosts.records.filter(({ index }) => prepared?.passes(index) ?? true).map(({ node }) => node)
}

test('law: a request with several lists of names admits the hosts that every list admits alone', () => {
  const drawn = fc.record({
    forceHosts: some('a', 'b', 'c', 'gone'),
    forceNodes: some('a', 'b', 'c', 'c2'),
    host: place('a', 'b', 'c', 'gone'),
    node: place('a', 'b', 'c', 'c2'),
    aggregates: some(aUuid(1), aUuid(2)),
    memberOf: some(aUuid(1), aUuid(2)),
  })
  fc.assert(
    fc.property(drawn, ({ forceHosts, forceNodes, host, node, aggregates, memberOf }) => {
      const parts: Asks[] = [
        { forceHosts },
        { forceNodes },
        { requestedDestination: { host, node } },
        { requestedDestination: { aggregates } },
        { requestedResources: [{ amounts: [], memberOf }] },
      ]
      const alone = parts.map(admitted)
      const requestedResources = [{ amounts: [], memberOf }]
      const whole = admitted({ forceHosts, forceNodes, requestedDestination: { host, node, aggregates }, requestedResources })
      expect(whole).toEqual(['a', 'b', 'c', 'c2'].filter((name) => alone.every((names) => names.includes(name))))
    }),
    { numRuns: 500 },
  )
})

test.each<[name: string, asks: Asks]>([
  ['a forced host and another destination', { forceHosts: ['a'], requestedDestination: { host: 'b' } }],
  ['a forced host and the aggregates of another one', { forceHosts: ['c'], requestedDestination: { aggregates: [aUuid(1)] } }],
  ['a forced host and another node', { forceHosts: ['a'], requestedDestination: { node: 'c2' } }],
  ['a destination outside of the aggregates', { requestedDestination: { host: 'c', aggregates: [aUuid(1)] } }],
  [
    'two lists of aggregates',
    { requestedDestination: { aggregates: [aUuid(1)] }, requestedResources: [{ amounts: [], memberOf: [aUuid(2)] }] },
  ],
])('a refusal because of %s has the same cause under all profiles', (_name, asks) => {
  for (const profile of ['default', 'nova', 'nova-compat', 'best-fit']) {
    const cause = causeOf(townAt(), aRequest(asks), profileNamed(profile))
    expect([profile, cause.code, cause.reasons[0]?.code]).toEqual([profile, 'host.none_common', 'host.none_common'])
    if (cause.nearest !== null) expect(causeText(cause)).toMatch(/No host is in all lists of the request: \S+ by \S+ and \S+ by \S+\./)
  }
})

test('a destination node without a host name is found if only one host has a node of that name', () => {
  const cause = causeOf(townAt(), aRequest({ forceHosts: ['a'], requestedDestination: { node: 'c2' } }), profileNamed('nova-compat'))
  expect(causeText(cause)).toContain('There is no host named a and of the node c2. Each by itself: 1 named a; 1 of the node c2.')
})
