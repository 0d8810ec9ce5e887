import type { Parsed, Problem } from '../text/problem.ts'
import { type HostStatsV1_0, hostStatsV1_0 } from './versions/v1-0.ts'
import { downgradeTo1_0, type HostStatsV1_1, hostStatsV1_1, upgradeFrom1_0 } from './versions/v1-1.ts'
import { downgradeTo1_1, type HostStatsV1_2, hostStatsV1_2, upgradeFrom1_1 } from './versions/v1-2.ts'
import { downgradeTo1_2, type HostStatsV1_3, hostStatsV1_3, upgradeFrom1_2 } from './versions/v1-3.ts'
import { downgradeTo1_3, type HostStatsV1_4, hostStatsV1_4, upgradeFrom1_3 } from './versions/v1-4.ts'

/**
 * A host's report in any published version. Logs, checkpoints and calls can contain reports of all versions. A report of version 1.0 has no
 * field `version`.
 */
export type PublishedStats = HostStatsV1_0 | HostStatsV1_1 | HostStatsV1_2 | HostStatsV1_3 | HostStatsV1_4

/** The schemas of all published versions, oldest first. */
export const statsSchemas = {
  '1.0': hostStatsV1_0,
  '1.1': hostStatsV1_1,
  '1.2': hostStatsV1_2,
  '1.3': hostStatsV1_3,
  '1.4': hostStatsV1_4,
} as const

export type StatsVersion = keyof typeof statsSchemas
export const statsVersions = Object.keys(statsSchemas) as readonly StatsVersion[]
export const isStatsVersion = (version: unknown): version is StatsVersion => statsVersions.some((published) => published === version)

/** The version of reports in memory. A report in a call without a version is also read as this version. */
export const CURRENT_STATS_VERSION = '1.4'
export const currentStatsSchema = statsSchemas[CURRENT_STATS_VERSION]

/** Converts a report of any published version to the current version. */
export function currentStats(document: PublishedStats): HostStatsV1_4 {
  if (!('version' in document)) return hasUnits(document) ? upgradeEach1_0(document) : upgradePlain1_0(document)
  switch (document.version) {
    case '1.1':
      return upgradeFrom1_3(upgradeFrom1_2(upgradeFrom1_1(document)))
    case '1.2':
      return upgradeFrom1_3(upgradeFrom1_2(document))
    case '1.3':
      return upgradeFrom1_3(document)
    case '1.4':
      return document
  }
}

/** Converts a report of 1.0 by the conversion of each version. */
export const upgradeEach1_0 = (stats: HostStatsV1_0): HostStatsV1_4 => upgradeFrom1_3(upgradeFrom1_2(upgradeFrom1_1(upgradeFrom1_0(stats))))

const hasUnits = ({ numaCells, gpus }: HostStatsV1_0): boolean => numaCells.length > 0 || gpus.length > 0

/** Shared by all reports, whose lists are never changed. */
const NONE: never[] = []
const unlessEmpty = <Item>(list: Item[]): Item[] => (list.length === 0 ? NONE : list)

/**
 * The result of `upgradeEach1_0` for a report without cells and GPUs, in a quarter of the time and with less memory. Most hosts of a
 * large fleet have such reports, and a replica that joins converts all of them.
 */
const upgradePlain1_0 = (stats: HostStatsV1_0): HostStatsV1_4 => ({
  vcpus: stats.vcpus,
  vcpusUsed: stats.vcpusUsed,
  memoryMb: stats.memoryMb,
  memoryMbUsed: stats.memoryMbUsed,
  localGb: stats.localGb,
  localGbUsed: stats.localGbUsed,
  freeDiskGb: stats.freeDiskGb,
  diskAvailableLeast: stats.diskAvailableLeast,
  cpuAllocationRatio: stats.cpuAllocationRatio,
  ramAllocationRatio: stats.ramAllocationRatio,
  diskAllocationRatio: stats.diskAllocationRatio,
  runningVms: stats.runningVms,
  numIoOps: stats.numIoOps,
  hypervisorType: stats.hypervisorType,
  hypervisorVersion: stats.hypervisorVersion,
  hypervisorHostname: stats.hypervisorHostname,
  hostIp: stats.hostIp,
  supportedInstances: unlessEmpty(stats.supportedInstances),
  cpuInfo: stats.cpuInfo,
  metrics: unlessEmpty(stats.metrics),
  numaCells: NONE,
  gpus: NONE,
  traits: unlessEmpty(stats.traits),
  inventories: unlessEmpty(stats.inventories),
  instances: stats.instances,
  version: '1.4',
  tunneledCells: NONE,
  pciPools: NONE,
  nova: null,
  omitted: NONE,
  machineId: null,
})

export const statsVersionOf = (document: PublishedStats): StatsVersion => ('version' in document ? document.version : '1.0')

/** Converts a report to the version `version`, or returns a problem for each field that this version cannot express. */
export function statsIn(version: StatsVersion, stats: HostStatsV1_4): Parsed<PublishedStats> {
  if (version === '1.4') return { ok: true, value: stats }
  const to1_3 = downgradeTo1_3(stats, version)
  const older: Parsed<PublishedStats> = version === '1.3' ? { ok: true, value: to1_3.stats } : olderThan1_3(version, to1_3.stats)
  return to1_3.problems.length === 0 ? older : { ok: false, problems: [...to1_3.problems, ...(older.ok ? [] : older.problems)] }
}

function olderThan1_3(version: '1.0' | '1.1' | '1.2', stats: HostStatsV1_3): Parsed<PublishedStats> {
  const to1_2 = downgradeTo1_2(stats, version)
  const to1_1 = downgradeTo1_1(to1_2.stats, version)
  const [older, problems]: [Parsed<PublishedStats>, readonly Problem[]] =
    version === '1.2'
      ? [{ ok: true, value: to1_2.stats }, to1_2.problems]
      : [version === '1.1' ? { ok: true, value: to1_1.stats } : downgradeTo1_0(to1_1.stats), [...to1_2.problems, ...to1_1.problems]]
  return problems.length === 0 ? older : { ok: false, problems: [...problems, ...(older.ok ? [] : older.problems)] }
}

/**
 * Converts a report to the oldest version that can express all of it. Reports are written in this version, because older replicas can then
 * read them.
 */
export function publishedStats(stats: HostStatsV1_4): PublishedStats {
  const version = oldestVersionFor(stats)
  if (version === '1.0') return downgradeAtOnce(stats)
  const parsed = statsIn(version, stats)
  return parsed.ok ? parsed.value : stats
}

/** The oldest version in which `statsIn` can express a report. */
function oldestVersionFor({ gpus, nova, machineId, omitted, tunneledCells, pciPools, numaCells }: HostStatsV1_4): StatsVersion {
  if (gpus.some(({ numaNode }) => numaNode !== null)) return '1.4'
  if (nova !== null && (nova.openRatios.length > 0 || nova.openReserves.length > 0)) return '1.4'
  if (machineId !== null) return '1.3'
  if (omitted.length > 0) return '1.2'
  const isOldest = nova === null && tunneledCells.length === 0 && pciPools.length === 0 && numaCells.every(isCellOf1_0)
  return isOldest ? '1.0' : '1.1'
}

const isCellOf1_0 = ({ siblings, pages, dedicatedCpuset, socket, physicalNetworks }: HostStatsV1_4['numaCells'][number]): boolean =>
  siblings.length === 0 && pages.length === 0 && dedicatedCpuset === null && socket === null && physicalNetworks.length === 0

/** Converts a report that 1.0 can express to 1.0. The result equals that of the steps from version to version. */
function downgradeAtOnce(stats: HostStatsV1_4): HostStatsV1_0 {
  return {
    vcpus: stats.vcpus,
    vcpusUsed: stats.vcpusUsed,
    memoryMb: stats.memoryMb,
    memoryMbUsed: stats.memoryMbUsed,
    localGb: stats.localGb,
    localGbUsed: stats.localGbUsed,
    freeDiskGb: stats.freeDiskGb,
    diskAvailableLeast: stats.diskAvailableLeast,
    cpuAllocationRatio: stats.cpuAllocationRatio,
    ramAllocationRatio: stats.ramAllocationRatio,
    diskAllocationRatio: stats.diskAllocationRatio,
    runningVms: stats.runningVms,
    numIoOps: stats.numIoOps,
    hypervisorType: stats.hypervisorType,
    hypervisorVersion: stats.hypervisorVersion,
    hypervisorHostname: stats.hypervisorHostname,
    hostIp: stats.hostIp,
    supportedInstances: stats.supportedInstances,
    cpuInfo: stats.cpuInfo,
    metrics: stats.metrics,
    gpus: stats.gpus.map(({ numaNode, ...device }) => device),
    traits: stats.traits,
    inventories: stats.inventories,
    instances: stats.instances,
    numaCells: stats.numaCells.map(({ siblings, pages, dedicatedCpuset, socket, physicalNetworks, ...cell }) => cell),
  }
}
