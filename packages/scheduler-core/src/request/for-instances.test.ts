import { expect, test } from 'vitest'
import { aUuid } from '../testing/index.ts'
import { forInstances } from './for-instances.ts'
import { parseRequestSpec } from './parse.ts'

// the law that the result equals the parsed document is in versions.test.ts, which draws requests of all versions

const small = { flavor: { vcpus: 1, memoryMb: 1 } }

test.each([
  ['another count of instances', [aUuid(1), aUuid(2)], 'expected UUIDs of 1 instances, found 2'],
  ['a UUID in capital letters', ['00000000-0000-4000-8000-0000000000AB'], 'expected different UUIDs in lower case, found'],
  ['a text that is no UUID', ['instance-1'], 'expected different UUIDs in lower case, found'],
])('a request is not made for other instances with %s', (_name, uuids, message) => {
  const parsed = parseRequestSpec({ ...small, instanceUuids: [aUuid(7)] })
  if (!parsed.ok) throw new Error('the request must be valid')
  expect(() => forInstances(parsed.value, uuids)).toThrow(message)
})

test('a request is not made for other instances if its document of Nova has the UUIDs too, or if one is named twice', () => {
  const asked = parseRequestSpec({ ...small, instanceUuids: [aUuid(7)], nova: { form: 'legacy', document: { a: 1 } } })
  if (!asked.ok) throw new Error('the request must be valid')
  expect(() => forInstances(asked.value, [aUuid(8)])).toThrow('document of Nova')
  const two = parseRequestSpec({ ...small, instanceUuids: [aUuid(7), aUuid(8)] })
  if (!two.ok) throw new Error('the request must be valid')
  expect(() => forInstances(two.value, [aUuid(9), aUuid(9)])).toThrow('expected different UUIDs')
})
