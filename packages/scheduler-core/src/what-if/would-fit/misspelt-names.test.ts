import { describe, expect, test } from 'vitest'
import { nodeWith } from '../../nova/compat/testing/placement-rows.ts'
import { aUuid } from '../../testing/index.ts'
import { answerOf, type Case, extra, saidOf, withNova, zone } from './testing/case.ts'

describe('misspelt names in a request', () => {
  const flavored = (name: string) => ({ flavor: { name, vcpus: 1, memoryMb: 512 } })
  const kept = (names: string) => [{ name: 'kept', hosts: ['a'], metadata: { instance_type: names } }]
  const byFlavor = withNova('AggregateTypeAffinityFilter')
  const byCapability = withNova('ComputeCapabilitiesFilter')
  const qemu = { ...nodeWith({ cpu_info: '{"vendor": "Intel"}', stats: { gpu_model: 'big' } }), hypervisorType: 'QEMU' }
  test.each<[what: string, given: Case, first: string]>([
    [
      'a zone',
      { hosts: { a: {} }, request: { availabilityZone: 'zone-nroth' }, aggregates: [zone('zone-north', ['a'])] },
      'availability zone -> zone-north',
    ],
    [
      'a zone in different case',
      { hosts: { a: {} }, request: { availabilityZone: 'AZ1' }, aggregates: [zone('az1', ['a'])] },
      'availability zone -> az1',
    ],
    [
      'a trait of the flavor',
      { hosts: { a: { traits: ['HW_CPU_X86_AVX2'] } }, request: extra({ 'trait:HW_CPU_X86_AXV2': 'required' }) },
      'trait HW_CPU_X86_AXV2 -> HW_CPU_X86_AVX2',
    ],
    [
      'a trait of a resource group, if only a farther host has the correct trait',
      {
        hosts: { a: {}, b: {}, c: { traits: ['CUSTOM_FAST'] } },
        request: { requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_FSAT'] }] },
      },
      'trait CUSTOM_FSAT -> CUSTOM_FAST',
    ],
    [
      'a key of an extra spec',
      { hosts: { a: {} }, request: extra({ storgae: 'ssd' }), aggregates: [{ name: 'x', hosts: ['a'], metadata: { storage: 'ssd' } }] },
      'key of extra spec storgae -> storage',
    ],
    [
      'a value of an extra spec',
      {
        hosts: { a: {} },
        request: extra({ storage: 'nvem' }),
        aggregates: [{ name: 'x', hosts: ['a'], metadata: { storage: 'nvme,ssd' } }],
      },
      'extra spec storage -> nvme',
    ],
    [
      'a resource class',
      { hosts: { a: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2 }] } }, request: extra({ 'resources:CUSTOM_FGPA': '1' }) },
      'resource class -> CUSTOM_FPGA',
    ],
    [
      'a flavor',
      { hosts: { a: {} }, request: flavored('m1.lrage'), aggregates: kept('m1.large,m1.small'), profile: byFlavor },
      'flavor -> m1.large',
    ],
    [
      'a GPU model',
      { hosts: { a: { gpus: [{ index: 0, model: 'A100' }] } }, request: { gpus: { models: ['A10O'] } } },
      'GPU model -> A100',
    ],
    ['a host', { hosts: { 'cmp-14': {} }, request: { forceHosts: ['cpm-14'] } }, 'host asked for -> cmp-14'],
    [
      'a key of a capability',
      { hosts: { a: qemu }, request: extra({ 'capabilities:hypervisor_tpye': 'QEMU' }), profile: byCapability },
      'key of extra spec capabilities:hypervisor_tpye -> hypervisor_type',
    ],
    [
      'a key of a capability, below another one',
      { hosts: { a: qemu }, request: extra({ 'capabilities:cpu_info:vednor': 'Intel' }), profile: byCapability },
      'key of extra spec capabilities:cpu_info:vednor -> vendor',
    ],
    [
      'a statistic of a host',
      { hosts: { a: qemu }, request: extra({ 'capabilities:gpu_modle': 'big' }), profile: byCapability },
      'key of extra spec capabilities:gpu_modle -> gpu_model',
    ],
    [
      'a value of a capability',
      { hosts: { a: qemu }, request: extra({ hypervisor_type: 'QMEU' }), profile: byCapability },
      'extra spec hypervisor_type -> QEMU',
    ],
    [
      'the architecture of the image',
      {
        hosts: { a: { supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }] } },
        request: { ...extra({}), image: { architecture: 'x86-64' } },
      },
      'image architecture -> x86_64',
    ],
    [
      'the hypervisor type of the image',
      {
        hosts: { a: { supportedInstances: [{ arch: 'x86_64', hvType: 'hyperv', vmMode: 'hvm' }] } },
        request: { ...extra({}), image: { properties: { img_hv_type: 'hyprev' } } },
      },
      'image img_hv_type -> hyperv',
    ],
    [
      'a property of the image that aggregates have',
      {
        hosts: { a: {} },
        request: { ...extra({}), image: { properties: { os_distro: 'ubutnu' } } },
        aggregates: [{ name: 'x', hosts: ['a'], metadata: { os_distro: 'ubuntu' } }],
        profile: withNova('AggregateImagePropertiesIsolation'),
      },
      'image os_distro -> ubuntu',
    ],
    [
      'a trait of the image',
      {
        hosts: { a: { traits: ['CUSTOM_FAST'] } },
        request: { ...extra({}), image: { properties: { 'trait:CUSTOM_FSAT': 'required' } } },
        profile: withNova('AllHostsFilter'),
      },
      'trait CUSTOM_FSAT -> CUSTOM_FAST',
    ],
    [
      'a key of a spread',
      {
        hosts: { a: {} },
        request: { instanceGroup: { uuid: aUuid(7), policy: 'SOFT_ANTI_AFFINITY' }, topologySpread: [{ topologyKey: 'rakc', maxSkew: 1 }] },
        aggregates: [{ name: 'r', hosts: ['a'], metadata: { rack: 'r1' } }],
      },
      'spread over rakc -> rack',
    ],
  ])('%s: a name that exists in the fleet is proposed first', (_what, given, first) => {
    expect(saidOf(given)[0]).toBe(first)
  })

  test.each<[what: string, given: Case, subject: string]>([
    [
      'a trait of the flavor, if the flavor already requires the correct trait',
      {
        hosts: { a: { traits: ['CUSTOM_FAST'] } },
        request: extra({ 'trait:CUSTOM_FSAT': 'required', 'trait:CUSTOM_FAST': 'required' }),
      },
      'trait CUSTOM_FSAT',
    ],
    [
      'a trait of a resource group, if the flavor already requires the correct trait',
      {
        hosts: { a: { traits: ['CUSTOM_FAST'] } },
        request: { ...extra({ 'trait:CUSTOM_FAST': 'required' }), requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_FSAT'] }] },
      },
      'trait CUSTOM_FSAT',
    ],
    [
      'a trait, if the request forbids the correct trait',
      {
        hosts: { a: { traits: ['CUSTOM_FAST'] } },
        request: extra({ 'trait:CUSTOM_FSAT': 'required', 'trait:CUSTOM_FAST': 'forbidden' }),
      },
      'trait CUSTOM_FSAT',
    ],
    [
      'a key of an extra spec, if the request has the correct key with another value',
      {
        hosts: { a: {} },
        request: extra({ storgae: 'ssd', storage: 'nvme' }),
        aggregates: [{ name: 'x', hosts: ['a'], metadata: { storage: 'nvme,ssd' } }],
      },
      'key of extra spec storgae',
    ],
    [
      'a key of an extra spec, if the request has the correct key with its scope',
      {
        hosts: { a: {} },
        request: extra({ storgae: 'ssd', 'aggregate_instance_extra_specs:storage': 'nvme' }),
        aggregates: [{ name: 'x', hosts: ['a'], metadata: { storage: 'nvme,ssd' } }],
      },
      'key of extra spec storgae',
    ],
    [
      'a key of a capability, if the flavor already has the correct key',
      {
        hosts: { a: qemu },
        request: extra({ 'capabilities:hypervisor_tpye': 'QEMU', 'capabilities:hypervisor_type': 'xen' }),
        profile: byCapability,
      },
      'key of extra spec capabilities:hypervisor_tpye',
    ],
    [
      'a resource class, if an extra spec requests an amount of the correct class',
      {
        hosts: { a: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 9 }] } },
        request: extra({ 'resources:CUSTOM_FGPA': '1', 'resources:CUSTOM_FPGA': '2' }),
      },
      'resource class',
    ],
    [
      'a resource class, if the flavor itself has an amount of the correct class',
      { hosts: { a: {} }, request: extra({ 'resources:MEMROY_MB': '1' }) },
      'resource class',
    ],
    [
      'a key of a spread, if the request already has a spread over the correct key',
      {
        hosts: { a: {} },
        request: {
          instanceGroup: { uuid: aUuid(7), policy: 'SOFT_ANTI_AFFINITY' },
          topologySpread: [
            { topologyKey: 'rakc', maxSkew: 1 },
            { topologyKey: 'rack', maxPerDomain: 2 },
          ],
        },
        aggregates: [{ name: 'r', hosts: ['a'], metadata: { rack: 'r1' } }],
      },
      'spread over rakc',
    ],
  ])('%s: no correction is proposed, because the request would lose a requirement', (_what, given, subject) => {
    const { counterfactuals } = answerOf(given)
    // other proposals are found, so the search itself did not fail
    expect(counterfactuals.length).toBeGreaterThan(0)
    const renamed = counterfactuals.flatMap(({ changes }) => changes.filter((change) => change.subject === subject && change.effort < 1.4))
    expect(renamed.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
  })

  test('the text of a proposal contains the misspelt name only once', () => {
    const given: Case = { hosts: { a: { traits: ['CUSTOM_FAST'] } }, request: extra({ 'trait:CUSTOM_FSAT': 'required' }) }
    expect(answerOf(given).counterfactuals[0]?.text).toBe('request: trait CUSTOM_FSAT -> CUSTOM_FAST: unlocks 1 host (a)')
  })

  test('if an extra spec occurs with and without its scope, only the misspelt value is changed', () => {
    const given: Case = {
      hosts: { a: {} },
      request: extra({ storage: 'nvem', 'aggregate_instance_extra_specs:storage': 'ssd' }),
      aggregates: [{ name: 'x', hosts: ['a'], metadata: { storage: 'nvme,ssd' } }],
    }
    const [first] = answerOf(given).counterfactuals
    expect(first?.request.flavor.extraSpecs).toEqual({ storage: 'nvme', 'aggregate_instance_extra_specs:storage': 'ssd' })
  })

  test.each<[what: string, given: Case]>([
    [
      'an existing zone that is full',
      {
        hosts: { a: { memoryMb: 256 }, b: {} },
        request: { availabilityZone: 'az1' },
        aggregates: [zone('az1', ['a']), zone('az2', ['b'])],
      },
    ],
    ['a trait without similar names', { hosts: { a: { traits: ['CUSTOM_FAST'] } }, request: extra({ 'trait:HW_GPU': 'required' }) }],
    ['a flavor without similar names', { hosts: { a: {} }, request: flavored('huge'), aggregates: kept('m1.large'), profile: byFlavor }],
  ])('%s: no proposal changes the name to another name', (_what, given) => {
    const efforts = answerOf(given).counterfactuals.map(({ effort }) => effort)
    // only corrections of names have an effort below 1.4
    expect(efforts.filter((effort) => effort < 1.4)).toEqual([])
  })
})
