import { compareExtraSpec } from '../../text/extra-spec-operators.ts'
import { quote } from '../../text/problem.ts'
import { NovaError } from './nova-error.ts'

/**
 * Whether a value satisfies a requirement. Throws ValueError if a number is required and the value is not a number, and IndexError for
 * `<or>` without operands.
 */
export function match(value: string | null, requirement: string): boolean {
  const result = compareExtraSpec(value, requirement)
  if (typeof result === 'boolean') return result
  const { noNumber } = result
  if (noNumber === null) throw new NovaError('IndexError', '<or> has no choice behind it')
  throw new NovaError('ValueError', `${quote(noNumber)} is no number`)
}
