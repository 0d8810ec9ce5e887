/**
 * The name of a filter that checks claims, in a profile with `compat: nova`. The suffix is needed because one of Nova's filters can have
 * the same name.
 */
export const claimFilterName = (filter: string): string => `${filter} (claim)`
