import { type Profile, type ProfileInput, profileSchema } from '../records/profile.ts'
import { OWN_AFFINITY, PLACEMENT_RULES, SOLVER_PROFILE } from '../values/levels.ts'

const novaFilters = [
  'ComputeFilter',
  'AvailabilityZoneFilter',
  'RamFilter',
  'CoreFilter',
  'DiskFilter',
  'AggregateInstanceExtraSpecsFilter',
  'ImagePropertiesFilter',
  'DifferentHostFilter',
  'SameHostFilter',
  'TraitsFilter',
].map((name) => ({ name }))

/** This service's counterparts of Nova's weighers, with Nova's default multipliers. */
const novaWeighers = [
  { name: 'RAMWeigher', multiplier: 1 },
  { name: 'CPUWeigher', multiplier: 1 },
  { name: 'DiskWeigher', multiplier: 1 },
  { name: 'IoOpsWeigher', multiplier: -1 },
  { name: 'ServerGroupSoftAffinityWeigher', multiplier: 1 },
  { name: 'ServerGroupSoftAntiAffinityWeigher', multiplier: 1 },
]

/**
 * The multiplier of the weighers for soft policies of server groups, and of the weighers for volumes and ports. It is more than the
 * difference that the weighers for memory, CPUs, disk and I/O operations together make between two hosts, which is at most 4. With Nova's
 * multiplier of 1, the I/O operations of a group's first member could outweigh soft affinity.
 */
const SOFT_POLICY = 10

const SPREADS = "Spreads by free memory, CPUs and disk, as Nova's defaults do. The soft policy of a server group has priority over this."
const spreading = novaWeighers.map((weigher) => (weigher.name.includes('Soft') ? { ...weigher, multiplier: SOFT_POLICY } : weigher))

/**
 * Filters and weighers that place an instance near volumes and ports: its own, and those in scheduler hints. They have an effect only if
 * other services report documents about volumes or ports.
 */
const nearFilters = ['VolumeAffinityFilter', 'PortAffinityFilter'].map((name) => ({ name, options: { onlyWhereTold: true } }))
const nearWeighers = ['VolumeAffinityWeigher', 'PortAffinityWeigher'].map((name) => ({ name, multiplier: SOFT_POLICY }))

const define = (name: string, note: string, parts: Partial<ProfileInput>): Profile =>
  profileSchema.parse({ name, number: 0, note, filters: novaFilters, weighers: [], ...parts })

const only = (name: string, options: Record<string, unknown> = {}) => [{ name, multiplier: 1, options: options as never }]

const COMPAT_NOTE =
  "Nova's own filters and weighers as Nova enables them by default, with Nova's scheduling algorithm and its peculiarities."
const compat: Partial<ProfileInput> = {
  compat: 'nova',
  filters: [
    'ComputeFilter',
    'ComputeCapabilitiesFilter',
    'ImagePropertiesFilter',
    'ServerGroupAntiAffinityFilter',
    'ServerGroupAffinityFilter',
  ].map((name) => ({ name })),
  weighers: [
    ...novaWeighers,
    { name: 'PCIWeigher', multiplier: 1 },
    { name: 'MetricsWeigher', multiplier: 1 },
    { name: 'BuildFailureWeigher', multiplier: 1_000_000 },
    { name: 'CrossCellWeigher', multiplier: 1_000_000 },
  ],
}

/**
 * The profiles that are part of the release, as defined at the newest feature level. Each is version 0 of its name. Operators add versions
 * 1, 2 and so on.
 */
export const builtInProfiles: readonly Profile[] = [
  define(
    'default',
    `${SPREADS} Hosts near the volumes and ports of the instance and its hints also come first, if services report their locations.`,
    {
      filters: [...novaFilters, ...nearFilters],
      weighers: [...spreading, ...nearWeighers],
    },
  ),
  define('nova', "Nova's filters and weighers with Nova's default multipliers. The metadata of aggregates can set other multipliers.", {
    weighers: novaWeighers.map((weigher) => ({ ...weigher, options: { aggregateMultiplier: true } })),
  }),
  define('nova-compat', COMPAT_NOTE, { ...compat, nova: { placement: {} } }),
  define('first-fit', 'The first host that fits, in the order in which hosts first reported, and its first NUMA cell that fits.', {}),
  define('ff-host-even-cell', 'The first host that fits, and its emptiest NUMA cell.', { assignment: { numa: { rule: 'emptiest' } } }),
  define('bf-host-even-cell', 'The fullest host, and its emptiest NUMA cell.', {
    weighers: only('FullnessWeigher'),
    normalisation: 'fixed',
    assignment: { numa: { rule: 'emptiest' } },
  }),
  define('balance-fit', 'The host with the most unevenly filled NUMA cells, and its emptiest cell.', {
    weighers: only('NUMAImbalanceWeigher'),
    normalisation: 'fixed',
    assignment: { numa: { rule: 'emptiest' } },
  }),
  define('best-fit', 'The fullest host, and its tightest NUMA cell.', {
    weighers: only('BestFitWeigher'),
    normalisation: 'fixed',
    assignment: { numa: { rule: 'tightest' } },
  }),
  define('dot-product', 'The host with the smallest product of free shares and requested shares.', {
    weighers: only('DotProductWeigher'),
    normalisation: 'fixed',
  }),
  define(
    'fgd',
    'The host and GPU that leave the most GPU capacity usable for typical requests. Your own version of the profile lists the typical requests.',
    {
      weighers: only('GpuFragmentationWeigher'),
      normalisation: 'fixed',
      assignment: { gpu: { rule: 'least-fragmentation' } },
    },
  ),
  define('gpu-packing', 'GPUs in use, then idle GPUs of hosts with other GPUs in use, then hosts with only idle GPUs.', {
    weighers: only('GpuPackingWeigher', {}),
    normalisation: 'fixed',
  }),
  define('gpu-clustering', 'The host whose claims use GPUs as the request does: a share of a GPU, one GPU, two GPUs, and so on.', {
    weighers: only('GpuClusteringWeigher', {}),
    normalisation: 'fixed',
  }),
  define(
    'default-solver',
    'Like default, but finds the best arrangement of all instances of a request, or of all claims of an evacuated host, together.',
    {
      filters: [...novaFilters, ...nearFilters],
      weighers: [...spreading, ...nearWeighers],
      scheduler: 'solver',
    },
  ),
  define('random', 'A random host that fits, drawn separately for each instance.', { scheduler: 'chance' }),
]

/** Older definitions of the release's profiles. A definition applies to feature levels below `until`. */
const formerProfiles: readonly { readonly until: number; readonly profile: Profile }[] = [
  { until: PLACEMENT_RULES, profile: define('nova-compat', COMPAT_NOTE, compat) },
  { until: OWN_AFFINITY, profile: define('default', SPREADS, { weighers: spreading }) },
]

/** The lowest feature level at which a profile of the release exists. Profiles that are not listed exist at every level. */
const since: ReadonlyMap<string, number> = new Map([['default-solver', SOLVER_PROFILE]])

/**
 * The profiles of the release at a feature level. Every release must define the same profiles for a level. Otherwise replay is not exact.
 */
export const builtInProfilesAt = (level: number): readonly Profile[] =>
  builtInProfiles
    .filter(({ name }) => level >= (since.get(name) ?? 0))
    .map((profile) => formerProfiles.find(({ until, profile: { name } }) => name === profile.name && level < until)?.profile ?? profile)
