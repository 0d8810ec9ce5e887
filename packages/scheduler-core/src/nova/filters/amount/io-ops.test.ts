import { expect, test } from 'vitest'
import { anAggregate } from '../../testing/builders.ts'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { aggregateIoOpsFilter, ioOpsFilter } from './io-ops.ts'

const withKey = (...values: string[]) => values.map((value, i) => anAggregate(`a${i}`, { max_io_ops_per_host: value }))

test.each<[string, Given, string]>([
  ['a host with one operation fewer than the maximum passes', { host: { numIoOps: 7 } }, 'passes'],
  ['a host with the maximum number of operations is refused', { host: { numIoOps: 8 } }, 'io_ops.too_many'],
  ['a maximum of 0 refuses every host', { host: { numIoOps: 0 }, options: { max_io_ops_per_host: 0 } }, 'io_ops.too_many'],
  ['the metadata of aggregates has no effect', { host: { numIoOps: 7, aggregates: withKey('1') } }, 'passes'],
  ['a rebuild passes', { host: { numIoOps: 99 }, request: { schedulerHints: { _nova_check_type: ['rebuild'] } } }, 'passes'],
])('IoOpsFilter: %s', (_name, given, verdict) => expect(verdictOf(ioOpsFilter, given)).toBe(verdict))

test.each<[string, Given, string]>([
  ['the limit of the aggregate is used', { host: { numIoOps: 2, aggregates: withKey('2') } }, 'io_ops.too_many'],
  ['the lowest limit of several aggregates is used', { host: { numIoOps: 4, aggregates: withKey('9', ' 4 ', '5') } }, 'io_ops.too_many'],
  ['if the limit of one aggregate is invalid, the option applies', { host: { numIoOps: 4, aggregates: withKey('3', '1.5') } }, 'passes'],
])('AggregateIoOpsFilter: %s', (_name, given, verdict) => expect(verdictOf(aggregateIoOpsFilter, given)).toBe(verdict))

test('the reason of a refusal names the source of the limit', () => {
  const host = { numIoOps: 3, aggregates: withKey('3') }
  const reason = { code: 'io_ops.too_many', need: 'fewer than 3', have: 3, source: 'aggregate a0 max_io_ops_per_host' }
  expect(reasonOf(aggregateIoOpsFilter, { host })).toMatchObject(reason)
})
