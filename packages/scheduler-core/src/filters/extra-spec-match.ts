import { match } from '../nova/text/extra-spec-match.ts'
import { NovaError } from '../nova/text/nova-error.ts'

/** Nova's extra spec operators, where what cannot be compared (a number asked, a word found) simply does not match. */
export function extraSpecMatches(value: string, requirement: string): boolean {
  try {
    return match(value, requirement)
  } catch (error) {
    if (error instanceof NovaError) return false
    throw error
  }
}
