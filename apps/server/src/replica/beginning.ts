/** What a replica began with, and how long that took: milliseconds. */
export interface Beginning {
  /** Revision of the checkpoint that was loaded; 0 where there was none. */
  readonly checkpoint: number
  readonly checkpointMs: number
  /** How many entries behind it were read and applied. */
  readonly entries: number
  readonly entriesMs: number
}

/** In words, for operators. */
export function beginningText({ checkpoint, checkpointMs, entries, entriesMs }: Beginning): string {
  const from = checkpoint === 0 ? 'no checkpoint' : `the checkpoint at revision ${checkpoint} in ${secondsOf(checkpointMs)}`
  return `Fleet: ${from}, and ${entries} entries behind it in ${secondsOf(entriesMs)}.`
}

const secondsOf = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`
