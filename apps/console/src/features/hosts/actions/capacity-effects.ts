/**
 * The effects of an edit of a host's capacity, as sentences: the warnings of the service, or, without warnings, a sentence that the free
 * amounts do not change.
 */
export const capacityEffects = (warnings: readonly string[]): readonly string[] =>
  warnings.length === 0 ? ['The free amounts do not change.'] : warnings
