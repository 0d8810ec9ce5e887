import { expect, test } from 'vitest'
import { anAggregate } from '../../testing/builders.ts'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { aggregateMultiTenancyIsolation } from './aggregate-multi-tenancy-isolation.ts'

const kept = (...values: string[]) => values.map((value, i) => anAggregate(`a${i}`, { filter_tenant_id: value }))

test.each<[string, Given, string]>([
  ['a host without aggregates accepts every project', {}, 'passes'],
  ['an aggregate without the key accepts every project', { host: { aggregates: [anAggregate('a', { other: 'p2' })] } }, 'passes'],
  ['an aggregate names the project', { host: { aggregates: kept('p2, p1') } }, 'passes'],
  ['one of two aggregates names the project', { host: { aggregates: kept('p2', 'p1') } }, 'passes'],
  ['an aggregate names other projects only', { host: { aggregates: kept('p2') } }, 'aggregate.project'],
  ['a part of the name of the project does not match', { host: { aggregates: kept('p11') } }, 'aggregate.project'],
  ['an empty value names no project', { host: { aggregates: kept('') } }, 'aggregate.project'],
  ['a key with a suffix is another key', { host: { aggregates: [anAggregate('a', { filter_tenant_id3: 'p2' })] } }, 'passes'],
  [
    'a request without a project does not match a named one',
    { host: { aggregates: kept('p1') }, request: { projectId: null } },
    'aggregate.project',
  ],
])('%s', (_name, given, verdict) => expect(verdictOf(aggregateMultiTenancyIsolation, given)).toBe(verdict))

test('the reason of a refusal names the projects, the aggregates and the metadata key', () => {
  const reason = { need: 'p1', have: 'p2, p3', source: 'aggregate a0, a1 filter_tenant_id' }
  expect(reasonOf(aggregateMultiTenancyIsolation, { host: { aggregates: kept('p2', 'p3') } })).toMatchObject(reason)
})
