import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The resident memory of a process in MB. Undefined if `ps` does not report it. */
export function memoryMb(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return toMb(stdout ?? '')
}

/** The peak memory of a process in MB. Undefined if the system does not report it. Linux does. */
export function peakMemoryMb(pid: number): number | undefined {
  try {
    return toMb(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '')
  } catch {
    return undefined
  }
}

/** Converts KiB, in which the system reports memory, to MB of a million bytes. */
export function toMb(kib: string): number | undefined {
  const value = Number.parseInt(kib, 10)
  return Number.isNaN(value) ? undefined : (value * 1_024) / 1_000_000
}
