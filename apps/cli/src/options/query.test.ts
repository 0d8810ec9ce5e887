import { hostFields } from '@gantt/scheduler-core/query'
import { expect, test } from 'vitest'
import { queryOf } from './query.ts'

test('a valid query is passed on unchanged', () => expect(queryOf(hostFields)('az:z1 mem.free>=64GiB')).toBe('az:z1 mem.free>=64GiB'))

test('a problem of a query is marked below its position', () => {
  expect(() => queryOf(hostFields)('az:z1 status:open')).toThrow(
    '\n  az:z1 status:open\n               ^^^^ status is open; it can be ENABLED, DISABLED, DRAINING, MAINTENANCE',
  )
})

test('an empty query is refused, because it would match everything', () =>
  expect(() => queryOf(hostFields)('  ')).toThrow('It must not be empty.'))
