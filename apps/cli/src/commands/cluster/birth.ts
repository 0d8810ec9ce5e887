import { spawnSync } from 'node:child_process'
import fs from 'node:fs'

/**
 * What distinguishes a process from every other one with the same number: when it was started, and since which start of the machine
 * that counts. Undefined where no such process runs (any more).
 */
export function birthOf(pid: number): string | undefined {
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-p', String(pid), '-o', 'lstart='], { encoding: 'utf8' }).stdout?.trim() || undefined
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // the second field, the name, may hold anything but ends with the last bracket; state is the third, the start the twenty-second
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const hasEnded = fields[0] === 'Z' || fields[0] === 'X'
    return hasEnded ? undefined : `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}
