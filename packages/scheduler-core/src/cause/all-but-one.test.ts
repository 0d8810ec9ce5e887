import { expect, test } from 'vitest'
import type { Fleet } from '../fleet/fleet.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { type Change, FEATURE_LEVEL } from '../records/change.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { atOnce } from '../values/steps.ts'
import type { Condition } from './admission.ts'
import { allButOneText, countAllButOne } from './all-but-one.ts'
import { causeOf } from './cause.ts'

const profiles = builtInProfiles.filter(({ name }) => ['default', 'nova-compat', 'best-fit'].includes(name))

/** A fleet with these hosts. Each host is in the zone that its list names. */
function fleetOf(zones: Readonly<Record<string, Readonly<Record<string, HostShape>>>>, claims: readonly Change[] = []): Fleet {
  const log = aLog()
  const hosts = Object.values(zones).flatMap((shapes) => Object.entries(shapes))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts.map(([name, shape]) => aReport(name, shape))])
  log.append(
    Object.entries(zones).map(([zone, shapes], i) => ({
      ...{ type: 'aggregate' as const, uuid: aUuid(i + 1), expectedVersion: 0 },
      next: { name: zone, hosts: Object.keys(shapes), metadata: { availability_zone: zone } },
    })),
  )
  if (claims.length > 0) log.append([...claims])
  return log.fleet
}

const flavor = (extraSpecs: Record<string, string>) => ({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs } })
const needs = (...traits: string[]) => Object.fromEntries(traits.map((trait) => [`trait:${trait}`, 'required']))
const forbids = (...traits: string[]) => Object.fromEntries(traits.map((trait) => [`trait:${trait}`, 'forbidden']))
const runs = (arch: string, hvType: string) => ({ arch, hvType, vmMode: 'hvm' })

const X = { traits: ['CUSTOM_X'] }
const group = { uuid: aUuid(9), policy: 'AFFINITY' as const }

test.each<readonly [string, Fleet, Parameters<typeof aRequest>[0], string | undefined]>([
  [
    'the condition with the most hosts is first',
    fleetOf({ z1: { a: {} }, z2: { b: X, c: X } }),
    { availabilityZone: 'z1', ...flavor(needs('CUSTOM_X')) },
    '2 hosts meet all of these conditions but "in availability zone z1", and 1 all but "with trait CUSTOM_X".',
  ],
  [
    'a condition that no host meets',
    fleetOf({ z1: { a: X } }),
    { availabilityZone: 'z9', ...flavor(needs('CUSTOM_X')) },
    '1 host meets all of these conditions but "in availability zone z9".',
  ],
  ['a request with one condition', fleetOf({ z1: { a: {} } }), { availabilityZone: 'z9', ...flavor({}) }, undefined],
  ['two conditions that no host meets', fleetOf({ z1: { a: {} } }), { availabilityZone: 'z9', ...flavor(needs('CUSTOM_X')) }, undefined],
  [
    'a request that admits hosts',
    fleetOf({ z1: { a: X } }),
    { availabilityZone: 'z1', ...flavor(needs('CUSTOM_X')), memoryMb: 900_000 },
    undefined,
  ],
  [
    'several conditions of one filter',
    fleetOf({ z1: { a: X, b: { traits: ['CUSTOM_Y'] }, c: { traits: ['CUSTOM_Y'] } } }),
    flavor(needs('CUSTOM_X', 'CUSTOM_Y')),
    '2 hosts meet all of these conditions but "with trait CUSTOM_X", and 1 all but "with trait CUSTOM_Y".',
  ],
  [
    'a trait that is required twice',
    fleetOf({ z1: { a: X }, z2: { b: {} } }),
    {
      availabilityZone: 'z2',
      ...flavor(needs('CUSTOM_X')),
      requestedResources: [{ suffix: '', amounts: [], requiredTraits: ['CUSTOM_X'], forbiddenTraits: [], memberOf: [] }],
    },
    '1 host meets all of these conditions but "in availability zone z2", and 1 all but "with trait CUSTOM_X".',
  ],
  [
    'image properties that a host has, but not together',
    fleetOf({
      z1: { a: { supportedInstances: [runs('aarch64', 'kvm')] } },
      z2: { b: { supportedInstances: [runs('x86_64', 'qemu'), runs('aarch64', 'kvm')] } },
    }),
    { availabilityZone: 'z1', image: { architecture: 'x86_64', properties: { img_hv_type: 'kvm' } }, ...flavor({}) },
    '1 host meets all of these conditions but "for images with hw_architecture x86_64, img_hv_type kvm".',
  ],
  [
    'a host that does not report its traits',
    fleetOf({ z1: { a: { traits: ['CUSTOM_F'] } }, z2: { silent: { omitted: ['traits'] } } }),
    { availabilityZone: 'z1', ...flavor(forbids('CUSTOM_F', 'CUSTOM_G')) },
    '1 host meets all of these conditions but "without trait CUSTOM_F".',
  ],
  [
    'a host that does not report its traits, if a trait is required and another one is forbidden',
    fleetOf({ z1: { a: { omitted: ['traits'] }, b: { traits: ['CUSTOM_F'] } } }),
    flavor({ ...needs('CUSTOM_X'), ...forbids('CUSTOM_F') }),
    undefined,
  ],
  [
    'the host of a group whose members share a host',
    fleetOf({ z1: { a: X, b: X, c: X }, z2: { d: {} } }, [
      aClaim({ hosts: ['a'], grants: { classes: { VCPU: 1 } }, group: { ...group, maxServerPerHost: null } }),
    ]),
    { availabilityZone: 'z2', ...flavor(needs('CUSTOM_X')), instanceGroup: group },
    '1 host meets all of these conditions but "in availability zone z2".',
  ],
])('the sentence about hosts that meet all of these conditions but one: %s', (_name, fleet, asks, text) => {
  for (const profile of profiles) {
    const { admitted, allButOne } = causeOf(fleet, aRequest(asks), profile)
    expect([profile.name, allButOneText(allButOne)]).toEqual([profile.name, text])
    expect([profile.name, admitted > 0 && text !== undefined]).toEqual([profile.name, false])
  }
})

test('the count yields after at most 256 checks, and a host is not checked further after two conditions that it does not meet', () => {
  let [checks, most, inStep] = [0, 0, 0]
  const conditions = Array.from(
    { length: 1_000 },
    (_, i): Condition => ({
      ...{ filter: `F${i}`, by: 'property', isSingle: false, isExclusion: false, which: `with ${i}` },
      lets(host) {
        checks++
        inStep++
        most = Math.max(most, inStep)
        return host !== 0 && i < 990
      },
      reasonAt: () => ({ code: 'trait.missing' }),
    }),
  )
  const steps = countAllButOne(conditions, [0, 1, 2] as HostIndex[])
  for (let step = steps.next(); !step.done; step = steps.next()) inStep = 0
  expect(checks).toBe(2 + 2 * 992)
  expect(most).toBeLessThanOrEqual(256)
  expect(atOnce(countAllButOne(conditions.slice(989, 991), [0, 1] as HostIndex[]))).toEqual([{ which: 'with 990', hosts: 1 }])
})
