const MOST = 5

/** A list in a sentence: the first five items, and the number of others. */
export const shortList = (items: readonly string[]): string =>
  items.length <= MOST ? items.join(', ') : `${items.slice(0, MOST).join(', ')} and ${items.length - MOST} more`
