import { expect, test } from 'vitest'
import { parseText } from './parse-text.ts'

const json = (text: string) => parseText(text, { isToml: false, maxDepth: 4 })
const toml = (text: string) => parseText(text, { isToml: true, maxDepth: 4 })

test('dates of TOML become texts', () => {
  expect(toml('day = 2026-11-20\ntime = 2026-11-20T23:30:00+02:00\nlocal = 07:32:00\nleap = 2024-02-29')).toEqual({
    day: '2026-11-20',
    time: '2026-11-20T23:30:00.000+02:00',
    local: '07:32:00.000',
    leap: '2024-02-29',
  })
})

test('a member of any name is only a member', () => {
  expect(JSON.stringify(toml('"__proto__" = 1\nconstructor = 2'))).toBe('{"__proto__":1,"constructor":2}')
})

test.each([
  ['a = nan', /^a is NaN; a number must be finite$/],
  ['[a]\nb = [1, -inf]', /^a\.b\.1 is -Infinity; a number must be finite$/],
  ['a = 2026-02-30', /^a is a date that does not exist$/],
  ['a = 2025-02-29T10:00:00Z', /^a is a date that does not exist$/],
  ['a = 1\nb = hunter2', /^line 2, column \d+: [^\n]*$/],
  ['a.b.c.d.e = 1', /^it must have at most 4 levels/],
  [`${'a.'.repeat(20_000)}b = 1`, /^it must have at most 4 levels/],
])('TOML with %j is an error', (text, error) => {
  expect(() => toml(text)).toThrow(error)
})

test.each([
  ['{"a": 1e999}', /^a is Infinity; a number must be finite$/],
  ['[[[[[', /^it must have at most 4 levels of lists and objects, and has 5$/],
  ['{"a": "hunter2', /^it is not JSON: it ends too early$/],
  ['{"a": "hunter2" "b"}', /^it is not JSON(: it is wrong at character 17)?$/],
])('JSON with %j is an error', (text, error) => {
  expect(() => json(text)).toThrow(error)
})

test.each([toml, json])('no error has a part of the text, in which secrets can be', (parse) => {
  for (const text of ['key = hunter2', '{"key": hunter2}', '{"key": "hunter2', 'key = "hunter2\n', '{"a": hunter2', 'hunter2'])
    expect(() => parse(text)).toThrow(/^(?!.*hunter2)/s)
})
