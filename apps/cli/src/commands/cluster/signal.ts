/** Sends a signal to each of these processes that is still there. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch (error) {
      // a session's process may have ended since
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}
