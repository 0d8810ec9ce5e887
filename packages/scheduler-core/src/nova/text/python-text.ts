import { PythonFloat, type PythonValue } from './python-json.ts'

/** Formats a value as Python's `str()` does, such as `True`, `None`, `4.0` or `['aes', 'vmx']`. Text is unchanged. */
export function pythonText(value: PythonValue): string {
  return typeof value === 'string' ? value : pythonRepr(value)
}

/** Formats a value as Python's `repr()` does. Text is quoted. */
export function pythonRepr(value: PythonValue): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return quoted(value)
  if (value instanceof PythonFloat) return floatText(value.value)
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : floatText(value)
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Map) return `{${[...value].map(([key, item]) => `${quoted(key)}: ${pythonRepr(item)}`).join(', ')}}`
  return `[${(value as readonly PythonValue[]).map(pythonRepr).join(', ')}]`
}

/** Returns true if Python treats the value as true. None, False, zero and empty values are false. */
export function isTruthy(value: PythonValue): boolean {
  if (value === null || typeof value === 'boolean') return value === true
  if (value instanceof PythonFloat) return value.value !== 0
  if (typeof value === 'number') return value !== 0
  if (typeof value === 'bigint') return value !== 0n
  if (typeof value === 'string') return value !== ''
  return value instanceof Map ? value.size > 0 : (value as readonly PythonValue[]).length > 0
}

/** Formats a float as Python does: with a decimal point, and with an exponent from 1e16 on and below 1e-4. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Object.is(value, -0)) return '-0.0'
  const [mantissa = '', power = ''] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent >= 16 || exponent < -4) return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  const sign = mantissa.startsWith('-') ? '-' : ''
  const digits = mantissa.replace(/[-.]/g, '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Quotes text as Python does: in single quotes, or in double quotes if this avoids escapes. Unprintable characters are escaped. */
function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  let body = ''
  for (const char of text) {
    if (char === mark) body += `\\${char}`
    else body += ESCAPES[char] ?? (char !== ' ' && /^[\p{C}\p{Z}]$/u.test(char) ? escapeOf(char) : char)
  }
  return `${mark}${body}${mark}`
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
