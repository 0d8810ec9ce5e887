/**
 * The known releases of Nova, by number. Nova numbered releases by year before release 12 (liberty). This table gives juno and kilo the
 * numbers 10 and 11.
 */
const names = {
  10: 'juno',
  11: 'kilo',
  12: 'liberty',
  13: 'mitaka',
  14: 'newton',
  15: 'ocata',
  16: 'pike',
  17: 'queens',
  18: 'rocky',
  19: 'stein',
  20: 'train',
  21: 'ussuri',
  22: 'victoria',
  23: 'wallaby',
  24: 'xena',
  25: 'yoga',
  26: 'zed',
  27: '2023.1',
  28: '2023.2',
  29: '2024.1',
  30: '2024.2',
  31: '2025.1',
  32: '2025.2',
  33: '2026.1',
} as const

export const OLDEST = 10
export const NEWEST = 33
/** The release that is assumed by default. The tests compare this service's rules with results that were recorded from this release. */
export const USUAL = 26

/** The names of all releases by number, oldest first. */
export const releaseNames: ReadonlyMap<number, string> = new Map(Object.entries(names).map(([number, name]) => [Number(number), name]))

export const releaseName = (release: number): string => releaseNames.get(release) ?? String(release)

/** Finds a release by its name or, from release 12 on, by its number. */
export function findRelease(text: string): number | undefined {
  for (const [number, name] of releaseNames) if (name === text.toLowerCase() || (number >= 12 && String(number) === text)) return number
  return undefined
}

/** A range of releases, from `since` to `until` inclusive. */
export interface Lifespan {
  readonly since: number
  readonly until: number
}

export const always: Lifespan = { since: OLDEST, until: NEWEST }

export const isIn = (release: number, { since, until }: Lifespan): boolean => release >= since && release <= until

/** Formats a range of releases, such as `juno to stein` or `2023.2 and later`. */
export function lifespanText({ since, until }: Lifespan): string {
  if (until === NEWEST) return since === OLDEST ? 'all releases' : `${releaseName(since)} and later`
  return since === until ? releaseName(since) : `${releaseName(since)} to ${releaseName(until)}`
}

const until = (release: number): Lifespan => ({ since: OLDEST, until: release })
const since = (release: number): Lifespan => ({ since: release, until: NEWEST })

/** For each filter or weigher that some releases do not have: the releases that have it. */
const lifespans: Readonly<Record<string, Lifespan>> = {
  GroupAffinityFilter: until(10),
  GroupAntiAffinityFilter: until(10),
  TrustedFilter: until(16),
  TypeAffinityFilter: until(16),
  ExactCoreFilter: until(17),
  ExactDiskFilter: until(17),
  ExactRamFilter: until(17),
  CoreFilter: until(19),
  DiskFilter: until(19),
  RamFilter: until(19),
  AggregateCoreFilter: until(21),
  AggregateDiskFilter: until(21),
  AggregateRamFilter: until(21),
  RetryFilter: until(21),
  AvailabilityZoneFilter: until(27),
  IoOpsWeigher: since(11),
  DiskWeigher: since(13),
  ServerGroupSoftAffinityWeigher: since(13),
  ServerGroupSoftAntiAffinityWeigher: since(13),
  PCIWeigher: since(16),
  BuildFailureWeigher: since(18),
  CPUWeigher: since(18),
  CrossCellWeigher: since(21),
  HypervisorVersionWeigher: since(28),
  NumInstancesWeigher: since(28),
  ImagePropertiesWeigher: since(31),
}

export const lifespanOf = (part: string): Lifespan => lifespans[part] ?? always

const common = ['ComputeFilter', 'ComputeCapabilitiesFilter', 'ImagePropertiesFilter']
const groups = ['ServerGroupAntiAffinityFilter', 'ServerGroupAffinityFilter']

/** The filters that a release enables by default. */
export function defaultFilters(release: number): readonly string[] {
  if (release <= 11) return ['RetryFilter', 'AvailabilityZoneFilter', 'RamFilter', ...common, ...groups]
  if (release <= 15) return ['RetryFilter', 'AvailabilityZoneFilter', 'RamFilter', 'DiskFilter', ...common, ...groups]
  if (release <= 19) return ['RetryFilter', 'AvailabilityZoneFilter', ...common, ...groups]
  return release <= 23 ? ['AvailabilityZoneFilter', ...common, ...groups] : [...common, ...groups]
}

/** The filters that the bare-metal scheduler, which exists up to queens, enables by default. */
export const bareMetalFilters: readonly string[] = [
  'RetryFilter',
  'AvailabilityZoneFilter',
  ...common,
  'ExactRamFilter',
  'ExactDiskFilter',
  'ExactCoreFilter',
]
