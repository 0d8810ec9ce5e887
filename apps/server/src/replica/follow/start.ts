/** The state with which a replica started, and how long loading it took in milliseconds. */
export interface StartFigures {
  /** The revision of the loaded checkpoint; 0 if there was none. */
  readonly checkpoint: number
  readonly checkpointMs: number
  /** How many entries after the checkpoint were read and applied. */
  readonly entries: number
  readonly entriesMs: number
}

/** Describes the start in words, for operators. */
export function startText({ checkpoint, checkpointMs, entries, entriesMs }: StartFigures): string {
  const from = checkpoint === 0 ? 'no checkpoint' : `the checkpoint at revision ${checkpoint} in ${secondsOf(checkpointMs)}`
  return `Fleet: ${from}, and ${entries} entries after it in ${secondsOf(entriesMs)}.`
}

const secondsOf = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`
