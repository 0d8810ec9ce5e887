import { expect, test } from 'vitest'
import { anAggregate } from '../../testing/builders.ts'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { aggregateTypeAffinityFilter } from './aggregate-type-affinity.ts'

const kept = (...values: string[]) => values.map((value, i) => anAggregate(`a${i}`, { instance_type: value }))

test.each<[string, Given, string]>([
  ['no aggregate names a flavor', { host: { aggregates: [anAggregate('a', {})] } }, 'passes'],
  ['an aggregate names the flavor in a list', { host: { aggregates: kept('m1.tiny , m1.small') } }, 'passes'],
  ['one of two aggregates names the flavor', { host: { aggregates: kept('m1.tiny', 'm1.small') } }, 'passes'],
  ['an aggregate names other flavors only', { host: { aggregates: kept('m1.tiny') } }, 'aggregate.flavor'],
  ['capitals matter', { host: { aggregates: kept('M1.SMALL') } }, 'aggregate.flavor'],
  ['a comma alone names no flavor', { host: { aggregates: kept(',') } }, 'aggregate.flavor'],
])('%s', (_name, given, verdict) => expect(verdictOf(aggregateTypeAffinityFilter, given)).toBe(verdict))

test('the reason of a refusal names the flavor, the aggregate and the metadata key', () => {
  const reason = { subject: 'flavor', need: 'm1.small', have: 'm1.tiny', source: 'aggregate a0 instance_type' }
  expect(reasonOf(aggregateTypeAffinityFilter, { host: { aggregates: kept('m1.tiny') } })).toMatchObject(reason)
})
