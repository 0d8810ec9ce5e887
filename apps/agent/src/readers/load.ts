import { type Source, Unreadable } from './source.ts'

/** The times of all CPUs together since the machine started, in ticks. */
export interface CpuTimes {
  readonly total: number
  readonly idle: number
  readonly iowait: number
}

/** Reads the times of all CPUs. Throws Unreadable. */
export function readCpuTimes(source: Source): CpuTimes {
  const ticks = (/^cpu +(.+)$/m.exec(source.text('proc/stat'))?.[1] ?? '').split(' ').map(Number)
  const [user = 0, nice = 0, system = 0, idle, iowait = 0, irq = 0, softirq = 0, steal = 0] = ticks
  if (idle === undefined || ticks.some((tick) => !Number.isSafeInteger(tick)))
    throw new Unreadable('/proc/stat: it has no times of all CPUs')
  // user and nice already include the time of guests.
  return { total: user + nice + system + idle + iowait + irq + softirq + steal, idle, iowait }
}

/** How many programs ran or waited to run in the last minute, on average. Throws Unreadable. */
export function readLoad(source: Source): number {
  const found = /^(\d+(?:\.\d+)?) /.exec(source.text('proc/loadavg'))?.[1]
  if (found === undefined) throw new Unreadable('/proc/loadavg: it has no load')
  return Number(found)
}
