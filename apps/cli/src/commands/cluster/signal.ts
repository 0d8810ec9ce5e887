/** Sends a signal to each of these processes that still exists. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch (error) {
      // The process can have ended after its id was read.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}
