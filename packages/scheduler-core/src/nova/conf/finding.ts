/**
 * What became of something in the file that is not in the profile as it stands there. lost: a filter, weigher or driver that
 * cannot be mapped; refused: a value that Nova would refuse, or that is out of range here; idle: it has no meaning here, or
 * none in the release; note: it is in the profile, and yet there is something to know.
 */
export interface Finding {
  readonly kind: 'lost' | 'refused' | 'idle' | 'note'
  /** Null: not a line of the file, but what Nova does by default. */
  readonly line: number | null
  /** The option, `[section] name`, or the filter or weigher. */
  readonly subject: string
  readonly message: string
}
