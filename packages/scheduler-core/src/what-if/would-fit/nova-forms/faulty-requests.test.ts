import { describe, expect, test } from 'vitest'
import { fromNova, legacy, wire, withRules } from '../../../nova/compat/testing/placement-rows.ts'
import type { JsonObject } from '../../../values/json.ts'
import { answerOf, type Case, saidOf } from '../testing/case.ts'

/* If a filter fails because of the request, or a host was tried before, a changed request suffices, so no operator's rule is removed. */

const size = { name: 'm1', vcpus: 1, memory_mb: 1_024, root_gb: 1, ephemeral_gb: 0, swap: 0 }
const asking = (data: JsonObject = {}, flavor: JsonObject = {}) =>
  fromNova({ flavor: wire('Flavor', '1.2', { ...size, extra_specs: {}, ...flavor }), ...data })
const tried = wire('ComputeNode', '1.19', { host: 'a', hypervisor_hostname: 'a' })
const retry = wire('SchedulerRetries', '1.1', { num_attempts: 2, hosts: wire('ComputeNodeList', '1.1', { objects: [tried] }) })
const foo = [{ name: 'x', hosts: ['a'], metadata: { foo: '3' } }]

interface Row {
  readonly what: string
  readonly filter: string
  readonly request: Case['request']
  readonly said: string
  readonly aggregates?: NonNullable<Case['aggregates']>
}

const near = { build_near_host_ip: ['xx'] }
const query = { query: ['[">="'] }
const rows: readonly Row[] = [
  {
    what: 'an address that is none',
    filter: 'SimpleCIDRAffinityFilter',
    request: asking({ scheduler_hints: near }),
    said: 'hint build_near_host_ip -> left out',
  },
  {
    what: 'the same in the typed form',
    filter: 'SimpleCIDRAffinityFilter',
    request: { schedulerHints: near },
    said: 'hint build_near_host_ip -> left out',
  },
  { what: 'a query that is no JSON', filter: 'JsonFilter', request: asking({ scheduler_hints: query }), said: 'hint query -> left out' },
  { what: 'the same in the typed form', filter: 'JsonFilter', request: { schedulerHints: query }, said: 'hint query -> left out' },
  {
    what: 'a comparison with a word',
    filter: 'AggregateInstanceExtraSpecsFilter',
    request: asking({}, { extra_specs: { foo: '>= x' } }),
    said: 'extra spec foo -> left out',
    aggregates: foo,
  },
  { what: 'a host that was tried', filter: 'RetryFilter', request: asking({ retry }), said: 'hosts that were tried -> left out' },
  {
    what: 'a host that was tried, in dictionaries',
    filter: 'RetryFilter',
    request: legacy({ uuid: '00000000-0000-4000-8000-000000000001', project_id: 'p' }, { retry: { num_attempts: 2, hosts: [['a', 'a']] } }),
    said: 'hosts that were tried -> left out',
  },
]

describe.each(rows)('$what, filter $filter', ({ filter, request, said, aggregates = [] }) => {
  const given: Case = { hosts: { a: { hostIp: '10.0.0.1' } }, request, aggregates, profile: withRules({}, [{ name: filter }]) }

  test('only the part of the request is left out', () => {
    expect(saidOf(given)).toEqual([said])
    for (const { kind, request: changed } of answerOf(given).counterfactuals) {
      expect(kind).toBe('REQUEST')
      expect(answerOf({ ...given, request: changed }).fits).toBe(true)
    }
  })

  test('without proposals of the kind REQUEST, the filter is left out', () => {
    expect(saidOf({ ...given, kinds: ['POLICY'] })).toEqual([expect.stringContaining(`filter ${filter} of profile`)])
  })
})

describe('boot from a volume under a filter of Nova that counts the root disk', () => {
  const on = (flavor: JsonObject): Case => ({
    hosts: { a: { localGb: 10 } },
    request: asking({ is_bfv: true }, flavor),
    profile: withRules({}, [{ name: 'DiskFilter' }]),
    kinds: ['REQUEST'],
  })

  test.each<[what: string, flavor: JsonObject, said: string]>([
    ['a root disk alone', { root_gb: 50 }, 'root disk of the flavor -> 10 GiB'],
    ['a root disk and an ephemeral disk', { root_gb: 50, ephemeral_gb: 4 }, 'root disk of the flavor -> 6 GiB'],
    ['a root disk and swap', { root_gb: 9, swap: 2_048 }, 'root disk of the flavor -> 8 GiB'],
  ])('%s: a smaller root disk is proposed', (_what, flavor, said) => {
    expect(saidOf(on(flavor))[0]).toBe(said)
    for (const { request } of answerOf(on(flavor)).counterfactuals) expect(answerOf({ ...on(flavor), request }).fits).toBe(true)
  })
})
