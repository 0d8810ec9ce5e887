import { compareExtraSpec } from '../text/extra-spec-operators.ts'

/** Nova's extra spec operators. Values that cannot be compared, such as a word with a number, do not match. */
export const extraSpecMatches = (value: string, requirement: string): boolean => compareExtraSpec(value, requirement) === true
