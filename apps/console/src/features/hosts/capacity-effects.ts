/** What an edit of a host's capacity would do, in sentences: what the service warns of, or that nothing is lost. */
export const capacityEffects = (warnings: readonly string[]): readonly string[] =>
  warnings.length === 0 ? ['As much of every resource class stays free.'] : warnings
