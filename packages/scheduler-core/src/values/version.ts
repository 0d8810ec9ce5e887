/**
 * Identifies the decision rules, in every decision record: a replay needs the code that made the decision. It is not a version of the
 * package: rules of a new feature level are added to the older ones, so it only changes when the same level decides differently.
 */
export const CORE_VERSION = '0.1.0'
