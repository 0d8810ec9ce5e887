import { expect, test } from 'vitest'
import { NO_OPTIONS } from './course.ts'
import { parametersText } from './parameters.ts'

test.each<[string, unknown, string]>([
  [
    'options are listed with their defaults and descriptions',
    { type: 'object', properties: { most: { type: 'integer', default: 3, description: 'Instances.' }, key: { type: 'string' } } },
    'most = 3: Instances. key',
  ],
  ['a part without a schema has no options', null, NO_OPTIONS],
  ['a part with an empty schema has no options', { type: 'object', properties: {} }, NO_OPTIONS],
])('%s', (_name, schema, text) => expect(parametersText(schema)).toBe(text))
