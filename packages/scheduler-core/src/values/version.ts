/**
 * The version of the decision rules. Every decision record contains it, because a replay needs the rules that made the decision. It is not
 * the version of the package. Change it only if the rules of an existing feature level change, not if a new feature level is added.
 */
export const CORE_VERSION = '0.1.0'
