import type { BuiltInPackage, PlacingRules } from '../contracts/built-in.ts'
import { compatFilters, compatWeighers, filterOptions } from './compat/compat.ts'
import { novaCandidatesFilter } from './compat/compat-candidates.ts'
import { createNovaScheduler } from './compat/nova-scheduler.ts'
import { filtersOfPlacement } from './compat/placement-filters.ts'
import { novaFilters } from './filters/index.ts'
import { asFilter } from './parts/as-filter.ts'
import { CHECK_TYPE } from './parts/nova-filter.ts'
import { novaDocuments } from './requests/documents.ts'

/** Filters of Nova that read only this service's own requests and reports. Every profile may name them. */
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
  // Nova's rules read from this hint which of Nova's calls a request comes from.
  reads: { schedulerHints: (key) => key === CHECK_TYPE },
  filterOptions,
  filtersBefore: filtersOfPlacement,
}

/** Nova as the built-in package: `filters/index.ts` and `weighers/index.ts` list its parts, and bundled.ts registers it. */
export const nova: BuiltInPackage = {
  name: 'nova',
  description: "Nova's filters, weighers and scheduling algorithm, and requests in Nova's forms.",
  filters: novaFilters.filter(({ name }) => novaFilterNames.has(name)).map(asFilter),
  weighers: compatWeighers,
  rules: novaRules,
  createScheduler: createNovaScheduler,
  documents: novaDocuments,
}
