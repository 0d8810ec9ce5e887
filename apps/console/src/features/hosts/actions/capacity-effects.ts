/** The effects of an edit of a host's capacity, as sentences: the warnings of the service, or a sentence that there are none. */
export const capacityEffects = (warnings: readonly string[]): readonly string[] =>
  warnings.length === 0 ? ['The free amounts do not change.'] : warnings
