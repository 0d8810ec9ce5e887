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

/** The weighers of this release that correspond to Nova's, with Nova's default multipliers. */
const novaWeighers = [
  { name: 'RAMWeigher', multiplier: 1 },
  { name: 'CPUWeigher', multiplier: 1 },
  { name: 'DiskWeigher', multiplier: 1 },
  { name: 'IoOpsWeigher', multiplier: -1 },
  { name: 'ServerGroupSoftAffinityWeigher', multiplier: 1 },
  { name: 'ServerGroupSoftAntiAffinityWeigher', multiplier: 1 },
]

/**
 * The multiplier for a requested soft policy. It outweighs all other weighers together, which reach 3. With Nova's multiplier of 1 it
 * would not outweigh the I/O operations of a first member.
 */
const SOFT_POLICY = 10

const SPREADS = "Spreads by free memory, CPUs and disk, as Nova's defaults do; a group's soft policy comes before that."
const spreading = novaWeighers.map((weigher) => (weigher.name.includes('Soft') ? { ...weigher, multiplier: SOFT_POLICY } : weigher))

/**
 * Filters and weighers that prefer hosts near volumes and ports, which hints name or the instance has. They have an effect only in fleets
 * with documents about volumes or ports.
 */
const nearFilters = ['VolumeAffinityFilter', 'PortAffinityFilter'].map((name) => ({ name, options: { onlyWhereTold: true } }))
const nearWeighers = ['VolumeAffinityWeigher', 'PortAffinityWeigher'].map((name) => ({ name, multiplier: SOFT_POLICY }))

const define = (name: string, note: string, parts: Partial<ProfileInput>): Profile =>
  profileSchema.parse({ name, number: 0, note, filters: novaFilters, weighers: [], ...parts })

const only = (name: string, options: Record<string, unknown> = {}) => [{ name, multiplier: 1, options: options as never }]

const COMPAT_NOTE = "Nova's own filters and weighers as it enables them by default, in its rounds, with its surprises."
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
 * The profiles of the release, which are number 0 of their names, as the newest feature level defines them. They consist of general
 * filters and weighers. Sites write further versions.
 */
export const builtInProfiles: readonly Profile[] = [
  define('default', `${SPREADS} Hosts near the volumes and ports that are named come first too, where documents report their locations.`, {
    filters: [...novaFilters, ...nearFilters],
    weighers: [...spreading, ...nearWeighers],
  }),
  define('nova', "Nova's filters and weighers with their default multipliers; aggregates may say other ones.", {
    weighers: novaWeighers.map((weigher) => ({ ...weigher, options: { aggregateMultiplier: true } })),
  }),
  define('nova-compat', COMPAT_NOTE, { ...compat, nova: { placement: {} } }),
  define('first-fit', 'The first host, in order of first sight, that fits, and its first cell that fits.', {}),
  define('ff-host-even-cell', 'The first host that fits, and its emptiest NUMA cell.', { assignment: { numa: { rule: 'emptiest' } } }),
  define('bf-host-even-cell', 'The fullest host, and its emptiest NUMA cell.', {
    weighers: only('FullnessWeigher'),
    normalisation: 'fixed',
    assignment: { numa: { rule: 'emptiest' } },
  }),
  define('balance-fit', 'The host whose NUMA cells are filled most unevenly, and its emptiest cell.', {
    weighers: only('NUMAImbalanceWeigher'),
    normalisation: 'fixed',
    assignment: { numa: { rule: 'emptiest' } },
  }),
  define('best-fit', 'The fullest host, and its tightest NUMA cell.', {
    weighers: only('BestFitWeigher'),
    normalisation: 'fixed',
    assignment: { numa: { rule: 'tightest' } },
  }),
  define('dot-product', 'The host whose free room lines up least with the request.', {
    weighers: only('DotProductWeigher'),
    normalisation: 'fixed',
  }),
  define('fgd', 'The host and GPU that leave the most GPU capacity usable for typical requests; a version of your own names them.', {
    weighers: only('GpuFragmentationWeigher'),
    normalisation: 'fixed',
    assignment: { gpu: { rule: 'least-fragmentation' } },
  }),
  define('gpu-packing', 'GPUs in use before idle GPUs of a used host before idle hosts.', {
    weighers: only('GpuPackingWeigher', {}),
    normalisation: 'fixed',
  }),
  define('gpu-clustering', 'Hosts that hold GPU requests of the same kind come first.', {
    weighers: only('GpuClusteringWeigher', {}),
    normalisation: 'fixed',
  }),
  define(
    'default-solver',
    'As default, for the best arrangement of all instances of a request, or of all claims of a host that is evacuated, together.',
    {
      filters: [...novaFilters, ...nearFilters],
      weighers: [...spreading, ...nearWeighers],
      scheduler: 'solver',
    },
  ),
  define('random', 'Any host that fits, drawn anew for every instance.', { scheduler: 'chance' }),
]

/** Earlier definitions of profiles of the release. `until` is the level that gave the profile its present definition. */
const formerProfiles: readonly { readonly until: number; readonly profile: Profile }[] = [
  { until: PLACEMENT_RULES, profile: define('nova-compat', COMPAT_NOTE, compat) },
  { until: OWN_AFFINITY, profile: define('default', SPREADS, { weighers: spreading }) },
]

/** The feature level from which the release has a profile. Profiles that are not listed exist at every level. */
const since: ReadonlyMap<string, number> = new Map([['default-solver', SOLVER_PROFILE]])

/** The profiles of the release at a feature level. A log that another release replays must have the same profiles at the same level. */
export const builtInProfilesAt = (level: number): readonly Profile[] =>
  builtInProfiles
    .filter(({ name }) => level >= (since.get(name) ?? 0))
    .map((profile) => formerProfiles.find(({ until, profile: { name } }) => name === profile.name && level < until)?.profile ?? profile)
