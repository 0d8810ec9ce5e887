/** The name of a filter that every claim has to pass, where a filter of Nova's has the same name. */
export const claimFilterName = (filter: string): string => `${filter} (claim)`
