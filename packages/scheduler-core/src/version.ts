/**
 * Names the rules that decide, in every decision record: replaying a decision needs the code that made it. It is no version of the package:
 * rules that come with a feature level stand beside those before it, so it changes only where the same level decides otherwise.
 */
export const CORE_VERSION = '0.1.0'
