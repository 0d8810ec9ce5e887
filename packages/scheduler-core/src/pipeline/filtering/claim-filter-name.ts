/** The name of a filter that checks claims in a profile with `compat: nova`, where one of Nova's filters may have the same name. */
export const claimFilterName = (filter: string): string => `${filter} (claim)`
