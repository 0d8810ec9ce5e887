import { expect, test } from 'vitest'
import { NO_OPTIONS } from './course.ts'
import { parametersText } from './parameters.ts'

test.each<[string, unknown, string]>([
  [
    'options are reported with their defaults and what they are for',
    { type: 'object', properties: { most: { type: 'integer', default: 3, description: 'Instances.' }, key: { type: 'string' } } },
    'most = 3: Instances. key',
  ],
  ['a part that says nothing takes none', null, NO_OPTIONS],
  ['so does one without any', { type: 'object', properties: {} }, NO_OPTIONS],
])('%s', (_name, schema, text) => expect(parametersText(schema)).toBe(text))
