import { describe, expect, test } from 'vitest'
import { FEATURE_LEVEL } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { Profile } from '../profiles/profile.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape, someInstances } from '../testing/index.ts'
import { causeOf } from './cause.ts'
import { causeText } from './cause-text.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile

/** A zone z1 of small hosts, a zone z2 of large ones, and hosts in none. */
function town(more: Record<string, HostShape> = {}): Fleet {
  const log = aLog()
  const hosts: Record<string, HostShape> = {
    small1: { vcpus: 4, memoryMb: 8_192 },
    small2: { vcpus: 4, memoryMb: 4_096 },
    large1: { vcpus: 64, memoryMb: 262_144, traits: ['CUSTOM_LICENSED'] },
    large2: { vcpus: 64, memoryMb: 131_072 },
    ...more,
  }
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(hosts).map(([name, shape]) => aReport(name, shape))])
  const zones = { z1: ['small1', 'small2'], z2: ['large1', 'large2'] }
  log.append(
    Object.entries(zones).map(([zone, members], i) => ({
      type: 'aggregate' as const,
      uuid: aUuid(i + 1),
      expectedVersion: 0,
      next: { name: zone, hosts: members, metadata: { availability_zone: zone } },
    })),
  )
  return log.fleet
}

const textOf = (fleet: Fleet, asks: Parameters<typeof aRequest>[0], profile = 'default', instance = 0): string => {
  const request = aRequest(asks)
  return causeText(causeOf(fleet, request, profileNamed(profile), instance))
}

describe('the cause is told of the hosts that the request admits', () => {
  test.each<readonly [string, Parameters<typeof aRequest>[0], string]>([
    [
      'M01: a zone whose hosts lack memory is about memory',
      { availabilityZone: 'z1', memoryMb: 16_384 },
      'Of the 2 hosts in availability zone z1 none takes it: 2 with too little memory in all. Nearest is small1: 16384 MiB needed by one instance; the host has 8192 MiB in all.',
    ],
    ['a zone that is not there', { availabilityZone: 'z9' }, 'There is no host in availability zone z9.'],
    ['a host that is not there', { forceHosts: ['gone'] }, 'There is no host named gone.'],
    [
      'a host in another zone than the one asked for',
      { requestedDestination: { host: 'small1' }, availabilityZone: 'z2' },
      'There is no host named small1, in availability zone z2. Each by itself: 1 named small1; 2 in availability zone z2. Nearest is small1: The host is in availability zone z1; z2 was asked for.',
    ],
    [
      'a trait that no host of the zone has',
      { availabilityZone: 'z1', requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_LICENSED'] }] },
      'There is no host in availability zone z1, with CUSTOM_LICENSED. Each by itself: 2 in availability zone z1; 1 with CUSTOM_LICENSED.',
    ],
    [
      'all that is missing on the nearest host, and nothing that was not asked',
      { availabilityZone: 'z1', memoryMb: 16_384, vcpus: 6 },
      'Of the 2 hosts in availability zone z1 none takes it: 2 with too few vCPUs in all, 2 with too little memory in all. Nearest is small1: 16384 MiB needed by one instance; the host has 8192 MiB in all. 6 vCPUs needed by one instance; the host has 4 in all.',
    ],
    [
      'no place asked for: the whole fleet',
      { memoryMb: 524_288 },
      'Of 4 hosts none takes it: 4 with too little memory in all. Nearest is large1: 524288 MiB needed by one instance; the host has 262144 MiB in all.',
    ],
  ])('%s', (_name, asks, text) => {
    expect(textOf(town(), asks)).toBe(text)
  })

  test.each<readonly [string, Parameters<typeof aRequest>[0], string | null]>([
    ['what most of the hosts lack', { availabilityZone: 'z1', vcpus: 6, memoryMb: 6_000 }, 'cpu.too_few'],
    [
      'what all lack beside what some lack, which only claims check',
      { availabilityZone: 'z1', memoryMb: 5_000, gpus: { count: 1 } },
      'gpu.none',
    ],
    ['the zone where it is not there', { availabilityZone: 'z9', memoryMb: 1_000_000 }, 'zone.other'],
    ['the zone of a host that is named', { forceHosts: ['small1'], availabilityZone: 'z2' }, 'zone.other'],
    ['the name that is not there', { forceHosts: ['gone'], availabilityZone: 'z2' }, 'host.not_requested'],
    ['a host that is named and excluded', { forceHosts: ['small1'], ignoreHosts: ['small1'] }, 'host.excluded'],
    [
      'the trait that no host of the zone has, however many hosts of others have it',
      { availabilityZone: 'z1', requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_LICENSED'] }] },
      'trait.missing',
    ],
  ])('it is counted under %s', (_name, asks, code) => {
    for (const name of ['default', 'nova']) expect([name, causeOf(town(), aRequest(asks), profileNamed(name)).code]).toEqual([name, code])
  })

  test('names the extra specs that a filter reads, whatever their order', () => {
    const asks = (extraSpecs: Record<string, string>) => ({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs } })
    const own = { 'hw:cpu_policy': 'dedicated', 'aggregate_instance_extra_specs:ssd': 'yes', foo: 'baz' }
    const turned = { foo: 'baz', 'aggregate_instance_extra_specs:ssd': 'yes', 'hw:cpu_policy': 'dedicated' }
    expect(textOf(town(), asks(own))).toContain('There is no host in aggregates with foo = baz, ssd = yes.')
    expect(textOf(town(), asks(own), 'nova-compat')).not.toContain('cpu_policy')
    expect(textOf(town(), asks(own))).toBe(textOf(town(), asks(turned)))
  })

  test('no host at all', () => {
    expect(textOf(aLog().fleet, {})).toBe('No host has reported.')
  })

  test('whatever the order of the filters, and under the rules of Nova', () => {
    const asks = { availabilityZone: 'z1', memoryMb: 16_384 }
    const own = profileNamed('default')
    const turned = { ...own, filters: own.filters.toReversed() }
    const request = aRequest(asks)
    expect(causeText(causeOf(town(), request, turned))).toBe(textOf(town(), asks))
  })
})

test('hosts are what is short for a group whose members are to be apart, and how many it needs is said', () => {
  const fleet = town({ large3: { vcpus: 64, traits: ['CUSTOM_LICENSED'] } })
  const group = { uuid: aUuid(9), policy: 'ANTI_AFFINITY' as const, maxServerPerHost: 1 }
  const overlay = openOverlay(fleet)
  const placed = someInstances({ key: 'k', hosts: ['large1', 'large3'], instances: [aUuid(11), aUuid(12)], group })
  for (const part of placed.parts) overlay.hold(part, placed.group)
  const asks = { numInstances: 3, instanceGroup: group, requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_LICENSED'] }] }
  expect(textOf(fleet, asks, 'default', 2)).toBe(
    'Of the 2 hosts with CUSTOM_LICENSED none takes it: 2 with as many members of the server group as one host may have. ' +
      'The group needs room for 3 members apart from each other, and the request admits 2 hosts. ' +
      'Nearest is large1: Server group 00000000-0000-4000-8000-000000000009: no members wanted on the host; it holds 1.',
  )
  overlay.discard()
})
