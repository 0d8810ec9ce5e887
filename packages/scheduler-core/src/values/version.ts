/**
 * Every decision record has this version of the decision rules, because a replay needs the rules that made the decision. The constant is
 * not the version of the package. It must be changed only if the rules of an existing feature level change, not if a new feature level is
 * added.
 */
export const CORE_VERSION = '0.1.0'
