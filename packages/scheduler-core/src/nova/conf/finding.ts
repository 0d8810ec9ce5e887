/**
 * A part of the file that is not in the profile unchanged. lost: a filter, weigher or driver that cannot be mapped. refused: a value that
 * Nova would refuse, or that is out of range in this service. idle: a setting that has no meaning in this service or in the release. note:
 * the setting is in the profile, and the user should know something about it.
 */
export interface Finding {
  readonly kind: 'lost' | 'refused' | 'idle' | 'note'
  /** Null if the finding is about a default of Nova rather than a line of the file. */
  readonly line: number | null
  /** The option as `[section] name`, or the name of the filter or weigher. */
  readonly subject: string
  readonly message: string
}
