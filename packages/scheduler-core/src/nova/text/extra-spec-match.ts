import { compareExtraSpec } from '../../text/extra-spec-operators.ts'
import { quote } from '../../text/problem.ts'
import { NovaError } from './nova-error.ts'

/**
 * Returns true if a value satisfies the requirement in an extra spec. As in Nova, throws ValueError if the requirement needs a number and
 * the value is not a number, and IndexError for `<or>` without operands.
 */
export function match(value: string | null, requirement: string): boolean {
  const result = compareExtraSpec(value, requirement)
  if (typeof result === 'boolean') return result
  const { noNumber } = result
  if (noNumber === null) throw new NovaError('IndexError', '<or> has no value after it')
  throw new NovaError('ValueError', `${quote(noNumber)} is not a number`)
}
