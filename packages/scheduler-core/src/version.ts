/** Release of the core, in every decision record: replaying a decision needs the code that made it. */
export const CORE_VERSION = '0.1.0'
