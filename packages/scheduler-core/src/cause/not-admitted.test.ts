import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { builtInProfiles } from '../profiles/built-in.ts'
import { type Change, FEATURE_LEVEL } from '../records/change.ts'
import { aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { atOnce } from '../values/steps.ts'
import type { Condition } from './admission.ts'
import { causeOf } from './cause.ts'
import { causeText } from './cause-text.ts'
import { exclusiveOf } from './not-admitted.ts'

const profiles = builtInProfiles.filter(({ name }) => ['default', 'nova', 'nova-compat', 'best-fit'].includes(name))

const anAggregate = (number: number, name: string, hosts: readonly string[]): Change => ({
  ...{ type: 'aggregate', uuid: aUuid(number), expectedVersion: 0 },
  next: { name, hosts, metadata: name.startsWith('z') ? { availability_zone: name } : {} },
})

/** A fleet with host a in zone z1, and hosts b and c in zone z2. Hosts b and c have a trait. Host c is in an aggregate. */
function town() {
  const log = aLog()
  const traits = ['CUSTOM_B']
  log.append([
    { type: 'feature', level: FEATURE_LEVEL },
    aReport('a', { memoryMb: 900 }),
    aReport('b', { traits }),
    aReport('c', { traits }),
  ])
  log.append([anAggregate(1, 'z1', ['a']), anAggregate(2, 'z2', ['b', 'c']), anAggregate(3, 'rack', ['c'])])
  return log.fleet
}

const flavor = (extraSpecs: Record<string, string>) => ({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs } })

describe('A12: under every profile the cause names contradictions within a request, and the host that the request names is the nearest', () => {
  test.each<readonly [string, Parameters<typeof aRequest>[0], string]>([
    [
      'a forced host that is ignored',
      { forceHosts: ['a'], ignoreHosts: ['a'] },
      'There is no host named a, that ignoreHosts does not exclude. There is 1 host named a by forceHosts. Nearest is a: The request excludes the host.',
    ],
    [
      'a forced host that has a forbidden trait, and lacks memory',
      { forceHosts: ['b'], flavor: { vcpus: 1, memoryMb: 100_000, extraSpecs: { 'trait:CUSTOM_B': 'forbidden' } } },
      'There is no host named b and without trait CUSTOM_B. There is 1 host named b. ' +
        'Nearest is b: Memory: 100000 MiB needed by one instance; the host has 65536 MiB in total. The host has the forbidden trait CUSTOM_B.',
    ],
    [
      'two lists of names',
      { forceHosts: ['a'], requestedDestination: { host: 'b' } },
      'There is no host named a by forceHosts and b by requestedDestination. Each by itself: 1 named a by forceHosts; 1 named b by requestedDestination.',
    ],
    [
      'two of three conditions',
      { forceHosts: ['b', 'c'], availabilityZone: 'z1', ...flavor({ 'trait:CUSTOM_B': 'required' }) },
      'There is no host named b, c, in availability zone z1 and with trait CUSTOM_B. Each by itself: 2 named b, c; 1 in availability zone z1. ' +
        'No host is both named b, c and in availability zone z1. ' +
        'Nearest is b: The host is in availability zone z2; z1 was requested.',
    ],
  ])('%s', (_name, asks, text) => {
    for (const profile of profiles)
      expect([profile.name, causeText(causeOf(town(), aRequest(asks), profile))]).toEqual([profile.name, expect.stringContaining(text)])
  })

  test('a zone, an aggregate and an excluded host', () => {
    const asks = { ignoreHosts: ['c'], availabilityZone: 'z2', requestedDestination: { aggregates: [aUuid(3)] } }
    for (const profile of profiles) {
      const text = causeText(causeOf(town(), aRequest(asks), profile))
      expect(text).toMatch(new RegExp(`There is 1 host [^.]*in aggregate ${aUuid(3)}[^.]*\\.`))
      expect(text).toMatch(/There is 1 host [^.]*in availability zone z2/)
    }
  })

  test.each([
    ['in a fleet without further hosts', []],
    ['in a fleet with hosts outside of the zone that meet all other conditions', ['other1', 'other2']],
  ])('conditions that no host of a zone meets together are named, %s', (_, elsewhere) => {
    const log = aLog()
    const others = elsewhere.map((name) => aReport(name, { traits: ['CUSTOM_A'] }))
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', { traits: ['CUSTOM_A'] }), aReport('b', {}), ...others])
    log.append([anAggregate(1, 'z1', ['a', 'b'])])
    const asks = { ignoreHosts: ['a'], availabilityZone: 'z1', ...flavor({ 'trait:CUSTOM_A': 'required' }) }
    for (const profile of profiles)
      expect([profile.name, causeText(causeOf(log.fleet, aRequest(asks), profile))]).toEqual([
        profile.name,
        expect.stringContaining(
          ' There are 2 hosts in availability zone z1: 1 other than a; 1 with trait CUSTOM_A. None of these is both other than a and with trait CUSTOM_A.',
        ),
      ])
  })

  test('three conditions, if each host meets only two of them', () => {
    const log = aLog()
    const shapes = { a: ['CUSTOM_A', 'CUSTOM_B'], b: ['CUSTOM_B', 'CUSTOM_C'], c: ['CUSTOM_A', 'CUSTOM_C'] }
    const hosts = Object.entries(shapes).map(([name, traits]) => aReport(name, { traits: [...traits, 'FAST'] }))
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts])
    const asks = flavor(Object.fromEntries(['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C', 'FAST'].map((trait) => [`trait:${trait}`, 'required'])))
    for (const profile of profiles)
      expect(causeText(causeOf(log.fleet, aRequest(asks), profile))).toContain(
        'No host is all of: with trait CUSTOM_A; with trait CUSTOM_B; with trait CUSTOM_C.',
      )
  })
})

test('law: no host meets all conditions of an exclusive set, and without any one of them a host meets the others', () => {
  const met = new Set<number>()
  fc.assert(
    fc.property(fc.array(fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 5 }), (things) => {
      const hosts = [0, 1, 2, 3, 4] as HostIndex[]
      const lets = (thing: number) => (host: HostIndex) => things[thing]?.[host] === true
      const conditions = things.map(
        (_, i): Condition => ({
          ...{ filter: `F${i}`, by: 'property', isSingle: false, isExclusion: false, which: `${i}` },
          ...{ lets: lets(i), reasonAt: () => ({ code: 'trait.missing' }) },
        }),
      )
      const left = (some: readonly number[]) => hosts.filter((host) => some.every((thing) => lets(thing)(host)))
      const exclusive = atOnce(exclusiveOf(conditions, { things: conditions, hosts, within: null }))
      for (const one of exclusive) {
        const some = one.map(Number)
        met.add(some.length)
        expect(left(some)).toEqual([])
        for (const thing of some) expect(left(some.filter((other) => other !== thing))).not.toEqual([])
      }
      const isEachThere = things.every((_, i) => left([i]).length > 0)
      const isPair = things.some((_, i) => things.some((__, j) => i < j && left([i, j]).length === 0))
      if (things.length > 2 && isEachThere && isPair) expect(exclusive[0]).toHaveLength(2)
    }),
    { numRuns: 2_000 },
  )
  expect([...met].sort()).toEqual(expect.arrayContaining([2, 3]))
})

test('conditions do not exclude each other if a host meets each of them by itself, even if it fails their combination', () => {
  const log = aLog()
  const supportedInstances = [
    { arch: 'x86_64', hvType: 'qemu', vmMode: 'hvm' },
    { arch: 'aarch64', hvType: 'kvm', vmMode: 'hvm' },
  ]
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('b', { supportedInstances }), aReport('silent', { omitted: ['traits'] })])
  log.append([anAggregate(1, 'z1', ['b']), anAggregate(2, 'z2', ['silent'])])
  const image = { architecture: 'x86_64', properties: { img_hv_type: 'kvm' } }
  for (const profile of profiles) {
    const { exclusive } = causeOf(log.fleet, aRequest({ availabilityZone: 'z1', image, ...flavor({}) }), profile)
    expect([profile.name, exclusive]).toEqual([profile.name, []])
    const traits = flavor({ 'trait:CUSTOM_F': 'forbidden', 'trait:CUSTOM_G': 'forbidden' })
    const silent = causeOf(log.fleet, aRequest({ availabilityZone: 'z2', ...traits }), profile)
    expect([profile.name, silent.exclusive]).toEqual([profile.name, []])
  }
})
