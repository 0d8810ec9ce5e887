import { expect, test } from 'vitest'
import { anAggregate } from '../../testing/builders.ts'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { aggregateNumInstancesFilter, numInstancesFilter } from './num-instances.ts'

const withKey = (...values: string[]) => values.map((value, i) => anAggregate(`a${i}`, { max_instances_per_host: value }))

test.each<[string, Given, string]>([
  ['a host with one instance fewer than the maximum passes', { host: { numInstances: 49 } }, 'passes'],
  ['a host with the maximum number of instances is refused', { host: { numInstances: 50 } }, 'instances.too_many'],
  ['the limit of the option is used', { host: { numInstances: 1 }, options: { max_instances_per_host: 1 } }, 'instances.too_many'],
])('NumInstancesFilter: %s', (_name, given, verdict) => expect(verdictOf(numInstancesFilter, given)).toBe(verdict))

test.each<[string, Given, string]>([
  ['the lowest limit of the aggregates is used', { host: { numInstances: 3, aggregates: withKey('7', '3') } }, 'instances.too_many'],
  ['a negative limit refuses even an empty host', { host: { aggregates: withKey('-1') } }, 'instances.too_many'],
  ['a list is not a number, so the option applies', { host: { numInstances: 3, aggregates: withKey('1,2') } }, 'passes'],
])('AggregateNumInstancesFilter: %s', (_name, given, verdict) => expect(verdictOf(aggregateNumInstancesFilter, given)).toBe(verdict))

test('the option refuses a maximum of 0, as in Nova', () => {
  expect(() => verdictOf(numInstancesFilter, { options: { max_instances_per_host: 0 } })).toThrow(RangeError)
})

test('the reason of a refusal has the number of instances and the limit', () => {
  const reason = { code: 'instances.too_many', need: 'fewer than 50', have: 50, source: 'option max_instances_per_host' }
  expect(reasonOf(numInstancesFilter, { host: { numInstances: 50 } })).toMatchObject(reason)
})
