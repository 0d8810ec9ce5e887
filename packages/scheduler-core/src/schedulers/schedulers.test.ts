import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { examineAgain, replay } from '../decision/replay.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { builtInProfilesAt } from '../profiles/built-in.ts'
import { type Profile, type ProfileInput, profileSchema } from '../records/profile.ts'
import { aFleet, aRequest, aUuid } from '../testing/index.ts'
import { decide } from './decide.ts'
import { schedulerSuite } from './scheduler.suite.ts'

/** Returns a profile of the release at feature level 1. If `parts` is given, returns its next version with these fields replaced. */
const profileNamed = (name: string, parts?: Partial<ProfileInput>): Profile => {
  const profile = builtInProfilesAt(1).find((known) => known.name === name)
  if (profile === undefined) throw new Error(`no profile ${name}`)
  return parts === undefined ? profile : profileSchema.parse({ ...profile, number: 1, ...parts })
}

const usual = [
  profileNamed('default'),
  profileNamed('best-fit', { hostSubsetSize: 3 }),
  profileNamed('default', { name: 'solver', scheduler: 'solver' }),
  profileNamed('nova-compat'),
  profileNamed('random', { name: 'random-subset', hostSubsetSize: 4 }),
]
const others = [
  profileNamed('first-fit'),
  profileNamed('balance-fit', { tieOrder: 'seeded' }),
  profileNamed('fgd'),
  profileNamed('default', { name: 'ranked', normalisation: 'rank', tieOrder: 'seeded' }),
  profileNamed('random'),
  profileNamed('best-fit', { name: 'solver-packs', scheduler: 'solver' }),
]
for (const profile of byExtent(usual, [...usual, ...others])) schedulerSuite(profile)

const base = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true }
const placed = (
  hosts: Parameters<typeof aFleet>[0],
  shape: Parameters<typeof aRequest>[0],
  more: { profile?: Profile; allOrNothing?: boolean } = {},
) => {
  const fleet = aFleet(hosts)
  const request = aRequest(shape)
  const overlay = openOverlay(fleet)
  const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
  const decided = decide(fleet, overlay, { ...base, request, profile: profileNamed('first-fit'), claimIds, ...more })
  overlay.discard()
  return { fleet, decided, hosts: decided.parts.map(({ host }) => host) }
}

describe('several instances in one request', () => {
  test('each instance is placed with the resources of earlier instances already in use', () => {
    expect(placed({ h1: { vcpus: 2 }, h2: { vcpus: 1 } }, { numInstances: 3 }).hosts).toEqual(['h1', 'h1', 'h2'])
  })

  test('weighers count earlier instances: a spreading profile uses the hosts in turn', () => {
    const profile = profileNamed('first-fit', { weighers: [{ name: 'NumInstancesWeigher', multiplier: -1, options: {} }] })
    expect(placed({ h1: {}, h2: {} }, { numInstances: 4 }, { profile }).hosts).toEqual(['h1', 'h2', 'h1', 'h2'])
  })

  test('anti-affinity puts the instances of one request on different hosts', () => {
    const instanceGroup = { uuid: aUuid(1), policy: 'ANTI_AFFINITY' as const }
    expect(placed({ h1: {}, h2: {}, h3: {} }, { numInstances: 3, instanceGroup }).hosts).toEqual(['h1', 'h2', 'h3'])
    expect(placed({ h1: {}, h2: {} }, { numInstances: 3, instanceGroup }).decided).toMatchObject({ parts: [], found: 2 })
  })

  test('affinity keeps the instances of one request together, or places none', () => {
    const instanceGroup = { uuid: aUuid(1), policy: 'AFFINITY' as const }
    expect(placed({ h1: { vcpus: 1 }, h2: { vcpus: 4 } }, { numInstances: 2, instanceGroup }).hosts).toEqual([])
    expect(placed({ h1: { vcpus: 2 }, h2: { vcpus: 4 } }, { numInstances: 2, instanceGroup }).hosts).toEqual(['h1', 'h1'])
  })

  test('the instances of one request get different dedicated CPUs and different GPUs', () => {
    const cells = [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 4_096 }]
    const numaTopology = { cells: [{ id: 0, cpus: [0, 1], memoryMb: 1_024, cpuPolicy: 'dedicated' as const }] }
    const { decided } = placed(
      { h1: { numaCells: cells, gpus: [{ index: 0 }, { index: 1 }] } },
      { numInstances: 2, numaTopology, gpus: {} },
    )
    expect(decided.parts.flatMap(({ grants }) => grants.numa?.[0]?.pinned)).toEqual([0, 1, 2, 3])
    expect(decided.parts.flatMap(({ grants }) => grants.gpu?.map(({ index }) => index))).toEqual([0, 1])
  })

  test('the record of a decision includes the first instance that found no host', () => {
    const { decided } = placed({ h1: { vcpus: 1 } }, { numInstances: 3 })
    expect([decided.parts.length, decided.found, decided.record.instances.length]).toEqual([0, 1, 2])
    expect(decided.record.instances[1]?.best).toEqual([])
  })

  test('a chance decision shuffles the hosts separately for each instance', () => {
    const hosts = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`h${i}`, {}]))
    expect(new Set(placed(hosts, { numInstances: 8 }, { profile: profileNamed('random') }).hosts).size).toBeGreaterThan(3)
  })
})

describe('the soft policies of a server group', () => {
  const three = { h1: {}, h2: { memoryMb: 65_000 }, h3: { memoryMb: 65_200 } }
  const group = (policy: 'SOFT_AFFINITY' | 'SOFT_ANTI_AFFINITY') => ({ instanceGroup: { uuid: aUuid(7), policy } })
  const profile = profileNamed('default')

  test('soft affinity keeps members together while they fit, and then uses other hosts', () => {
    expect(placed(three, { numInstances: 3, ...group('SOFT_AFFINITY') }, { profile }).hosts).toEqual(['h1', 'h1', 'h1'])
    const small = { h1: { vcpus: 2 }, h2: { vcpus: 1 } }
    expect(placed(small, { numInstances: 3, ...group('SOFT_AFFINITY') }, { profile }).hosts).toEqual(['h1', 'h1', 'h2'])
  })

  test('soft anti-affinity puts each member on its own host while there are enough hosts, and then two members on one host', () => {
    const { hosts } = placed(three, { numInstances: 4, ...group('SOFT_ANTI_AFFINITY') }, { profile })
    expect(new Set(hosts.slice(0, 3)).size).toBe(3)
    expect(hosts).toHaveLength(4)
  })
})

describe('a replayed decision', () => {
  test('if a decision is replayed up to one of its instances, the earlier instances are placed', () => {
    const { fleet, decided } = placed({ h1: { vcpus: 1 }, h2: { vcpus: 1 } }, { numInstances: 3 })
    const funnel = (instance: number) => examineAgain(fleet, [], decided.record, instance, ({ weighed }) => weighed.hosts.length)
    expect([funnel(0), funnel(1), funnel(2)]).toEqual([2, 1, 0])
  })

  test('replay of a chance decision gives the same order of hosts for each instance', () => {
    const hosts = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`h${i}`, {}]))
    const { fleet, decided } = placed(hosts, { numInstances: 4 }, { profile: profileNamed('random') })
    for (const [instance, { host }] of decided.parts.entries())
      expect(
        examineAgain(
          fleet,
          [],
          decided.record,
          instance,
          ({ ranked, weighed }) => fleet.hosts.records[weighed.hosts[ranked[0] as number] as number]?.host,
        ),
      ).toBe(host)
  })

  test('replay with an unknown profile throws an error that names the profile', () => {
    const { fleet, decided } = placed({ h1: {} }, {})
    expect(() => replay(fleet, [], { ...decided.record, profile: 'gone@3' })).toThrow('profile gone@3 is not known at revision 1')
    // This throws if the failed replay left its overlay open.
    openOverlay(fleet).discard()
  })
})

test('while an overlay is open, a second overlay and changes of the fleet are refused', () => {
  const fleet = aFleet({ h1: {} })
  const overlay = openOverlay(fleet)
  expect(() => openOverlay(fleet)).toThrow('open overlay')
  expect(() => fleet.apply({ format: 1, id: 'x', writer: 't', basis: fleet.place, changes: [], revision: 2, at: 0 })).toThrow(
    'overlay is open',
  )
  overlay.discard()
})

test('a request with a value that Nova cannot read is refused, and the record has an error for every host', () => {
  const document = {
    'nova_object.name': 'RequestSpec',
    'nova_object.version': '1.14',
    'nova_object.data': {
      flavor: { 'nova_object.name': 'Flavor', 'nova_object.version': '1.2', 'nova_object.data': { vcpus: 1, memory_mb: 64 } },
      scheduler_hints: null,
      ignore_hosts: ['h9'],
    },
  }
  const request = { ignoreHosts: ['h9'], nova: { form: 'RequestSpec' as const, document } }
  const { decided } = placed({ h1: {}, h2: {} }, request, { profile: profileNamed('nova-compat') })
  expect([decided.parts, decided.found]).toEqual([[], 0])
  expect(decided.record.instances[0]?.filters[0]).toEqual({ filter: 'Candidates', entered: 2, passed: 0, errors: 2 })
})
