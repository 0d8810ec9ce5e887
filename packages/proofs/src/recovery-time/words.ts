/** The figures that a service logs about its start. */
export interface ReportedStart {
  readonly checkpointSeconds: number
  readonly entries: number
  readonly entriesSeconds: number
}

const EMPTY = /^Fleet: empty/
const START =
  /^Fleet: (?:checkpoint at revision \d+ loaded in ([\d.]+) s, )?(\d+) (?:later )?(?:entry|entries) of the log applied in ([\d.]+) s\.$/

/** Finds the figures of a start in the service's output. Undefined if no line contains them. */
export function findStart(lines: readonly string[]): ReportedStart | undefined {
  for (const line of lines) {
    if (EMPTY.test(line)) return { checkpointSeconds: 0, entries: 0, entriesSeconds: 0 }
    const found = START.exec(line)
    if (found === null) continue
    const [, checkpoint = '0', entries, seconds] = found
    return { checkpointSeconds: Number(checkpoint), entries: Number(entries), entriesSeconds: Number(seconds) }
  }
  return undefined
}
