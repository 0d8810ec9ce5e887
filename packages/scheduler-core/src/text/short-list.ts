const MAX_LISTED = 5

/** Writes a list for a sentence: the first five items, and how many more there are. */
export const shortList = (items: readonly string[]): string =>
  items.length <= MAX_LISTED ? items.join(', ') : `${items.slice(0, MAX_LISTED).join(', ')} and ${items.length - MAX_LISTED} more`
