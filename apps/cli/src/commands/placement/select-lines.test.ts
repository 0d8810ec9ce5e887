import { expect, test } from 'vitest'
import { toLinesOfIgnored } from './select-lines.ts'

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['no field is ignored', [], [], []],
  ['nothing reads a field', ['hints.a'], [], ['Ignored fields (nothing in the profile reads them): hints.a.']],
  ['no document locates a volume', ['hints.b'], ['hints.b'], ['Ignored fields (no recent document locates what they name): hints.b.']],
  [
    'fields are ignored for both reasons',
    ['hints.a', 'hints.b'],
    ['hints.b'],
    [
      'Ignored fields (nothing in the profile reads them): hints.a.',
      'Ignored fields (no recent document locates what they name): hints.b.',
    ],
  ],
])('if %s, each ignored field is printed with its reason', (_name, ignoredFields, unlocatedFields, expected) => {
  expect(toLinesOfIgnored({ ignoredFields, unlocatedFields }).filter((line) => line !== '')).toEqual(expected)
})
