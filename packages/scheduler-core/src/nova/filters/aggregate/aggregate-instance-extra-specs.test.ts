import { expect, test } from 'vitest'
import { anAggregate } from '../../testing/builders.ts'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { aggregateInstanceExtraSpecsFilter } from './aggregate-instance-extra-specs.ts'

const asks = (extraSpecs: Record<string, string>): Given['request'] => ({ flavor: { extraSpecs } })
const says = (...metadata: Record<string, string>[]): Given['host'] => ({
  aggregates: metadata.map((pairs, i) => anAggregate(`a${i}`, pairs)),
})
const scoped = (key: string) => `aggregate_instance_extra_specs:${key}`

test.each<[string, Given, string]>([
  ['a flavor without extra specs', { host: says({ ssd: 'true' }) }, 'passes'],
  ['extra specs that are unset require nothing', { request: { flavor: { extraSpecs: undefined } } }, 'passes'],
  ['an aggregate has the value under the key', { request: asks({ [scoped('ssd')]: 'true' }), host: says({ ssd: 'true' }) }, 'passes'],
  ['a key without a scope is checked', { request: asks({ ssd: 'true' }) }, 'aggregate.extra_spec'],
  ['a key with another scope is ignored', { request: asks({ 'hw:cpu_policy': 'dedicated' }) }, 'passes'],
  ['only the first colon ends the scope', { request: asks({ [scoped('a:b')]: '1' }), host: says({ 'a:b': '1' }) }, 'passes'],
  ['one matching value of several is enough', { request: asks({ n: '>= 5' }), host: says({ n: '1, 9' }) }, 'passes'],
  ['one matching aggregate of several is enough', { request: asks({ n: '== 2' }), host: says({ n: '1' }, { n: '2' }) }, 'passes'],
  ['every key must match', { request: asks({ a: '1', b: '2' }), host: says({ a: '1' }) }, 'aggregate.extra_spec'],
  ['an error if no value can be compared', { request: asks({ n: '>= 5' }), host: says({ n: 'x' }) }, 'raises ValueError'],
  ['the empty value is compared first', { request: asks({ n: '>= 5' }), host: says({ n: '9,' }) }, 'raises ValueError'],
  ['keys are checked in their order', { request: asks({ a: '1', n: '>= 5' }), host: says({ a: '2', n: 'x' }) }, 'aggregate.extra_spec'],
  ['<or> without any alternative', { request: asks({ n: '<or>' }), host: says({ n: '1' }) }, 'raises IndexError'],
  ['a key such as `constructor` is not metadata of the aggregate', { request: asks({ constructor: 'x' }) }, 'aggregate.extra_spec'],
])('%s', (_name, given, verdict) => expect(verdictOf(aggregateInstanceExtraSpecsFilter, given)).toBe(verdict))

test('the reason of a refusal names the key, the requirement and the values', () => {
  const reason = { subject: 'n', need: '>= 5', have: '1, 2', source: 'aggregate a0, a1 n' }
  expect(reasonOf(aggregateInstanceExtraSpecsFilter, { request: asks({ n: '>= 5' }), host: says({ n: '1' }, { n: '2' }) })).toMatchObject(
    reason,
  )
})
