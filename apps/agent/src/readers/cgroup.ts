import { parseList, reading, type Source, valueIn } from './source.ts'

/** The limits of control groups (cgroups). A limit is undefined if no group sets it. */
export interface GroupLimits {
  /** The smallest CPU set or CPU time in whole CPUs, rounded down, at least 1. */
  readonly cpus: number | undefined
  readonly memoryKib: number | undefined
}

const MOUNT = 'sys/fs/cgroup'

/** Reads the smallest limits of the agent's control group and all groups above it, in version 2 and version 1 of control groups. */
export function readGroupLimits(source: Source): GroupLimits {
  const groups = valueIn(reading(() => source.text('proc/self/cgroup'))) ?? ''
  const pathIn = (controller: string): string =>
    new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(/.*)$`, 'm').exec(groups)?.[1] ?? '/'
  const unified = /^0::(\/.*)$/m.exec(groups)?.[1] ?? '/'
  const cpus = [
    ...upwards(unified).map((group) => cpusIn(source, `${MOUNT}${group}/cpuset.cpus.effective`)),
    ...upwards(pathIn('cpuset')).map((group) => cpusIn(source, `${MOUNT}/cpuset${group}/cpuset.effective_cpus`)),
    ...upwards(unified).map((group) => quotaOf(source, `${MOUNT}${group}/cpu.max`)),
    ...upwards(pathIn('cpu')).map((group) => oldQuotaOf(source, `${MOUNT}/cpu${group}`)),
  ]
  const bytes = [
    ...upwards(unified).map((group) => amountIn(source, `${MOUNT}${group}/memory.max`)),
    ...upwards(pathIn('memory')).map((group) => amountIn(source, `${MOUNT}/memory${group}/memory.limit_in_bytes`)),
  ]
  const cpuTime = least(cpus)
  const memory = least(bytes)
  return {
    cpus: cpuTime === undefined ? undefined : Math.max(1, Math.floor(cpuTime)),
    memoryKib: memory === undefined ? undefined : Math.floor(memory / 1_024),
  }
}

/**
 * The paths of a group and of all groups above it: /a/b, /a, and '' for the root. In a container, the root is the group of the container.
 */
function upwards(group: string): readonly string[] {
  const parts = group.split('/').filter((part) => part !== '')
  return [...parts.map((_, i) => `/${parts.slice(0, parts.length - i).join('/')}`), '']
}

/** Reads a CPU limit such as "200000 100000", which means 200000 µs of CPU time in each 100000 µs: 2 CPUs. Undefined without a limit. */
function quotaOf(source: Source, file: string): number | undefined {
  const [, quota, period] = /^(\d+) (\d+)$/.exec(valueIn(reading(() => source.text(file))) ?? '') ?? []
  return quota === undefined || Number(period) === 0 ? undefined : Number(quota) / Number(period)
}

function oldQuotaOf(source: Source, folder: string): number | undefined {
  const quota = valueIn(reading(() => source.number(`${folder}/cpu.cfs_quota_us`)))
  const period = valueIn(reading(() => source.number(`${folder}/cpu.cfs_period_us`)))
  return quota === undefined || quota <= 0 || period === undefined || period === 0 ? undefined : quota / period
}

/** Counts the CPUs that a group may use, as a file lists them. Undefined if the list is empty or cannot be read. */
function cpusIn(source: Source, file: string): number | undefined {
  const cpus = valueIn(reading(() => parseList(file, source.text(file)))) ?? []
  return cpus.length === 0 ? undefined : cpus.length
}

/** Reads a limit in bytes. Undefined if there is no limit. In version 1, a value of 2^60 bytes or more means that there is no limit. */
function amountIn(source: Source, file: string): number | undefined {
  const text = valueIn(reading(() => source.text(file))) ?? ''
  return /^\d+$/.test(text) && Number(text) < 2 ** 60 ? Number(text) : undefined
}

const least = (amounts: readonly (number | undefined)[]): number | undefined => {
  const known = amounts.filter((amount) => amount !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
