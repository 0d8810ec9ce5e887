import { expect, test } from 'vitest'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { typeAffinityFilter } from './type-affinity.ts'

const holds = (flavors: Record<string, string>): Given['host'] => ({
  instances: new Set(Object.keys(flavors)),
  instanceFlavors: new Map(Object.entries(flavors)),
})

test.each<[string, Given, string]>([
  ['an empty host', {}, 'passes'],
  ['instances of the same flavor only', { host: holds({ a: '4', b: '4' }) }, 'passes'],
  ['an instance of a different flavor', { host: holds({ a: '4', b: '5' }) }, 'flavor.other'],
  ['an instance whose flavor was not reported', { host: { instances: new Set(['a']) } }, 'flavor.other'],
])('%s', (_name, given, verdict) => expect(verdictOf(typeAffinityFilter, given)).toBe(verdict))

test('the reason of a refusal names the instance and the two flavors', () => {
  expect(reasonOf(typeAffinityFilter, { host: holds({ b: '5' }) })).toMatchObject({ subject: 'instance b', need: '4', have: '5' })
})
