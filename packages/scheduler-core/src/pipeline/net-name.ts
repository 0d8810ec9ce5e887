/** What a filter that every claim has to keep is called beside Nova's of the same name. */
export const netName = (filter: string): string => `${filter} (claim)`
