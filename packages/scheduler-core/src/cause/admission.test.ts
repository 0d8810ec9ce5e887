import { describe, expect, test } from 'vitest'
import type { Fleet } from '../fleet/fleet.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { type Change, FEATURE_LEVEL } from '../records/change.ts'
import type { Profile } from '../records/profile.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { reasonText } from '../text/reason-text.ts'
import { causeOf } from './cause.ts'
import { causeText } from './cause-text.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile

/**
 * A fleet of hosts with 64 vCPUs and 256 GiB of memory, unless their shapes have other amounts. Each batch of changes is one further log
 * entry.
 */
function fleetOf(shapes: Readonly<Record<string, HostShape>>, ...batches: readonly (readonly Change[])[]): Fleet {
  const log = aLog()
  const large = { vcpus: 64, memoryMb: 262_144 }
  const reports = Object.entries(shapes).map(([name, shape]) => aReport(name, { ...large, ...shape }))
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...reports])
  for (const changes of batches) expect(log.append(changes).every((verdict) => verdict === undefined)).toBe(true)
  return log.fleet
}

const plain = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`plain${i}`, {}]))

describe('hosts without a requested kind of resource do not change the cause if other hosts have the resource', () => {
  const card = { vendorId: '10de', productId: '1db4', total: 1 }
  const cells = [{ id: 0, cpuset: [0, 1], memoryMb: 1_024 }]
  test.each<readonly [string, HostShape, Parameters<typeof aRequest>[0], string, string]>([
    ['GPUs', { gpus: [{ index: 0 }] }, { gpus: { count: 2 } }, 'gpu.count', 'The only host with GPUs does not take it. h0: 2 GPUs'],
    [
      'GPUs of a model',
      { gpus: [{ index: 0, model: 'A' }] },
      { gpus: { count: 2, models: ['A'] } },
      'gpu.count',
      'The only host with GPUs of model A does not take it.',
    ],
    [
      'a resource class',
      { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 1 }] },
      { requestedResources: [{ amounts: [{ resourceClass: 'CUSTOM_FPGA', amount: 2 }] }] },
      'class.too_little',
      'The only host with resource class CUSTOM_FPGA does not take it. h0: CUSTOM_FPGA: 2 needed by one instance; the host has 1 in total.',
    ],
    [
      'PCI devices',
      { pciPools: [card] },
      { pciRequests: [{ count: 2, specs: [{ vendor_id: '10DE', product_id: '1db4' }] }] },
      'pci.short',
      'The only host with PCI devices for request 0 (vendor 10de, product 1db4) does not take it. ' +
        'h0: PCI request 0 (vendor 10de, product 1db4): 2 devices needed, 1 free.',
    ],
    [
      'NUMA cells',
      { numaCells: cells },
      { flavor: { vcpus: 1, memoryMb: 2_048 }, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 2_048 }] } },
      'numa.too_little_memory',
      'The only host with NUMA cells does not take it.',
    ],
  ])('%s', (_what, some, asks, code, text) => {
    for (const name of ['default', 'nova-compat']) {
      const profile = profileNamed(name)
      const [few, many] = [{ h0: some }, { h0: some, ...plain }].map((shapes) => causeOf(fleetOf(shapes), aRequest(asks), profile))
      expect([name, few?.code, many?.code]).toEqual([name, code, code])
      expect(many?.nearest?.name.host).toBe('h0')
      expect(causeText(many as NonNullable<typeof many>)).toBe(causeText(few as NonNullable<typeof few>))
      expect(causeText(many as NonNullable<typeof many>)).toContain(text)
    }
  })

  test.each<[string, Record<string, HostShape>, Parameters<typeof aRequest>[0], string]>([
    [
      'resource classes',
      { h0: { inventories: [{ resourceClass: 'CUSTOM_P', total: 1 }] }, h1: { inventories: [{ resourceClass: 'CUSTOM_R', total: 1 }] } },
      { flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'resources:CUSTOM_R': '1', 'resources:CUSTOM_P': '1' } } },
      'There is no host with resource classes CUSTOM_P and CUSTOM_R. Each by itself: 1 with resource class CUSTOM_P; 1 with resource class CUSTOM_R. Nearest is h0: ',
    ],
    [
      'a thing that no host has',
      { h0: { inventories: [{ resourceClass: 'CUSTOM_P', total: 1 }] }, h1: {} },
      { flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { 'resources:CUSTOM_PP': '1', 'resources:CUSTOM_P': '1' } } },
      'There is no host with resource classes CUSTOM_P and CUSTOM_PP. Each by itself: 1 with resource class CUSTOM_P; 0 with resource class CUSTOM_PP. Nearest is h0: ',
    ],
    [
      'PCI devices',
      { h0: { pciPools: [card] }, h1: { pciPools: [{ ...card, productId: '0002' }] } },
      { pciRequests: ['1db4', '0002'].map((product_id) => ({ count: 1, specs: [{ product_id }] })) },
      'Each by itself: 1 with PCI devices for request 0 (product 1db4); 1 with PCI devices for request 1 (product 0002). Nearest is h0: ',
    ],
  ])('if no host meets all requirements, the hosts that meet each requirement are counted: %s', (_what, shapes, asks, text) => {
    for (const name of ['default', 'nova-compat'])
      expect(causeText(causeOf(fleetOf(shapes), aRequest(asks), profileNamed(name)))).toContain(text)
  })

  test('the cause names traits in the same order, regardless of their order in the request', () => {
    const asked = (traits: readonly string[]) => ({
      flavor: { vcpus: 1, memoryMb: 64, extraSpecs: Object.fromEntries(traits.map((trait) => [`trait:${trait}`, 'required'])) },
    })
    const textOf = (traits: readonly string[]) => causeText(causeOf(fleetOf(plain), aRequest(asked(traits)), profileNamed('default')))
    expect(textOf(['CUSTOM_BB', 'CUSTOM_B'])).toBe(textOf(['CUSTOM_B', 'CUSTOM_BB']))
  })

  test('if no host has a GPU, the cause of a request for GPUs is that there is no host with GPUs', () => {
    const cause = causeOf(fleetOf(plain), aRequest({ gpus: { count: 1 } }), profileNamed('default'))
    expect([cause.code, causeText(cause)]).toEqual(['gpu.none', 'There is no host with GPUs.'])
  })

  test('if all GPUs are of other models, the cause is that there is no host with GPUs of the model', () => {
    const fleet = fleetOf({ a: { gpus: [{ index: 0, model: 'A' }] }, ...plain })
    const cause = causeOf(fleet, aRequest({ gpus: { count: 1, models: ['B'] } }), profileNamed('default'))
    expect([cause.code, causeText(cause)]).toEqual(['gpu.model', 'There is no host with GPUs of model B.'])
  })

  test('if the members of a server group must share a host, hosts without its members are not admitted', () => {
    const group = { uuid: aUuid(9), policy: 'AFFINITY' as const }
    const bound = aClaim({ hosts: ['home'], grants: { classes: { VCPU: 1 } }, group: { ...group, maxServerPerHost: null } })
    const fleet = fleetOf({ home: { vcpus: 1 }, ...plain }, [bound])
    for (const name of ['default', 'nova-compat']) {
      const cause = causeOf(fleet, aRequest({ instanceGroup: group, vcpus: 1 }), profileNamed(name))
      expect([name, cause.admitted, cause.nearest?.name.host]).toEqual([name, 1, 'home'])
      expect(cause.code).toBe('cpu.short')
    }
  })

  test('missing vCPUs, memory and disk are reported with the same codes and units under every profile', () => {
    const fleet = fleetOf({ a: { vcpus: 2, memoryMb: 1_024, memoryMbUsed: 512, localGb: 1 } })
    for (const [asks, code, text] of [
      [{ vcpus: 4, memoryMb: 64 }, 'cpu.too_few', '4 vCPUs needed by one instance; the host has 2 in total.'],
      [{ memoryMb: 768 }, 'memory.short', 'Memory: 768 MiB needed, 512 free.'],
      [
        { flavor: { vcpus: 1, memoryMb: 64, rootGb: 5 } },
        'disk.too_little',
        'Disk: 5 GiB needed by one instance; the host has 1 GiB in total.',
      ],
    ] as const)
      for (const name of ['default', 'nova', 'nova-compat']) {
        const cause = causeOf(fleet, aRequest(asks), profileNamed(name))
        expect([name, cause.code]).toEqual([name, code])
        expect(causeText(cause)).toContain(text)
      }
  })

  test('the sentence about a NUMA cell names only amounts that are requested and missing, and each only once', () => {
    const fleet = fleetOf({ a: { numaCells: [{ id: 0, cpuset: [0, 1], memoryMb: 1_024 }] } })
    const guest = { flavor: { vcpus: 3, memoryMb: 2_048 }, numaTopology: { cells: [{ id: 0, cpus: [0, 1, 2], memoryMb: 2_048 }] } }
    const text = causeText(causeOf(fleet, aRequest(guest), profileNamed('default')))
    expect(text).not.toMatch(/huge|pages|alone/)
    expect(text.match(/cell 0 on cell 0/g)).toHaveLength(1)
    expect(text).toContain('cell 0 on cell 0 of the host: 2048 MiB needed, 1024 in total; 3 CPUs needed, 2 in total.')
  })
})

describe('members of a server group that must be on different hosts', () => {
  const group = { uuid: aUuid(9), policy: 'ANTI_AFFINITY' as const, maxServerPerHost: 1 }
  const held = (...hosts: string[]) => hosts.map((host, i) => aClaim({ key: `k${i}`, hosts: [host], grants: {}, group }))
  const asks = { instanceGroup: group, memoryMb: 8_192 }

  test('if all other hosts have a member and there are enough hosts for the group, the shortfall of the last host is the cause', () => {
    const fleet = fleetOf({ a: {}, b: {}, c: { memoryMb: 4_096 } }, held('a', 'b'))
    const cause = causeOf(fleet, aRequest(asks), profileNamed('default'))
    expect([cause.code, cause.nearest?.name.host, cause.tooFew]).toEqual(['memory.too_little', 'c', null])
    expect(causeText(cause)).toContain(
      'Of 3 hosts none takes it: 1 with too little memory in total, 2 at their limit of members of the server group. Nearest is c:',
    )
  })

  test('if there are too few hosts for the group, the number of hosts is the cause, even if a host also lacks memory', () => {
    const fleet = fleetOf({ a: {}, b: {}, c: { memoryMb: 4_096 } }, held('a', 'b'))
    const cause = causeOf(fleet, aRequest({ ...asks, numInstances: 2 }), profileNamed('default'))
    expect([cause.code, cause.tooFew?.members]).toEqual(['group.anti_affinity', 4])
    expect(causeText(cause)).toContain('The group must fit 4 members on different hosts, and the request admits 3 hosts.')
  })

  test('if there are too few domains for the group, the number of domains is the cause', () => {
    const racks = ['r1', 'r2'].map((rack, i) => ({
      ...{ type: 'aggregate' as const, uuid: aUuid(20 + i), expectedVersion: 0 },
      next: { name: rack, hosts: [`${rack}a`, `${rack}b`], metadata: { rack } },
    }))
    const spread = { uuid: aUuid(9), policy: 'SOFT_ANTI_AFFINITY' as const, maxServerPerHost: null }
    const claims = ['r1a', 'r2a'].map((host, i) => aClaim({ key: `k${i}`, hosts: [host], grants: {}, group: spread }))
    const fleet = fleetOf({ r1a: {}, r1b: { memoryMb: 512 }, r2a: {}, r2b: {} }, racks, claims)
    const request = aRequest({
      memoryMb: 1_024,
      instanceGroup: { uuid: aUuid(9), policy: 'SOFT_ANTI_AFFINITY' },
      topologySpread: [{ topologyKey: 'rack', maxPerDomain: 1 }],
    })
    const cause = causeOf(fleet, request, profileNamed('default'))
    expect([cause.code, cause.tooFew?.there]).toEqual(['topology.full', 2])
    expect(causeText(cause)).toContain(
      'The group must fit 3 members, at most 1 in each rack, and the hosts that the request admits are in 2.',
    )
  })
})

describe('if no host meets all conditions, the hosts that meet each condition are counted, and the host that meets most conditions is the nearest', () => {
  const causesOf = (fleet: Fleet, asks: Parameters<typeof aRequest>[0]) =>
    ['default', 'nova', 'nova-compat'].map((name) => causeOf(fleet, aRequest(asks), profileNamed(name)))

  test('required and forbidden traits', () => {
    const traits = (...names: string[]) => ({ traits: names.map((name) => `CUSTOM_${name}`) })
    const fleet = fleetOf({ a: traits('A', 'B'), b: traits('A', 'C', 'D'), ...plain })
    const group = (more: object) => ({ requestedResources: [{ amounts: [], ...more }] })
    for (const cause of causesOf(fleet, group({ requiredTraits: ['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C'] }))) {
      expect([cause.code, cause.admitted, cause.nearest?.name.host]).toEqual(['trait.missing', 0, 'a'])
      expect(causeText(cause)).toBe(
        'There is no host with traits CUSTOM_A, CUSTOM_B, CUSTOM_C. Each by itself: 2 with trait CUSTOM_A; 1 with trait CUSTOM_B; 1 with trait CUSTOM_C. ' +
          'No host is both with trait CUSTOM_B and with trait CUSTOM_C. Nearest is a: The host lacks the trait CUSTOM_C.',
      )
    }
    for (const cause of causesOf(fleet, group({ requiredTraits: ['CUSTOM_A', 'CUSTOM_C'], forbiddenTraits: ['CUSTOM_D'] })))
      expect([cause.code, causeText(cause)]).toEqual([
        'trait.forbidden',
        'There is no host with traits CUSTOM_A, CUSTOM_C and without trait CUSTOM_D. ' +
          'Each by itself: 2 with trait CUSTOM_A; 1 with trait CUSTOM_C; 6 without trait CUSTOM_D. No host is both with trait CUSTOM_C and without trait CUSTOM_D. Nearest is a: The host lacks the trait CUSTOM_C.',
      ])
  })

  test('of hosts that miss one condition each, the host without a further shortfall is the nearest', () => {
    const fleet = fleetOf({ a: { traits: ['CUSTOM_A'], vcpus: 2 }, b: { traits: ['CUSTOM_B'] } })
    const asks = { vcpus: 4, requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_A', 'CUSTOM_B'] }] }
    for (const cause of causesOf(fleet, asks)) expect(causeText(cause)).toMatch(/Nearest is b: The host lacks the trait CUSTOM_A\.$/)
  })

  test('extra specs that aggregates must have', () => {
    const aggregates = (['x', 'y'] as const).map((name, i) => ({
      ...{ type: 'aggregate' as const, uuid: aUuid(30 + i), expectedVersion: 0 },
      next: { name, hosts: [name], metadata: { ssd: 'true', ...(name === 'x' && { fast: 'yes' }) } },
    }))
    const flavor = { vcpus: 1, memoryMb: 64, extraSpecs: { ssd: 'true', fast: 'yes', rack: 'r1' } }
    for (const cause of causesOf(fleetOf({ x: {}, y: {} }, aggregates), { flavor }))
      if (cause.admission.some(({ filter }) => filter === 'AggregateInstanceExtraSpecsFilter'))
        expect(causeText(cause)).toContain(
          'Each by itself: 1 in aggregates with fast = yes; 0 in aggregates with rack = r1; 2 in aggregates with ssd = true. Nearest is x: ',
        )
  })

  test('image properties, even if each property is supported by a host but no host supports all of them', () => {
    const supports = (...triples: readonly (readonly [string, string, string])[]) => ({
      supportedInstances: triples.map(([arch, hvType, vmMode]) => ({ arch, hvType, vmMode })),
    })
    const image = { id: aUuid(3), properties: { hw_architecture: 'aarch64', img_hv_type: 'kvm' } }
    const fleet = fleetOf({ a: supports(['x86_64', 'kvm', 'hvm'], ['aarch64', 'qemu', 'hvm']), b: supports(['x86_64', 'qemu', 'hvm']) })
    for (const cause of causesOf(fleet, { image })) {
      expect([cause.code, cause.admission[0]?.alone]).toEqual(['image.unsupported', 0])
      expect(cause.admission[0]?.each.map(({ alone }) => alone)).toEqual([1, 1])
    }
  })

  test('lists of aggregates', () => {
    const aggregates = [30, 31].map((id, i) => ({
      ...{ type: 'aggregate' as const, uuid: aUuid(id), expectedVersion: 0 },
      next: { name: `g${i}`, hosts: [`h${i}`], metadata: {} },
    }))
    const fleet = fleetOf({ h0: {}, h1: {} }, aggregates)
    const asks = { requestedResources: [30, 31].map((id) => ({ amounts: [], memberOf: [aUuid(id)] })) }
    const cause = causeOf(fleet, aRequest(asks), profileNamed('default'))
    expect(causeText(cause)).toContain(`Each by itself: 1 in aggregate ${aUuid(30)}; 1 in aggregate ${aUuid(31)}.`)
  })
})

describe('a host without a requested resource is refused for this resource, even if it lacks other resources too', () => {
  const card = { vendorId: '10de', productId: '1db4', total: 1 }
  const large = { flavor: { vcpus: 1, memoryMb: 5_000 } }
  test.each<readonly [string, HostShape, Parameters<typeof aRequest>[0], string]>([
    [
      'a resource class',
      { inventories: [{ resourceClass: 'CUSTOM_Q', total: 1 }] },
      { ...large, requestedResources: [{ amounts: [{ resourceClass: 'CUSTOM_Q', amount: 1 }] }] },
      'The host does not report CUSTOM_Q; 1 needed.',
    ],
    ['GPUs', { gpus: [{ index: 0 }] }, { ...large, gpus: { count: 1 } }, '1 GPU needed; the host has none.'],
    [
      'GPUs of a model',
      { gpus: [{ index: 0, model: 'X' }] },
      { ...large, gpus: { count: 1, models: ['X'] } },
      '1 GPU needed; the host has none.',
    ],
    [
      'PCI devices',
      { pciPools: [card] },
      { ...large, pciRequests: [{ count: 1, specs: [{ vendor_id: '10de', product_id: '1db4' }] }] },
      'PCI request 0 (vendor 10de, product 1db4): 1 device needed; the host reports none.',
    ],
  ])('%s', (_what, some, asks, text) => {
    const zone = { uuid: aUuid(9), expectedVersion: 0, next: { name: 'z', metadata: { availability_zone: 'z' }, hosts: ['poor'] } }
    const fleet = fleetOf({ rich: some, poor: { memoryMb: 4_000 } }, [{ type: 'aggregate', ...zone }])
    for (const name of ['default', 'nova-compat']) {
      const cause = causeOf(fleet, aRequest({ ...asks, availabilityZone: 'z' }), profileNamed(name))
      expect([name, cause.reasons.map(({ example }) => reasonText(example))]).toEqual([name, expect.arrayContaining([text])])
    }
  })
})

describe('if the request names hosts, zones or aggregates, devices of other hosts do not change the cause', () => {
  const zoneZ = { uuid: aUuid(9), expectedVersion: 0, next: { name: 'z', metadata: { availability_zone: 'z' }, hosts: ['a', 'b'] } }
  const card = { vendorId: '10de', productId: '1db4', total: 1 }
  const elsewhere: HostShape = { gpus: [{ index: 0, model: 'X' }], pciPools: [card] }
  const asks = { availabilityZone: 'z', vcpus: 1 }
  const causesOf = (shapes: Readonly<Record<string, HostShape>>, more: Parameters<typeof aRequest>[0]) =>
    ['default', 'nova-compat'].map((name) =>
      causeOf(fleetOf(shapes, [{ type: 'aggregate', ...zoneZ }]), aRequest({ ...asks, ...more }), profileNamed(name)),
    )

  test.each<readonly [string, HostShape, Parameters<typeof aRequest>[0], string]>([
    ['PCI devices, in a zone without PCI devices', {}, { pciRequests: [{ count: 1, specs: [{ vendor_id: '10de' }] }] }, 'pci.not_reported'],
    [
      'PCI devices, in a zone with other PCI devices',
      { pciPools: [{ vendorId: '8086', productId: '1', total: 1 }] },
      { pciRequests: [{ count: 1, specs: [{ vendor_id: '10de' }] }] },
      'pci.short',
    ],
    ['GPU models, in a zone without GPUs', {}, { gpus: { count: 1, models: ['X'] } }, 'gpu.none'],
    ['GPU models, in a zone with other models', { gpus: [{ index: 0, model: 'A' }] }, { gpus: { count: 1, models: ['X'] } }, 'gpu.model'],
  ])('%s', (_what, some, more, code) => {
    for (const others of [{}, { c: elsewhere }, { c: {}, d: elsewhere, e: {} }])
      for (const cause of causesOf({ a: {}, b: some, ...others }, more)) expect([cause.code, cause.reasons[0]?.code]).toEqual([code, code])
  })
})
