import { novaWeigher } from '../parts/nova-weigher.ts'

/** Builds that failed on the host since its last success. The default is high enough to outweigh all others. */
export const buildFailureWeigher = novaWeigher({
  name: 'BuildFailureWeigher',
  description: 'Builds that failed on the host lately; fewer are better.',
  reads: [],
  unit: 'builds',
  multiplier: { key: 'build_failure_weight_multiplier', byDefault: 1_000_000, isNegated: true },
  prepare: () => (host) => host.failedBuilds,
})
