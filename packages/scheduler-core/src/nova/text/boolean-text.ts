import { trimBlanks } from '../../text/numbers.ts'
import type { PythonValue } from './python-json.ts'
import { pythonText } from './python-text.ts'

const TRUE = new Set(['1', 't', 'true', 'on', 'y', 'yes'])

/** The texts that Nova takes for yes in extra specs and tags: 1, t, true, on, y, yes in any case; all others mean no. */
export function booleanOf(value: PythonValue | undefined): boolean {
  if (typeof value === 'boolean') return value
  return value !== undefined && TRUE.has(trimBlanks(pythonText(value)).toLowerCase())
}
