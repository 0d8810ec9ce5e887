import { expect, test } from 'vitest'
import { codes } from './codes.ts'
import { filters } from './filters/index.ts'
import { demandsOfFilter, tenantDemandOf, tenantDemands } from './tenant-codes.ts'

test('every code that a host is refused for is told to a project as a demand of its own, or is not told', () => {
  // the type has the same rule; this names the codes for whoever adds one
  const untold = [
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
    if (demand === null) expect(untold.includes(code.split('.')[0] ?? '') || code.endsWith('.not_exact'), code).toBe(true)
    else expect(Object.keys(tenantDemands)).toContain(demand)
  }
})

test.each(Object.entries(tenantDemands))('%s is told in a whole sentence that names nobody', (_demand, { lacks, cure }) => {
  expect(`No host ${lacks}.`).toMatch(/^No host (has|is|fits|supports) [a-zA-Z ]+\.$/)
  expect(cure).toMatch(/^[A-Z][^.]*\.$/)
  expect(`${lacks} ${cure}`).not.toMatch(/\bhost|node|aggregate|project/i)
})

test('filters whose question a project cannot leave out are not told', () => {
  const untold = filters.map(({ name }) => name).filter((name) => demandsOfFilter[name] === undefined)
  expect(untold).toEqual(
    [
      'ComputeFilter',
      ...['AggregateImagePropertiesIsolation', 'AggregateIoOpsFilter', 'AggregateMultiTenancyIsolation', 'AggregateNumInstancesFilter'],
      ...['AggregateTypeAffinityFilter', 'ExactCoreFilter', 'ExactDiskFilter', 'ExactRamFilter', 'IoOpsFilter', 'IsolatedHostsFilter'],
      ...['JsonFilter', 'MetricsFilter', 'NumInstancesFilter', 'SimpleCIDRAffinityFilter', 'TrustedFilter', 'TypeAffinityFilter'],
    ].sort((a, b) => filters.findIndex(({ name }) => name === a) - filters.findIndex(({ name }) => name === b)),
  )
})
