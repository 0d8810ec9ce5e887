import { describe, expect, test } from 'vitest'
import { releaseName } from './releases.ts'
import { filtersOf, imported, multipliersOf, section, textsOf } from './testing/imported.ts'

describe('an option in a wrong section is reported with its line', () => {
  test.each<readonly [string, string, string]>([
    [
      'C05 devstack local.conf: the filters in the default group',
      section('enabled_filters = NUMATopologyFilter', 'DEFAULT'),
      'idle 2 [DEFAULT] enabled_filters is in the wrong section, where nothing reads it; it is an option of [filter_scheduler]',
    ],
    [
      'tenants in the section of the filters',
      section('limit_tenants_to_placement_aggregate = true', 'filter_scheduler'),
      'idle 2 [filter_scheduler] limit_tenants_to_placement_aggregate is in the wrong section, where nothing reads it; it is an option of [scheduler]',
    ],
    [
      'filters in the section of the scheduler',
      section('enabled_filters = ComputeFilter', 'scheduler'),
      'idle 2 [scheduler] enabled_filters is in the wrong section, where nothing reads it; it is an option of [filter_scheduler]',
    ],
    [
      'the default group in small letters is another section',
      section('service_down_time = 90', 'default'),
      'idle 2 [default] service_down_time is in the wrong section, where nothing reads it; it is an option of [DEFAULT]',
    ],
    [
      'an option of the scheduler in a section of another service',
      section('host_subset_size = 3', 'compute'),
      'idle 2 [compute] host_subset_size is in the wrong section, where nothing reads it; it is an option of [filter_scheduler]',
    ],
    [
      'an old name in a new section',
      section('scheduler_default_filters = ComputeFilter', 'filter_scheduler'),
      'idle 2 [filter_scheduler] scheduler_default_filters is in the wrong section, where nothing reads it; it is an option of [DEFAULT]',
    ],
    ...['reserved_host_memory_mb', 'reserved_host_cpus', 'initial_ram_allocation_ratio'].map(
      (name) =>
        [
          `an option of hosts in the section of the driver: ${name}`,
          section(`${name} = 1`, 'libvirt'),
          `idle 2 [libvirt] ${name} is in the wrong section, where nothing reads it; it is an option of [DEFAULT]`,
        ] as const,
    ),
  ])('%s', (_name, text, finding) => expect(textsOf(imported(text, 'zed'))).toContain(finding))

  test('an option name that other services use in their sections is not reported', () => {
    const conf = imported(section('driver = messagingv2', 'oslo_messaging_notifications') + section('workers = 2', 'conductor'))
    expect([textsOf(conf), conf.elsewhere.length]).toEqual([[], 2])
  })
})

describe('settings that the file does not contain have the defaults of the release', () => {
  test.each([
    ['juno', 'RetryFilter AvailabilityZoneFilter RamFilter ComputeFilter', 'MetricsWeigher RAMWeigher'],
    ['liberty', 'RetryFilter AvailabilityZoneFilter RamFilter DiskFilter ComputeFilter', 'IoOpsWeigher MetricsWeigher RAMWeigher'],
    ['queens', 'RetryFilter AvailabilityZoneFilter ComputeFilter', undefined],
    ['21', 'AvailabilityZoneFilter ComputeFilter', undefined],
    ['zed', 'ComputeFilter ComputeCapabilitiesFilter', undefined],
  ])('%s', (release, filters, weighers) => {
    const conf = imported('', release)
    expect(filtersOf(conf).join(' ')).toContain(filters)
    expect(filtersOf(conf).at(-1)).toBe('ServerGroupAffinityFilter')
    if (weighers !== undefined) expect(Object.keys(multipliersOf(conf)).join(' ')).toBe(weighers)
  })

  test.each(['GroupAffinityFilter', 'GroupAntiAffinityFilter'])('juno enables %s, which has nothing to check here', (name) => {
    const conf = imported(section(`scheduler_default_filters = ComputeFilter, ${name}`, 'DEFAULT'), 'juno')
    expect(filtersOf(conf)).toEqual(['ComputeFilter', name])
    expect(textsOf(conf)).toContain(
      `idle 2 ${name} checks only server groups with the policy legacy, and requests with this policy are refused here`,
    )
    expect(conf.isWhole).toBe(true)
  })

  test('zed enables ten weighers by default, and 2025.1 three more', () => {
    expect(imported('', 'zed').profile.weighers).toHaveLength(10)
    expect(multipliersOf(imported('', '2025.1'))).toMatchObject({
      HypervisorVersionWeigher: 1,
      NumInstancesWeigher: 0,
      ImagePropertiesWeigher: 0,
    })
  })

  test('a file without any hint at its release is read as a file of zed', () => expect(releaseName(imported('').release)).toBe('zed'))

  test('in releases whose hosts do not report allocation ratios, the file sets the ratios of the filters', () => {
    const text = '[DEFAULT]\nscheduler_default_filters = RamFilter,CoreFilter,DiskFilter'
    const ratios = (release: string) => imported(text, release).profile.filters.map(({ options }) => Object.values(options ?? {}))
    expect(ratios('kilo')).toEqual([[1.5], [16], [1]])
    expect(ratios('liberty')).toEqual([[], [], [1]])
    expect(ratios('ocata')).toEqual([[], [], [0]])
    expect(textsOf(imported('[DEFAULT]\ncpu_allocation_ratio = 4', 'ocata'))).toEqual([])
  })
})

describe('settings that cannot be mapped unchanged', () => {
  const section = (lines: string, name = 'filter_scheduler') => `[${name}]\n${lines}`

  test.each<[string, string, string]>([
    ['an unknown filter', section('enabled_filters = ComputeFilter,NoSuchFilter'), 'lost 2 NoSuchFilter is no filter of Nova'],
    [
      'a filter name in different case',
      section('enabled_filters = Computefilter'),
      "lost 2 Computefilter is no filter of Nova's; there is ComputeFilter",
    ],
    [
      'a missing comma between two filters',
      section('enabled_filters = ComputeFilter\n  RamFilter'),
      "lost 2 ComputeFilter RamFilter is no filter of Nova's; names are separated by commas",
    ],
    [
      'a custom class with the name of a filter of Nova',
      section('available_filters = acme.RamFilter\nenabled_filters = RamFilter'),
      'lost 3 RamFilter is acme.RamFilter, a custom class',
    ],
    [
      'a filter that is not available',
      section('available_filters = nova.scheduler.filters.ram_filter.RamFilter\nenabled_filters = ComputeFilter'),
      'note 3 ComputeFilter is not among available_filters',
    ],
    [
      'a filter of another release',
      `${section('enabled_filters = RamFilter')}\nimage_props_weight_multiplier = 1\nnum_instances_weight_multiplier = 1`,
      'note 2 RamFilter exists in juno to stein; Nova 2025.1 would not start with it',
    ],
    [
      'an unknown weigher in the module of Nova',
      section('weight_classes = nova.scheduler.weights.ram.RamWeigher'),
      "lost 2 RamWeigher is no weigher of Nova's; there is RAMWeigher",
    ],
    [
      'a chance scheduler',
      section('driver = chance_scheduler', 'scheduler'),
      'lost 2 [scheduler] driver is "chance_scheduler"; only the filter scheduler',
    ],
    ['a caching scheduler', section('driver = caching_scheduler', 'scheduler'), 'note 2 [scheduler] driver is "caching_scheduler"'],
    [
      'text instead of a number',
      section('ram_weight_multiplier = high'),
      'refused 2 [filter_scheduler] ram_weight_multiplier is "high"; it must be a number of -1000000000 to 1000000000',
    ],
    ['infinity', section('cpu_weight_multiplier = inf'), 'it must be a number of -1000000000 to 1000000000'],
    [
      'an empty value instead of a number',
      section('host_subset_size ='),
      'refused 2 [filter_scheduler] host_subset_size is ""; it must be a whole number of 1 to 1000',
    ],
    ['a number above the maximum of a profile', section('max_attempts = 500', 'scheduler'), 'it must be a whole number of 1 to 100'],
    ['a fraction instead of a number of hosts', section('max_instances_per_host = 1.5'), 'it must be a whole number of 1 or more'],
    ['an invalid flag', section('shuffle_best_same_weighed_hosts = maybe'), 'it must be one of true, 1, on, yes, false, 0, off, no'],
    ['an invalid architecture', section('image_properties_default_architecture = z80'), "an architecture by Nova's name"],
    [
      'a setting without a number',
      section('weight_setting = fan=1, cpu', 'metrics'),
      'refused 2 [metrics] weight_setting "cpu" is no NAME=NUMBER',
    ],
    ['an unknown option', section('weight_of_moon = 1'), 'idle 2 [filter_scheduler] weight_of_moon is no option of the scheduler'],
    [
      'an unknown option in the default group',
      section('scheduler_moon = 1', 'DEFAULT'),
      'idle 2 [DEFAULT] scheduler_moon is no option of the scheduler',
    ],
    [
      'a reference to an unknown option',
      section('host_subset_size = $nobody'),
      'refused 2 [filter_scheduler] host_subset_size it refers to $nobody',
    ],
    [
      'an option that is set twice',
      section('host_subset_size = 2\nhost_subset_size = 3'),
      'note 2 [filter_scheduler] host_subset_size is also set in line 3, and that value applies',
    ],
    [
      'an old name together with the new one',
      '[DEFAULT]\nscheduler_max_attempts = 9\n[scheduler]\nmax_attempts = 4',
      'note 2 [DEFAULT] scheduler_max_attempts is also set in line 4, and that value applies',
    ],
  ])('%s', (_what, text, expected) => expect(textsOf(imported(text)).join('\n')).toContain(expected))

  test.each<[string, string, string, readonly string[]]>([
    [
      'an option of nova-compute whose name begins like those of the scheduler',
      section('scheduler_instance_sync_interval = 60', 'DEFAULT'),
      'kilo',
      ['idle 2 [DEFAULT] scheduler_instance_sync_interval is "60", and has no meaning here: reports and claims name every instance'],
    ],
    [
      'weights of cells that have the names of weights of hosts, with cells v1',
      section('enable = True\nram_weight_multiplier = 5\nmute_weight_multiplier = -10\noffset_weight_multiplier = 2', 'cells'),
      'kilo',
      ['ram', 'mute', 'offset'].map(
        (kind, i) =>
          `lost ${i + 3} [cells] ${kind}_weight_multiplier excludes hosts of cells with a lower weight than the chosen cell; this service would let them in`,
      ),
    ],
    [
      'weights of cells without cells v1',
      section('ram_weight_multiplier = 5', 'cells'),
      'kilo',
      ['idle 2 [cells] ram_weight_multiplier has an effect only if [cells] enable is on'],
    ],
    [
      'weights of cells in a release without cells v1',
      section('ram_weight_multiplier = 5', 'cells'),
      'zed',
      ['idle 2 [cells] ram_weight_multiplier is not read by Nova zed, only by juno to stein'],
    ],
  ])('%s', (_what, text, release, expected) => expect(textsOf(imported(text, release))).toEqual(expected))

  test('an old option name has no effect in a release that does not read this name', () => {
    const conf = imported('[DEFAULT]\nscheduler_max_attempts = 9', 'zed')
    expect(textsOf(conf)).toEqual(['idle 2 [DEFAULT] scheduler_max_attempts is not read by Nova zed, only by juno to wallaby'])
    expect(conf.profile.nova?.maxAttempts).toBe(3)
  })
})
