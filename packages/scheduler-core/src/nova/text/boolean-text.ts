import { trimBlanks } from '../../text/numbers.ts'
import type { PythonValue } from './python-json.ts'
import { pythonText } from './python-text.ts'

const TRUE = new Set(['1', 't', 'true', 'on', 'y', 'yes'])

/** Reads a boolean in extra specs and tags as Nova does. 1, t, true, on, y and yes are true, in any case. All other values are false. */
export function booleanOf(value: PythonValue | undefined): boolean {
  if (typeof value === 'boolean') return value
  return value !== undefined && TRUE.has(trimBlanks(pythonText(value)).toLowerCase())
}
