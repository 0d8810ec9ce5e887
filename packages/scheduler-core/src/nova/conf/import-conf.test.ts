import { describe, expect, test } from 'vitest'
import { parseProfile } from '../../pipeline/compile.ts'
import { novaFilters } from '../filters/index.ts'
import { rulesOf } from '../parts/options.ts'
import { novaWeighers } from '../weighers/index.ts'
import { importNovaConf } from './import-conf.ts'
import { knownOptions } from './known-options.ts'
import { releaseName } from './releases.ts'
import { filtersOf, imported, multipliersOf, section, textsOf } from './testing/imported.ts'

const JUNO = `[DEFAULT]
debug = False
my_ip = 10.0.0.11
scheduler_driver = nova.scheduler.filter_scheduler.FilterScheduler
scheduler_available_filters = nova.scheduler.filters.all_filters
scheduler_default_filters = RetryFilter,AvailabilityZoneFilter,RamFilter,
    CoreFilter, ComputeFilter, ComputeCapabilitiesFilter,
    ImagePropertiesFilter,
    AggregateInstanceExtraSpecsFilter,TypeAffinityFilter
scheduler_weight_classes = nova.scheduler.weights.all_weighers
scheduler_host_subset_size = 30
scheduler_max_attempts = 5
ram_weight_multiplier = -1.0
cpu_allocation_ratio = 8.0
ram_allocation_ratio: 1.0
max_io_ops_per_host = 4
rabbit_password = "secret"

[metrics]
weight_multiplier = 2
weight_setting = cpu.percent=-1.0, cpu.user.percent=0.5
required = no
[keystone_authtoken]
auth_uri = http://controller:5000/v2.0
`

test('a file of juno is converted to a profile', () => {
  const conf = imported(JUNO, 'kilo')
  expect([releaseName(conf.release), conf.isGuessed, conf.isWhole]).toEqual(['kilo', false, true])
  expect(conf.profile).toMatchObject({ compat: 'nova', hostSubsetSize: 30, nova: { maxAttempts: 5, packing: false, shuffleBest: false } })
  expect(filtersOf(conf)).toEqual([
    'RetryFilter',
    'AvailabilityZoneFilter',
    'RamFilter',
    'CoreFilter',
    'ComputeFilter',
    'ComputeCapabilitiesFilter',
    'ImagePropertiesFilter',
    'AggregateInstanceExtraSpecsFilter',
    'TypeAffinityFilter',
  ])
  expect(conf.profile.filters.find(({ name }) => name === 'CoreFilter')?.options).toEqual({ cpu_allocation_ratio: 8 })
  expect(conf.profile.filters.find(({ name }) => name === 'RamFilter')?.options).toEqual({ ram_allocation_ratio: 1 })
  expect(multipliersOf(conf)).toEqual({ IoOpsWeigher: -1, MetricsWeigher: 2, RAMWeigher: -1 })
  expect(conf.profile.weighers.find(({ name }) => name === 'MetricsWeigher')?.options).toEqual({
    'metrics.weight_setting': ['cpu.percent=-1.0', 'cpu.user.percent=0.5'],
    'metrics.required': false,
  })
  expect(textsOf(conf)).toEqual(['idle 16 [DEFAULT] max_io_ops_per_host is read by no filter or weigher of the profile'])
  expect(conf.elsewhere.map(({ section, name }) => `${section}.${name}`)).toEqual([
    'DEFAULT.debug',
    'DEFAULT.my_ip',
    'DEFAULT.rabbit_password',
    'keystone_authtoken.auth_uri',
  ])
})

const ZED = `[scheduler]
max_attempts = 3
workers = 4
limit_tenants_to_placement_aggregate = true
query_placement_for_availability_zone = false

[filter_scheduler]
available_filters = nova.scheduler.filters.all_filters
available_filters = acme.filters.gold.GoldFilter
enabled_filters = ComputeFilter,ComputeCapabilitiesFilter,ImagePropertiesFilter,GoldFilter,NUMATopologyFilter,PciPassthroughFilter,IoOpsFilter
weight_classes = nova.scheduler.weights.ram.RAMWeigher, nova.scheduler.weights.compute.BuildFailureWeigher,acme.weights.RAMWeigher
track_instance_changes = True
shuffle_best_same_weighed_hosts = on
max_io_ops_per_host = 12
soft_affinity_weight_multiplier = -1
image_properties_default_architecture = amd64
[compute]
packing_host_numa_cells_allocation_strategy = true
`

test('a file of zed is converted to a profile, and custom classes are reported as lost', () => {
  const conf = imported(ZED)
  expect([releaseName(conf.release), conf.isWhole]).toEqual(['zed', false])
  expect(conf.profile.nova).toEqual({
    maxAttempts: 3,
    packing: true,
    shuffleBest: true,
    placement: { availabilityZone: false, limitTenants: true },
  })
  expect(conf.profile.filters).toEqual([
    { name: 'ComputeFilter', options: {} },
    { name: 'ComputeCapabilitiesFilter', options: {} },
    { name: 'ImagePropertiesFilter', options: { image_properties_default_architecture: 'x86_64' } },
    { name: 'NUMATopologyFilter', options: { 'compute.packing_host_numa_cells_allocation_strategy': true } },
    { name: 'PciPassthroughFilter', options: {} },
    { name: 'IoOpsFilter', options: { max_io_ops_per_host: 12 } },
  ])
  expect(multipliersOf(conf)).toEqual({ RAMWeigher: 1, BuildFailureWeigher: 1_000_000 })
  expect(textsOf(conf)).toEqual([
    'idle 3 [scheduler] workers is "4", and has no meaning here: replicas are started, not configured',
    "lost 10 GoldFilter is acme.filters.gold.GoldFilter, a custom class; a profile can only name Nova's classes",
    'note 10 AvailabilityZoneFilter is not enabled, and Placement does not check zones: the zones of requests have no effect, as in Nova',
    "lost 11 RAMWeigher is acme.weights.RAMWeigher, a custom class; a profile can only name Nova's classes",
    'idle 12 [filter_scheduler] track_instance_changes is "True", and has no meaning here: reports and claims name every instance',
    'refused 15 [filter_scheduler] soft_affinity_weight_multiplier is "-1"; it must be a number of 0 to 1000000000; left at Nova\'s default',
  ])
})

describe('options that control the checks of Placement', () => {
  const scheduler = (...lines: string[]) => section(lines.join('\n'), 'scheduler')
  const KOLLA = section('enabled_filters = ComputeFilter,ComputeCapabilitiesFilter,ImagePropertiesFilter', 'filter_scheduler')

  test.each<readonly [string, string, string | undefined, object | undefined]>([
    ['A12e kolla-ansible: Placement checks zones without AvailabilityZoneFilter', KOLLA, undefined, undefined],
    [
      'from 2023.2 on zones are always checked, whatever the former option says',
      scheduler('query_placement_for_availability_zone = false'),
      '2023.2',
      undefined,
    ],
    [
      'xena checks zones unless the option is off',
      scheduler('query_placement_for_availability_zone = off'),
      'xena',
      { availabilityZone: false },
    ],
    ['wallaby checks zones only if the option is on', '', 'wallaby', { availabilityZone: false }],
    ['rocky introduced the option', scheduler('query_placement_for_availability_zone = yes'), 'rocky', undefined],
    ['queens does not read the option', scheduler('query_placement_for_availability_zone = yes'), 'queens', { availabilityZone: false }],
    [
      'hosts without a zone are in the zone that the option names',
      section('default_availability_zone = az0', 'DEFAULT'),
      'zed',
      { defaultAvailabilityZone: 'az0' },
    ],
    ['C18 nova/conf/scheduler.py: tenants', scheduler('limit_tenants_to_placement_aggregate = true'), 'zed', { limitTenants: true }],
    [
      'C18 nova/conf/scheduler.py: every tenant needs an aggregate',
      scheduler('limit_tenants_to_placement_aggregate = 1', 'placement_aggregate_required_for_tenants = 1'),
      'zed',
      { limitTenants: true, tenantsNeedAggregate: true },
    ],
    [
      'placement_aggregate_required_for_tenants has no effect without limit_tenants_to_placement_aggregate',
      scheduler('placement_aggregate_required_for_tenants = true'),
      'zed',
      undefined,
    ],
    [
      'C18 nova/conf/scheduler.py: isolated aggregates',
      scheduler('enable_isolated_aggregate_filtering = true'),
      'zed',
      { isolateAggregates: true },
    ],
    [
      'enable_isolated_aggregate_filtering is not read before train',
      scheduler('enable_isolated_aggregate_filtering = true'),
      'stein',
      { availabilityZone: false },
    ],
    [
      'C18 nova/conf/scheduler.py: support of the disk format of the image',
      scheduler('query_placement_for_image_type_support = true'),
      'zed',
      { imageType: true },
    ],
  ])('%s', (_name, text, release, placement) => {
    const { profile, isWhole } = imported(text, release)
    expect([isWhole, profile.nova?.placement]).toEqual([true, placement])
    expect(parseProfile({ ...profile, name: 'imported', number: 1 })).toMatchObject({ ok: true })
  })

  test.each([
    ['image_metadata_prefilter', 'scheduler', 'ussuri'],
    ['query_placement_for_routed_network_aggregates', 'scheduler', 'wallaby'],
    ['disable_fallback_pcpu_query', 'workarounds', 'train'],
  ])('%s is reported as lost if it is on, because this service excludes no hosts by this option', (name, at, release) => {
    const on = imported(section(`${name} = true`, at), release)
    expect([on.isWhole, on.findings.find(({ kind }) => kind === 'lost')]).toMatchObject([false, { line: 2, subject: `[${at}] ${name}` }])
    const off = imported(section(`${name} = false`, at), release)
    expect([off.isWhole, textsOf(off).filter((text) => text.includes(name))]).toEqual([true, []])
  })

  test.each<readonly [string, string, string, string]>([
    [
      'nova/conf/availability_zone.py: default_schedule_zone',
      section('default_schedule_zone = az1', 'DEFAULT'),
      section('default_schedule_zone =', 'DEFAULT'),
      'lost 2 [DEFAULT] default_schedule_zone excludes hosts of other zones from requests that name no zone; this service would let them in',
    ],
    [
      'nova/conf/cinder.py: cross_az_attach',
      section('cross_az_attach = false', 'cinder'),
      section('cross_az_attach = true', 'cinder'),
      'lost 2 [cinder] cross_az_attach excludes hosts outside of the zones of the volumes from requests that name no zone; this service would let them in',
    ],
  ])("%s: a zone that Nova's API writes into requests is reported as lost", (_name, given, usual, finding) => {
    const conf = imported(given, 'zed')
    expect([conf.isWhole, textsOf(conf)]).toEqual([false, [finding]])
    const other = imported(usual, 'zed')
    expect([other.isWhole, textsOf(other)]).toEqual([true, []])
  })

  test.each(['kilo', 'train'])('in %s, cross_az_attach influences the attachment of volumes and not the choice of hosts', (release) => {
    const conf = imported(section('cross_az_attach = false', 'cinder'), release)
    const found = `idle 2 [cinder] cross_az_attach is read by Nova ${release} when a volume is attached, and not when a host is chosen`
    expect([conf.isWhole, textsOf(conf)]).toEqual([true, [found]])
    expect(textsOf(imported(section('cross_az_attach = true', 'cinder'), release))).toEqual([])
  })

  test('max_placement_results is reported as having no effect', () => {
    const conf = imported(scheduler('max_placement_results = 50'), 'zed')
    expect(textsOf(conf)).toEqual(['idle 2 [scheduler] max_placement_results is "50", and has no meaning here: every host is examined'])
  })

  test('an option that excludes hosts is never reported as having no effect while it is on', () => {
    const keeping = knownOptions.filter(
      ({ key, type }) => type.is === 'flag' && /placement|prefilter|isolated_aggregate|pcpu|cross_az/.test(key),
    )
    expect(keeping.length).toBeGreaterThan(6)
    for (const { key, idle } of keeping.filter(({ key }) => key !== 'filter_scheduler.pci_in_placement'))
      expect([key, idle]).toEqual([key, undefined])
  })
})

test('an allocation ratio that no filter reads gets a note that it applies to the capacity of hosts', () => {
  const conf = imported(section('scheduler_default_filters = ComputeFilter\ncpu_allocation_ratio = 16', 'DEFAULT'), 'kilo')
  expect(textsOf(conf)).toContain(
    'note 3 [DEFAULT] cpu_allocation_ratio is read by no filter or weigher of the profile; it applies to the capacity of hosts',
  )
})

describe('the release of a file is guessed from its settings', () => {
  test.each([
    ['by old names', '[DEFAULT]\nscheduler_default_filters = ComputeFilter', 'newton'],
    ['by old names together with later weighers', '[DEFAULT]\nscheduler_weight_classes = nova.scheduler.weights.pci.PCIWeigher', 'wallaby'],
    ['by removed filters', '[filter_scheduler]\nenabled_filters = RetryFilter, RamFilter', 'stein'],
    ['by new weighers', '[filter_scheduler]\nnum_instances_weight_multiplier = 1', '2023.2'],
    ['by a new class', '[filter_scheduler]\nweight_classes = nova.scheduler.weights.image_props.ImagePropertiesWeigher', '2025.1'],
    [
      'but not by cross_az_attach, which every release reads',
      '[DEFAULT]\nscheduler_default_filters = RamFilter,ComputeFilter\n[cinder]\ncross_az_attach = False',
      'newton',
    ],
    ['but not by ratios, which later became options of hosts', '[DEFAULT]\ncpu_allocation_ratio = 4', 'zed'],
  ])('%s', (_how, text, release) => expect(releaseName(imported(text).release)).toBe(release))
})

test('the last of several assignments applies, section names are compared without case, and references are resolved', () => {
  const conf = imported('[DEFAULT]\nsubset = 7\n[Filter_Scheduler]\nhost_subset_size = 2\nhost_subset_size = $subset\n')
  expect(conf.profile.hostSubsetSize).toBe(7)
})

test('a file that enables the bare-metal filters gives a profile with these filters', () => {
  const conf = imported(
    '[DEFAULT]\nscheduler_use_baremetal_filters = True\nscheduler_host_manager = nova.scheduler.ironic_host_manager.IronicHostManager',
  )
  expect(filtersOf(conf)).toEqual(expect.arrayContaining(['ExactRamFilter', 'ExactDiskFilter', 'ExactCoreFilter']))
})

test('a file that oslo.config cannot parse is refused, and its wrong lines are reported', () => {
  expect(importNovaConf('[a]\nx')).toEqual({ ok: false, faults: [{ line: 2, message: expect.any(String) }] })
})

test('every filter and weigher of Nova can be imported', () => {
  const weighers = novaWeighers.map(({ name }) => `nova.scheduler.weights.x.${name}`).join()
  const conf = imported(`[filter_scheduler]\nenabled_filters = ${novaFilters.map(({ name }) => name).join()}\nweight_classes = ${weighers}`)
  expect([conf.isWhole, conf.profile.filters.length, conf.profile.weighers.length]).toEqual([true, novaFilters.length, novaWeighers.length])
  expect(parseProfile({ name: 'x', number: 1, ...conf.profile })).toMatchObject({ ok: true })
})

test('the table of known options has every option of every filter and weigher', () => {
  const keys = new Set(knownOptions.map(({ key }) => key))
  const wanted = [...novaFilters, ...novaWeighers].flatMap(({ options }) => Object.keys(options.shape))
  const multipliers = novaWeighers.map(({ multiplier }) => multiplier.option)
  expect([...wanted, ...multipliers].filter((name) => !keys.has(name) && !keys.has(`filter_scheduler.${name}`))).toEqual([])
})

test('the result is a valid profile with the same rules as the configuration', () => {
  for (const [text, release] of [
    [JUNO, 'kilo'],
    [ZED, 'zed'],
    ['', 'juno'],
    ['', '2026.1'],
  ] as const)
    expect(parseProfile({ name: 'x', number: 1, ...imported(text, release).profile })).toMatchObject({
      ok: true,
      value: { compat: 'nova' },
    })
  const plain = imported(
    '[filter_scheduler]\nenabled_filters = ComputeFilter,IoOpsFilter\nmax_io_ops_per_host = 3\nweight_classes = nova.scheduler.weights.io_ops.IoOpsWeigher\nio_ops_weight_multiplier = -2',
  )
  const rules = rulesOf({
    'filter_scheduler.enabled_filters': ['ComputeFilter', 'IoOpsFilter'],
    'filter_scheduler.weight_classes': ['nova.scheduler.weights.io_ops.IoOpsWeigher'],
    'filter_scheduler.max_io_ops_per_host': 3,
    'filter_scheduler.io_ops_weight_multiplier': -2,
  })
  expect(plain.profile.filters).toEqual(rules.filters.map(({ filter, options }) => ({ name: filter.name, options })))
  expect(plain.profile.weighers).toEqual(rules.weighers.map(({ weigher, ...rest }) => ({ name: weigher.name, ...rest })))
})

describe('options that set the capacity of hosts', () => {
  test.each<readonly [string, string, string | undefined, unknown]>([
    ['a ratio', 'cpu_allocation_ratio = 16', undefined, { release: null, classes: { VCPU: { ratio: 16 } } }],
    ['a ratio, and a release that is named', 'ram_allocation_ratio = 1.5', 'zed', { release: 26, classes: { MEMORY_MB: { ratio: 1.5 } } }],
    ['a ratio of 0 is treated as absent', 'cpu_allocation_ratio = 0.0', undefined, { release: null, classes: {} }],
    // Nova's _from_db_object() uses the initial ratio only if the allocation ratio is not set.
    [
      'nova compute_node.py: the ratio has precedence over the initial ratio',
      'cpu_allocation_ratio = 3\ninitial_cpu_allocation_ratio = 5',
      'zed',
      { release: 26, classes: { VCPU: { ratio: 3 } } },
    ],
    ['an initial ratio without a ratio', 'initial_disk_allocation_ratio = 2', 'train', { release: 20, classes: { DISK_GB: { ratio: 2 } } }],
    ['an initial ratio in a release that does not read it', 'initial_cpu_allocation_ratio = 5', 'rocky', { release: 18, classes: {} }],
    [
      'nova virt/driver.py: reserved amounts, with disk rounded up to whole GiB',
      'reserved_host_cpus = 2\nreserved_host_memory_mb = 2048\nreserved_host_disk_mb = 1025',
      'zed',
      { release: 26, classes: { VCPU: { reserved: 2 }, MEMORY_MB: { reserved: 2_048 }, DISK_GB: { reserved: 2, reservedInUse: 1 } } },
    ],
  ])('%s', (_name, lines, release, allocation) => {
    const conf = imported(`[DEFAULT]\n${lines}`, release)
    expect(conf.allocation).toEqual(allocation)
    expect(conf.elsewhere).toEqual([])
  })

  test.each([
    [
      '1500',
      [
        'note 2 [DEFAULT] reserved_host_disk_mb is 1500 MiB, which is not a whole number of GiB: 2 GiB are reserved, as in Placement, and 1 GiB of them are in the used disk that hosts report, as in Nova',
      ],
    ],
    ['2048', []],
  ])('a reserved amount of disk that is not a whole number of GiB has a remark: %s', (reserved, texts) => {
    expect(textsOf(imported(`[DEFAULT]\nreserved_host_disk_mb = ${reserved}`, 'zed'))).toEqual(texts)
  })

  test('a ratio that is not a whole number has no remark', () => {
    expect(textsOf(imported('[DEFAULT]\nram_allocation_ratio = 1.5', 'zed'))).toEqual([])
  })

  test('a value that Nova refuses, or that no host can have, is reported with its line', () => {
    expect(textsOf(imported('[DEFAULT]\nreserved_host_cpus = -1', 'zed'))[0]).toMatch(/^refused 2 \[DEFAULT\] reserved_host_cpus /)
  })
})
