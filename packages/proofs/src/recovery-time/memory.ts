import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** What a process holds in memory now, MB; undefined where `ps` does not tell. */
export function memoryMb(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return toMb(stdout ?? '')
}

/** The most that a process ever held, MB; undefined where the system does not tell (it is Linux that does). */
export function peakMemoryMb(pid: number): number | undefined {
  try {
    return toMb(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '')
  } catch {
    return undefined
  }
}

function toMb(kib: string): number | undefined {
  const value = Number.parseInt(kib, 10)
  return Number.isNaN(value) ? undefined : value / 1_000
}
