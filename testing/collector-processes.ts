import { readdirSync, readFileSync } from 'node:fs'

/** The processes of collectors that were started by agents in this process and are still running. A test must leave none. */
export const collectorProcesses = (): readonly number[] =>
  readdirSync('/proc').flatMap((name) => {
    const [, agent] = /(?:^|\0)GANTT_COLLECTOR_RUN=\d+\.(\d+)\./.exec(/^\d+$/.test(name) ? environmentOf(name) : '') ?? []
    return agent === String(process.pid) ? [Number(name)] : []
  })

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    // the process has ended meanwhile, or belongs to another user
    return ''
  }
}
