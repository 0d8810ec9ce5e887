const MOST = 5

/** Writes a list for a sentence: the first five items, and how many more there are. */
export const shortList = (items: readonly string[]): string =>
  items.length <= MOST ? items.join(', ') : `${items.slice(0, MOST).join(', ')} and ${items.length - MOST} more`
