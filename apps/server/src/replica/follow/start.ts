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
  if (checkpoint === 0 && entries === 0) return 'Fleet: empty, because the log has no entries yet.'
  const applied = `${entries} ${checkpoint === 0 ? '' : 'later '}${entries === 1 ? 'entry' : 'entries'} of the log applied in ${secondsOf(entriesMs)}`
  return checkpoint === 0
    ? `Fleet: ${applied}.`
    : `Fleet: checkpoint at revision ${checkpoint} loaded in ${secondsOf(checkpointMs)}, ${applied}.`
}

const secondsOf = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`
