/**
 * A message about a setting in the file. The kinds are: lost, for a filter, weigher, driver or option that cannot be mapped; refused, for a
 * value that Nova would refuse or that is out of range here; idle, for a setting that has no effect in this service or in the release;
 * note, for a setting that is in the profile but needs a remark.
 */
export interface Finding {
  readonly kind: 'lost' | 'refused' | 'idle' | 'note'
  /** The line in the file. Null if the finding is about a default of Nova that the file does not set. */
  readonly line: number | null
  /** The option as `[section] name`, or the name of the filter or weigher. */
  readonly subject: string
  readonly message: string
}
