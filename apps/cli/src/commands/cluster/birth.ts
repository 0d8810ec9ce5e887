import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

/**
 * A text that distinguishes a process from any later process with the same id: its start time, and on Linux also the boot id of the
 * machine. Undefined if no process with this id runs.
 */
export function birthOf(pid: number): string | undefined {
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-p', String(pid), '-o', 'lstart='], { encoding: 'utf8' }).stdout?.trim() || undefined
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, the name, may contain anything and ends with the last bracket. The third field is the state, and the twenty-second
    // is the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const hasEnded = fields[0] === 'Z' || fields[0] === 'X'
    return hasEnded ? undefined : `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}
