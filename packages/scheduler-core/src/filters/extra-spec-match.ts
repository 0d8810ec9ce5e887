import { compareExtraSpec } from '../text/extra-spec-operators.ts'

/** Returns true if the value meets the requirement by Nova's extra spec operators. A word that is compared with a number does not match. */
export const extraSpecMatches = (value: string, requirement: string): boolean => compareExtraSpec(value, requirement) === true
