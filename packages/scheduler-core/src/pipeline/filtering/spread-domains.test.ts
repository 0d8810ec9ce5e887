import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { examine } from '../../examine/examine.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import type { Change } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { reasonText } from '../../text/reason-text.ts'
import { ADMITTED_DOMAINS } from '../../values/levels.ts'

interface Town {
  /** The hosts of each zone, by the name of the zone. */
  readonly zones: Readonly<Record<string, readonly string[]>>
  readonly hosts?: Readonly<Record<string, HostShape>>
  readonly changes?: readonly Change[]
  /** The hosts of the group's members. A host with two members is listed twice. */
  readonly members?: readonly string[]
  readonly level?: number
  readonly profile?: string
}

type Asks = Omit<Parameters<typeof aRequest>[0] & object, 'topologySpread' | 'instanceGroup'>

const group = { uuid: aUuid(3), policy: 'SOFT_AFFINITY' as const }

/** The hosts on which one more member can be placed, and the reason for the first host that the spread refuses. */
function saidOf(
  { zones, hosts = {}, changes = [], members = [], level = ADMITTED_DOMAINS, profile: named }: Town,
  key: string,
  asks: Asks,
) {
  const log = aLog()
  const names = [...new Set(Object.values(zones).flat())]
  log.append([{ type: 'feature', level }, ...names.map((name) => aReport(name, hosts[name] ?? {}))])
  log.append(
    Object.entries(zones).map(([zone, within], i) => ({
      type: 'aggregate' as const,
      uuid: aUuid(i + 10),
      expectedVersion: 0,
      next: { name: zone, hosts: within, metadata: { availability_zone: zone, rack: `r-${zone}` } },
    })),
  )
  expect(log.append(changes).every((verdict) => verdict === undefined)).toBe(true)
  const { fleet } = log
  const overlay = openOverlay(fleet)
  for (const [i, host] of members.entries()) {
    const part = { claim: `m${i}`, instance: null, host, node: host, grants: {} }
    overlay.hold(part, { ...group, maxServerPerHost: null })
  }
  const request = aRequest({ ...asks, instanceGroup: group, topologySpread: [{ topologyKey: key, maxSkew: 1 }] })
  const { checksOf } = examine(fleet, request, builtInProfiles.find(({ name }) => name === (named ?? 'default')) as Profile, 's')
  const checks = fleet.hosts.records.map(({ host, index }) => ({ host, reasons: checksOf(index).flatMap(({ reason }) => reason ?? []) }))
  const why = checks.flatMap(({ host, reasons }) =>
    reasons.filter(({ code }) => code === 'topology.skew').map((reason) => `${host}: ${reasonText(reason)}`),
  )
  overlay.discard()
  return { on: checks.filter(({ reasons }) => reasons.length === 0).map(({ host }) => host), why: why[0] }
}

const status = (host: string, to: 'DISABLED' | 'DRAINING' | 'MAINTENANCE') =>
  ({ type: 'status', host, node: host, status: to, reason: 'test' }) as const

describe('a topology spread counts only domains that the request can use, and a refusal names the domain with the fewest members', () => {
  const two: Town = { zones: { z1: ['a', 'b'], z2: ['c'] } }
  test.each<[name: string, town: Town, key: string, asks: Asks, said: ReturnType<typeof saidOf>]>([
    [
      'D02a, kubernetes #106971: if the request names a zone, hosts of other zones are not domains',
      { ...two, members: ['a', 'b'] },
      'host',
      { availabilityZone: 'z1' },
      { on: ['a', 'b'], why: undefined },
    ],
    [
      'D01, kubernetes #86037: a zone whose only host is disabled and empty is a domain, because members can return to it',
      { ...two, members: ['a'], changes: [status('c', 'DISABLED')] },
      'zone',
      {},
      { on: [], why: 'a: zone z1: the domain must have no members; it has 1. The domain with the fewest is zone z2, which holds 0.' },
    ],
    [
      'D09: a host in permanent maintenance is not a domain',
      { ...two, members: ['a', 'b'], changes: [status('c', 'MAINTENANCE')] },
      'host',
      {},
      { on: ['a', 'b'], why: undefined },
    ],
    [
      'D09: a forgotten host is not a domain',
      {
        ...two,
        members: ['a', 'b'],
        changes: [{ type: 'forget', hosts: [{ host: 'c', node: 'c' }], isForced: false, reason: 'scrapped' } as never],
      },
      'host',
      {},
      { on: ['a', 'b'], why: undefined },
    ],
    [
      'D05, volcano #2928: a host whose rack changed while the host was disabled is counted in the new rack',
      { zones: { z1: ['a', 'b'], z2: ['c', 'd'] }, members: ['a'], changes: [status('d', 'DISABLED'), rackOf(['d'], 'r-z1')] },
      'rack',
      {},
      {
        on: ['c'],
        why: 'a: rack r-z1: the domain must have no members; it has 1. The domain with the fewest is rack r-z2, which holds 0.',
      },
    ],
    [
      'D02a kind: if hosts are forced, other hosts are not domains',
      { ...two, members: ['a'] },
      'host',
      { forceHosts: ['a', 'b'] },
      { on: ['b'], why: 'a: host a: the domain must have no members; it has 1. The domain with the fewest is host b, which holds 0.' },
    ],
    [
      'D02a kind: hosts outside of the requested aggregates are not domains',
      { ...two, members: ['a', 'b'] },
      'host',
      { requestedDestination: { aggregates: [aUuid(10)] } },
      { on: ['a', 'b'], why: undefined },
    ],
    [
      'D02a kind: hosts without a required trait are not domains',
      { ...two, hosts: { a: { traits: ['FAST'] }, b: { traits: ['FAST'] } }, members: ['a', 'b'] },
      'host',
      { requestedResources: [{ amounts: [], requiredTraits: ['FAST'] }] },
      { on: ['a', 'b'], why: undefined },
    ],
    [
      'D02a kind: an ignored host is no domain',
      { ...two, members: ['a', 'b'] },
      'host',
      { ignoreHosts: ['c'] },
      { on: ['a', 'b'], why: undefined },
    ],
    [
      'D02a kind: a zone without a host that has the required trait is not a domain',
      { ...two, hosts: { a: { traits: ['FAST'] } }, members: ['a'] },
      'zone',
      { requestedResources: [{ amounts: [], requiredTraits: ['FAST'] }] },
      { on: ['a'], why: undefined },
    ],
    [
      'like NodeTaintsPolicy of kubernetes: a zone whose host is draining is a domain',
      { ...two, members: ['a'], changes: [status('c', 'DRAINING')] },
      'zone',
      {},
      { on: [], why: 'a: zone z1: the domain must have no members; it has 1. The domain with the fewest is zone z2, which holds 0.' },
    ],
    [
      'as in kubernetes, a zone whose host is full is a domain',
      { ...two, hosts: { c: { vcpus: 1, vcpusUsed: 1 } }, members: ['a'] },
      'zone',
      {},
      { on: [], why: 'a: zone z1: the domain must have no members; it has 1. The domain with the fewest is zone z2, which holds 0.' },
    ],
    [
      'D02a kind: a zone without GPUs is not a domain if the request needs a GPU',
      { ...two, hosts: { a: { gpus: [{ index: 0 }] }, b: { gpus: [{ index: 0 }] } }, members: ['a', 'b'] },
      'zone',
      { gpus: { count: 1 } },
      { on: ['a', 'b'], why: undefined },
    ],
    [
      'D02a kind: a zone that has only GPUs of another model is not a domain',
      { ...two, hosts: { a: { gpus: [{ index: 0, model: 'A' }] }, c: { gpus: [{ index: 0, model: 'B' }] } }, members: ['a'] },
      'zone',
      { gpus: { count: 1, models: ['A'] } },
      { on: ['a'], why: undefined },
    ],
    [
      'a zone whose GPUs are in use is a domain',
      { ...two, hosts: { a: { gpus: [{ index: 0 }] }, c: { gpus: [{ index: 0, usedMilli: 1_000 }] } }, members: ['a'] },
      'zone',
      { gpus: { count: 1 } },
      { on: [], why: 'a: zone z1: the domain must have no members; it has 1. The domain with the fewest is zone z2, which holds 0.' },
    ],
    [
      'D02a kind: hosts that are too small for one instance are not domains',
      { ...two, hosts: { c: { vcpus: 1 } }, members: ['a', 'b'] },
      'host',
      { vcpus: 2, memoryMb: 64 },
      { on: ['a', 'b'], why: undefined },
    ],
    ...(['default', 'nova-compat'] as const).flatMap((profile): [string, Town, string, Asks, ReturnType<typeof saidOf>][] => [
      [
        `D02a kind: a zone whose hosts can allocate too few CPUs, because of a ratio below 1, is not a domain, ${profile}`,
        { ...two, profile, hosts: { c: { vcpus: 4, cpuAllocationRatio: 0.25 } }, members: ['a'] },
        'zone',
        { vcpus: 2, memoryMb: 64 },
        { on: ['a', 'b'], why: undefined },
      ],
      [
        `a zone whose hosts can allocate too little memory, because of a ratio below 1, is not a domain, ${profile}`,
        { ...two, profile, hosts: { c: { memoryMb: 4_096, ramAllocationRatio: 0.25 } }, members: ['a'] },
        'zone',
        { vcpus: 1, memoryMb: 2_048 },
        { on: ['a', 'b'], why: undefined },
      ],
      [
        `a zone whose hosts can allocate too little disk, because of a ratio below 1, is not a domain, ${profile}`,
        { ...two, profile, hosts: { c: { localGb: 40, diskAllocationRatio: 0.25 } }, members: ['a'] },
        'zone',
        { flavor: { vcpus: 1, memoryMb: 64, rootGb: 20 } },
        { on: ['a', 'b'], why: undefined },
      ],
      [
        `a zone whose hosts can allocate as much as one instance takes is a domain, even if they are full, ${profile}`,
        { ...two, profile, hosts: { c: { vcpus: 4, cpuAllocationRatio: 0.5, vcpusUsed: 1 } }, members: ['a'] },
        'zone',
        { vcpus: 2, memoryMb: 64 },
        { on: [], why: 'a: zone z1: the domain must have no members; it has 1. The domain with the fewest is zone z2, which holds 0.' },
      ],
    ]),
    [
      'D02a kind: a zone whose hosts can allocate too little of a custom resource class is not a domain',
      {
        ...two,
        hosts: Object.fromEntries(
          ['a', 'b', 'c'].map((host) => [
            host,
            { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 4, allocationRatio: host === 'c' ? 0.25 : 1 }] },
          ]),
        ),
        members: ['a'],
      },
      'zone',
      { requestedResources: [{ amounts: [{ resourceClass: 'CUSTOM_FPGA', amount: 2 }] }] },
      { on: ['a', 'b'], why: undefined },
    ],
    [
      'D02a kind: a zone whose hosts have NUMA cells that can allocate too few CPUs is not a domain',
      {
        ...two,
        hosts: Object.fromEntries(
          ['a', 'b', 'c'].map((host) => [
            host,
            {
              cpuAllocationRatio: host === 'c' ? 0.5 : 1,
              numaCells: [0, 1].map((id) => ({ id, cpuset: [2 * id, 2 * id + 1], memoryMb: 1_024 })),
            },
          ]),
        ),
        members: ['a'],
      },
      'zone',
      { vcpus: 2, memoryMb: 64, numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 64 }] } },
      { on: ['a', 'b'], why: undefined },
    ],
    [
      'D02a kind: a zone whose hosts have fewer PCI devices than one instance takes is not a domain',
      {
        ...two,
        hosts: Object.fromEntries(
          ['a', 'b', 'c'].map((host) => [host, { pciPools: [{ vendorId: 'v', productId: 'p', total: host === 'c' ? 1 : 4 }] }]),
        ),
        members: ['a'],
      },
      'zone',
      { pciRequests: [{ count: 2, specs: [{ vendor_id: 'v' }] }] },
      { on: ['a', 'b'], why: undefined },
    ],
    [
      'D02a kind: for a guest with NUMA cells, a zone whose hosts report no cells is not a domain',
      { ...two, hosts: { a: { numaCells: [{ id: 0, cpuset: [0, 1], memoryMb: 1_024 }] } }, members: ['a'] },
      'zone',
      { vcpus: 1, memoryMb: 64, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 64 }] } },
      { on: ['a'], why: undefined },
    ],
    [
      'members on hosts that the request does not admit are counted, if another host of the same domain is admitted',
      { ...two, members: ['b', 'c'] },
      'zone',
      { ignoreHosts: ['b'] },
      { on: ['a', 'c'], why: undefined },
    ],
    [
      'below feature level ADMITTED_DOMAINS, empty hosts of other zones are domains',
      { ...two, members: ['a', 'b'], level: ADMITTED_DOMAINS - 1 },
      'host',
      { availabilityZone: 'z1' },
      { on: [], why: 'a: host a: the domain must have no members; it has 1. The domain with the fewest is host c, which holds 0.' },
    ],
    [
      'D02a: under compat: nova, if hosts are forced, other hosts are not domains',
      { ...two, members: ['a'], profile: 'nova-compat' },
      'host',
      { forceHosts: ['a', 'b'] },
      { on: ['b'], why: 'a: host a: the domain must have no members; it has 1. The domain with the fewest is host b, which holds 0.' },
    ],
  ])('%s', (_name, town, key, asks, said) => {
    expect(saidOf(town, key, asks)).toEqual(said)
  })
})

/** Adds hosts to an aggregate with this rack. The aggregate has the lowest uuid, so its rack takes precedence over the rack of a zone. */
function rackOf(hosts: readonly string[], rack: string): Change {
  return { type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'moved', hosts, metadata: { rack } } }
}

test('law: hosts that the request does not admit do not change the result of a topology spread', () => {
  const drawn = fc.record({
    members: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 5 }),
    others: fc.array(fc.constantFrom('z2', 'z3', 'z4'), { maxLength: 6 }),
    key: fc.constantFrom('host', 'zone', 'rack'),
  })
  fc.assert(
    fc.property(drawn, ({ members, others, key }) => {
      const own = { z1: ['a', 'b', 'c'] }
      const more: Record<string, string[]> = {}
      for (const [i, zone] of others.entries()) more[zone] = [...(more[zone] ?? []), `o${i}`]
      const asks = { availabilityZone: 'z1' }
      expect(saidOf({ zones: { ...own, ...more }, members }, key, asks)).toEqual(saidOf({ zones: own, members }, key, asks))
    }),
    { numRuns: 60 },
  )
})
