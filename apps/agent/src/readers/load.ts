import { type Source, Unreadable } from './source.ts'

/** The CPU times of all CPUs together since the machine started, in ticks. */
export interface CpuTimes {
  readonly total: number
  readonly idle: number
  readonly iowait: number
}

/** Reads the CPU times of all CPUs together. Throws Unreadable. */
export function readCpuTimes(source: Source): CpuTimes {
  const ticks = (/^cpu +(.+)$/m.exec(source.text('proc/stat'))?.[1] ?? '').split(' ').map(Number)
  const [user = 0, nice = 0, system = 0, idle, iowait = 0, irq = 0, softirq = 0, steal = 0] = ticks
  if (idle === undefined || ticks.some((tick) => !Number.isSafeInteger(tick)))
    throw new Unreadable('/proc/stat: it has no line with the times of all CPUs')
  // The times of guests are not added, because user and nice include them.
  return { total: user + nice + system + idle + iowait + irq + softirq + steal, idle, iowait }
}

/** Reads the load average of the last minute: how many programs ran or waited to run. Throws Unreadable. */
export function readLoad(source: Source): number {
  const found = /^(\d+(?:\.\d+)?) /.exec(source.text('proc/loadavg'))?.[1]
  if (found === undefined) throw new Unreadable('/proc/loadavg: it has no load')
  return Number(found)
}
