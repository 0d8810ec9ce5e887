import { spawnSync } from 'node:child_process'

/** What a process holds in memory now, MB; undefined where `ps` does not tell. */
export function memoryMb(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  const kib = Number.parseInt(stdout ?? '', 10)
  return Number.isNaN(kib) ? undefined : kib / 1_000
}
