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
  ['no extra specs', { host: says({ ssd: 'true' }) }, 'passes'],
  ['extra specs that are unset', { request: { flavor: { extraSpecs: undefined } } }, 'passes'],
  ['the key has the value', { request: asks({ [scoped('ssd')]: 'true' }), host: says({ ssd: 'true' }) }, 'passes'],
  ['a bare key counts too', { request: asks({ ssd: 'true' }) }, 'aggregate.extra_spec'],
  ['another scope does not', { request: asks({ 'hw:cpu_policy': 'dedicated' }) }, 'passes'],
  ['only the first colon ends the scope', { request: asks({ [scoped('a:b')]: '1' }), host: says({ 'a:b': '1' }) }, 'passes'],
  ['one value of several is enough', { request: asks({ n: '>= 5' }), host: says({ n: '1, 9' }) }, 'passes'],
  ['one aggregate of several is enough', { request: asks({ n: '== 2' }), host: says({ n: '1' }, { n: '2' }) }, 'passes'],
  ['every key must hold', { request: asks({ a: '1', b: '2' }), host: says({ a: '1' }) }, 'aggregate.extra_spec'],
  ['no value that can be compared', { request: asks({ n: '>= 5' }), host: says({ n: 'x' }) }, 'raises ValueError'],
  ['the empty value is tried first', { request: asks({ n: '>= 5' }), host: says({ n: '9,' }) }, 'raises ValueError'],
  ['keys are tried in their order', { request: asks({ a: '1', n: '>= 5' }), host: says({ a: '2', n: 'x' }) }, 'aggregate.extra_spec'],
  ['<or> without a choice', { request: asks({ n: '<or>' }), host: says({ n: '1' }) }, 'raises IndexError'],
  ['a key of every object is no key of the aggregate', { request: asks({ constructor: 'x' }) }, 'aggregate.extra_spec'],
])('%s', (_name, given, verdict) => expect(verdictOf(aggregateInstanceExtraSpecsFilter, given)).toBe(verdict))

test('the reason names key, requirement and values', () => {
  const reason = { subject: 'n', need: '>= 5', have: '1, 2', source: 'aggregate a0, a1 n' }
  expect(reasonOf(aggregateInstanceExtraSpecsFilter, { request: asks({ n: '>= 5' }), host: says({ n: '1' }, { n: '2' }) })).toMatchObject(
    reason,
  )
})
