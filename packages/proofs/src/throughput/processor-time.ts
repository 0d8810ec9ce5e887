import { readFileSync } from 'node:fs'

/** Linux counts the processor time of processes in hundredths of a second. */
const MS_PER_TICK = 10

/**
 * The processor time that processes have used since they started, in milliseconds. Undefined where /proc does not exist. A process that has
 * ended counts as 0.
 */
export function processorMs(pids: readonly number[]): number | undefined {
  let sum = 0
  for (const pid of pids) {
    const stat = statOf(pid)
    if (stat === undefined) continue
    // The name of the program in parentheses can contain blanks. The 12th and 13th field after it are the times of user and system.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    sum += (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
  }
  return statOf(process.pid) === undefined ? undefined : sum
}

function statOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}
