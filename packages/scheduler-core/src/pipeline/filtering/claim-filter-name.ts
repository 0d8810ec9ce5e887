/** The name of a filter that checks claims in a profile where a filter of Nova has the same name. */
export const claimFilterName = (filter: string): string => `${filter} (claim)`
