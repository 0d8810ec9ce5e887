import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The process ids of the PostgreSQL server of a state directory. Empty if none is running. */
export function serverProcesses(stateDir: string): number[] {
  const postmaster = postmasterOf(stateDir)
  if (postmaster === undefined) return []
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const children = stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === postmaster)
    .map(([pid]) => pid as number)
  return [postmaster, ...children]
}

function postmasterOf(stateDir: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(path.join(stateDir, 'data', 'postmaster.pid'), 'utf8'), 10)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
