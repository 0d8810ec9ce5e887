/** The rule for JSON values of the API. The tests of the agent check that the agent sends only such values. */
export { isSafeJson } from '../schema/types/safe-json.ts'
