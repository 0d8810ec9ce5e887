import { expect, test } from 'vitest'
import { filters } from '../bundled.ts'
import { codes } from './codes.ts'
import { demandsOfFilter, tenantDemandOf, tenantDemands } from './tenant-codes.ts'

test('every code of a refused host is shown to projects as one of their demands, or is hidden', () => {
  // The first words of codes that are hidden from projects. The author of a new hidden code must add its first word here deliberately.
  const hidden = [
    'host',
    'outside',
    'io_ops',
    'aggregate',
    'cell',
    'instance',
    'instances',
    'isolation',
    'query',
    'metric',
    'flavor',
    'trust',
    'filter',
    'namespace',
    'volume',
    'port',
  ]
  for (const [code, demand] of Object.entries(tenantDemandOf)) {
    expect(Object.keys(codes)).toContain(code)
    if (demand === null) expect(hidden.includes(code.split('.')[0] ?? '') || code.endsWith('.not_exact'), code).toBe(true)
    else expect(Object.keys(tenantDemands)).toContain(demand)
  }
})

test.each(Object.entries(tenantDemands))('the demand %s is shown as a whole sentence without names', (_demand, { lacks, cure }) => {
  expect(`No host ${lacks}.`).toMatch(/^No host (has|is|fits|supports) [a-zA-Z ]+\.$/)
  expect(cure).toMatch(/^[A-Z][^.]*\.$/)
  expect(`${lacks} ${cure}`).not.toMatch(/\bhost|node|aggregate|project/i)
})

test('a filter is hidden from projects if and only if they cannot change what it checks', () => {
  const hidden = filters.map(({ name }) => name).filter((name) => demandsOfFilter[name] === undefined)
  expect(hidden).toEqual(
    [
      'ComputeFilter',
      ...['AggregateImagePropertiesIsolation', 'AggregateIoOpsFilter', 'AggregateMultiTenancyIsolation', 'AggregateNumInstancesFilter'],
      ...['AggregateTypeAffinityFilter', 'ExactCoreFilter', 'ExactDiskFilter', 'ExactRamFilter', 'IoOpsFilter', 'IsolatedHostsFilter'],
      ...['JsonFilter', 'MetricsFilter', 'NumInstancesFilter', 'SimpleCIDRAffinityFilter', 'TrustedFilter', 'TypeAffinityFilter'],
    ].sort((a, b) => filters.findIndex(({ name }) => name === a) - filters.findIndex(({ name }) => name === b)),
  )
})
