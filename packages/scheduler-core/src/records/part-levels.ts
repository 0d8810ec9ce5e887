/**
 * The filters, weighers and schedulers of the release, by the lowest feature level at which a profile can name them. Below this level, a
 * replica of an older release could be unable to run them.
 */
const partsByLevel: readonly (readonly [level: number, parts: readonly string[]])[] = [
  [
    1,
    [
      'AggregateCoreFilter',
      'AggregateDiskFilter',
      'AggregateImagePropertiesIsolation',
      'AggregateInstanceExtraSpecsFilter',
      'AggregateIoOpsFilter',
      'AggregateMultiTenancyIsolation',
      'AggregateNumInstancesFilter',
      'AggregateRamFilter',
      'AggregateTypeAffinityFilter',
      'AllHostsFilter',
      'AvailabilityZoneFilter',
      'BestFitWeigher',
      'CPUWeigher',
      'ComputeCapabilitiesFilter',
      'ComputeFilter',
      'CoreFilter',
      'DifferentHostFilter',
      'DiskFilter',
      'DiskWeigher',
      'DotProductWeigher',
      'ExactCoreFilter',
      'ExactDiskFilter',
      'ExactRamFilter',
      'FullnessWeigher',
      'GpuClusteringWeigher',
      'GpuFilter',
      'GpuFragmentationWeigher',
      'GpuPackingWeigher',
      'GroupAffinityFilter',
      'GroupAntiAffinityFilter',
      'ImagePropertiesFilter',
      'IoOpsFilter',
      'IoOpsWeigher',
      'IsolatedHostsFilter',
      'JsonFilter',
      'MetricsFilter',
      'NUMAFitWeigher',
      'NUMAImbalanceWeigher',
      'NUMATopologyFilter',
      'NumInstancesFilter',
      'NumInstancesWeigher',
      'RAMWeigher',
      'RamFilter',
      'ResourceClassFilter',
      'RetryFilter',
      'SameHostFilter',
      'ServerGroupAffinityFilter',
      'ServerGroupAntiAffinityFilter',
      'ServerGroupSoftAffinityWeigher',
      'ServerGroupSoftAntiAffinityWeigher',
      'SimpleCIDRAffinityFilter',
      'TraitsFilter',
      'TrustedFilter',
      'TypeAffinityFilter',
    ],
  ],
  [
    3,
    [
      'BuildFailureWeigher',
      'CrossCellWeigher',
      'HypervisorVersionWeigher',
      'ImagePropertiesWeigher',
      'MetricsWeigher',
      'PCIWeigher',
      'PciPassthroughFilter',
    ],
  ],
  [5, ['PortAffinityFilter', 'PortAffinityWeigher', 'VolumeAffinityFilter', 'VolumeAffinityWeigher']],
  [6, ['DiskPoolFilter']],
]

export const partLevels: ReadonlyMap<string, number> = new Map(
  partsByLevel.flatMap(([level, parts]) => parts.map((part) => [part, level] as const)),
)

/** The level of filters, weighers and schedulers of plug-ins: all names that are not in `partsByLevel`. */
const PLUGIN_LEVEL = 7

/** The lowest feature level at which a profile can name this filter, weigher or scheduler. */
export const levelOfPart = (name: string): number => partLevels.get(name) ?? PLUGIN_LEVEL
