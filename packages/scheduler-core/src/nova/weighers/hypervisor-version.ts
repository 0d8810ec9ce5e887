import { novaWeigher } from '../parts/nova-weigher.ts'

/** Prefers hosts with newer hypervisor versions (Nova 28 and later). */
export const hypervisorVersionWeigher = novaWeigher({
  name: 'HypervisorVersionWeigher',
  description: "The hypervisor's version; newer is better.",
  reads: ['hypervisorVersion'],
  cachedBy: [],
  unit: 'version',
  multiplier: { key: 'hypervisor_version_weight_multiplier' },
  prepare: () => (host) => host.hypervisorVersion ?? 0,
})
