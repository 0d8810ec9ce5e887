/**
 * Every decision record has this version of the decision rules, because a replay needs the rules that made the decision. It is not the
 * version of the package. It changes only if the rules of an existing feature level change, not if a new feature level is added.
 */
export const CORE_VERSION = '0.1.0'
