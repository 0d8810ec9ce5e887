/** Sends a signal to those of these processes that still exist. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch (error) {
      // A process may have ended since its number was read.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}
