import type { BuiltInPackage, PlacingRules } from '../contracts/built-in.ts'
import { compatFilters, compatWeighers, filterOptions } from './compat/compat.ts'
import { novaCandidatesFilter } from './compat/compat-candidates.ts'
import { createNovaScheduler } from './compat/nova-scheduler.ts'
import { filtersOfPlacement } from './compat/placement-filters.ts'
import { novaFilters } from './filters/index.ts'
import { asFilter } from './parts/as-filter.ts'
import { novaCapabilities } from './parts/capabilities.ts'
import { CHECK_TYPE } from './parts/nova-filter.ts'
import { novaDocuments } from './requests/documents.ts'

/** Nova's filters that every profile may name, not only profiles with `compat: nova`. */
export const novaFilterNames: ReadonlySet<string> = new Set([
  'AggregateCoreFilter',
  'AggregateDiskFilter',
  'AggregateImagePropertiesIsolation',
  'AggregateIoOpsFilter',
  'AggregateMultiTenancyIsolation',
  'AggregateNumInstancesFilter',
  'AggregateRamFilter',
  'AggregateTypeAffinityFilter',
  'AllHostsFilter',
  'ComputeCapabilitiesFilter',
  'ExactCoreFilter',
  'ExactDiskFilter',
  'ExactRamFilter',
  'IoOpsFilter',
  'IsolatedHostsFilter',
  'JsonFilter',
  'MetricsFilter',
  'NumInstancesFilter',
  'SimpleCIDRAffinityFilter',
  'TrustedFilter',
  'TypeAffinityFilter',
])

/** The rules of profiles with `compat: nova`. */
const novaRules: PlacingRules = {
  candidates: novaCandidatesFilter,
  filters: compatFilters,
  weighers: compatWeighers,
  weigherOptions: { aggregateMultiplier: true },
  weighsFrom: 2,
  // Nova marks by this hint that a request rebuilds an instance. Nova's rules then skip most filters.
  reads: { schedulerHints: (key) => key === CHECK_TYPE },
  filterOptions,
  filtersBefore: filtersOfPlacement,
}

/** The built-in package with Nova's rules. `bundled.ts` registers it, and `filters/index.ts` and `weighers/index.ts` list its parts. */
export const nova: BuiltInPackage = {
  name: 'nova',
  description: "Nova's filters, weighers and scheduling algorithm, and requests in Nova's forms.",
  filters: novaFilters.filter(({ name }) => novaFilterNames.has(name)).map((filter) => asFilter(filter)),
  weighers: compatWeighers,
  rules: novaRules,
  createScheduler: createNovaScheduler,
  documents: novaDocuments,
  capabilities: novaCapabilities,
}
