/** What a service says at its start of what it began with. */
export interface SaidBeginning {
  readonly checkpointSeconds: number
  readonly entries: number
  readonly entriesSeconds: number
}

const BEGINNING = /^Fleet: (?:no checkpoint|the checkpoint at revision \d+ in ([\d.]+) s), and (\d+) entries behind it in ([\d.]+) s\.$/

/** Undefined where none of the lines says so. */
export function findBeginning(lines: readonly string[]): SaidBeginning | undefined {
  for (const line of lines) {
    const found = BEGINNING.exec(line)
    if (found === null) continue
    const [, checkpoint = '0', entries, seconds] = found
    return { checkpointSeconds: Number(checkpoint), entries: Number(entries), entriesSeconds: Number(seconds) }
  }
  return undefined
}
