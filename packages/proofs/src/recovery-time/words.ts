/** The figures that a service logs about its start. */
export interface ReportedStart {
  readonly checkpointSeconds: number
  readonly entries: number
  readonly entriesSeconds: number
}

const START = /^Fleet: (?:no checkpoint|the checkpoint at revision \d+ in ([\d.]+) s), and (\d+) entries after it in ([\d.]+) s\.$/

/** Finds the figures of a start in the service's output. Undefined if no line contains them. */
export function findStart(lines: readonly string[]): ReportedStart | undefined {
  for (const line of lines) {
    const found = START.exec(line)
    if (found === null) continue
    const [, checkpoint = '0', entries, seconds] = found
    return { checkpointSeconds: Number(checkpoint), entries: Number(entries), entriesSeconds: Number(seconds) }
  }
  return undefined
}
