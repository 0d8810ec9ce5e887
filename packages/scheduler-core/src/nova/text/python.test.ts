import { expect, test } from 'vitest'
import { booleanOf } from './boolean-text.ts'
import { parsePythonJson } from './python-json.ts'
import { isTruthy, pythonText } from './python-text.ts'

/** Each row: JSON text, and the text that Python's str() gives for the parsed value. */
test.each([
  ['true', 'True'],
  ['null', 'None'],
  ['4', '4'],
  ['4.0', '4.0'],
  ['-0.0', '-0.0'],
  ['-0', '0'],
  ['1e3', '1000.0'],
  ['0.1', '0.1'],
  ['1e16', '1e+16'],
  ['1.5e22', '1.5e+22'],
  ['123456789012345.6', '123456789012345.6'],
  ['0.0001', '0.0001'],
  ['0.00001', '1e-05'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  ['NaN', 'nan'],
  ['-Infinity', '-inf'],
  ['"text"', 'text'],
  ['["aes", "vmx"]', "['aes', 'vmx']"],
  ['[]', '[]'],
  ['{"10": 1, "2": [true, null]}', "{'10': 1, '2': [True, None]}"],
  ['["it\'s"]', '["it\'s"]'],
  ['["\'\\""]', "['\\'\"']"],
  ['["a\\\\b\\n\\u0000\\u00e9\\u200b"]', "['a\\\\b\\n\\x00é\\u200b']"],
])('%s prints as %s', (json, text) => {
  expect(pythonText(parsePythonJson(json))).toBe(text)
})

test.each(['', '{', '[1,]', '{"a" 1}', "{'a': 1}", '01', '1 2', '"\u0001"', '"\\x"', 'True', '[', '+1', '{1: 2}', '}', '[1}'])(
  '%j is not JSON',
  (json) => {
    expect(() => parsePythonJson(json)).toThrow(expect.objectContaining({ kind: 'JSONDecodeError' }))
  },
)

test('JSON nested deeper than Python allows is refused without a stack overflow', () => {
  expect(() => parsePythonJson('['.repeat(100_000))).toThrow(expect.objectContaining({ kind: 'JSONDecodeError' }))
})

test('if an object has a key twice, the last value applies', () => {
  expect(parsePythonJson('{"a": 1, "a": 2}')).toEqual(new Map([['a', 2]]))
})

test.each([
  ['null', false],
  ['false', false],
  ['0', false],
  ['0.0', false],
  ['""', false],
  ['[]', false],
  ['{}', false],
  ['NaN', true],
  ['"0"', true],
  ['[0]', true],
  ['{"a": null}', true],
  ['-1', true],
])('%s becomes %j', (json, truth) => {
  expect(isTruthy(parsePythonJson(json))).toBe(truth)
})

test.each([
  ['"yes"', true],
  ['" ON "', true],
  ['"1"', true],
  ['1', true],
  ['true', true],
  ['"True"', true],
  ['"enabled"', false],
  ['"no"', false],
  ['2', false],
  ['null', false],
])('%s accepts: %j', (json, yes) => {
  expect(booleanOf(parsePythonJson(json))).toBe(yes)
})
