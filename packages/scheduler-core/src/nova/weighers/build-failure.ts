import { novaWeigher } from '../parts/nova-weigher.ts'

/**
 * Scores hosts by the number of failed builds since the last successful one. The default multiplier is large enough to outweigh all other
 * weighers.
 */
export const buildFailureWeigher = novaWeigher({
  name: 'BuildFailureWeigher',
  description: 'Failed builds on the host since its last successful build; fewer are better.',
  reads: [],
  cachedBy: [],
  unit: 'builds',
  multiplier: { key: 'build_failure_weight_multiplier', byDefault: 1_000_000, isNegated: true },
  prepare: () => (host) => host.failedBuilds,
})
