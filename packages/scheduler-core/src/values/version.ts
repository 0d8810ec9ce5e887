/**
 * Identifies the decision rules in every decision record, since a replay needs the code that made the decision. It is not the version of
 * the package. Rules of a new feature level are added to the older ones, so it only changes if the same level decides differently.
 */
export const CORE_VERSION = '0.1.0'
