import { novaWeigher } from '../parts/nova-weigher.ts'

/** A host with more free devices than this gets the same score as a host with this many free devices. */
const MAX_COUNTED_DEVICES = 99

/**
 * Prefers hosts with few free PCI devices, regardless of the request, so that hosts with many devices are left for requests that need them.
 */
export const pciWeigher = novaWeigher({
  name: 'PCIWeigher',
  description: 'Free PCI devices of the host; fewer are better.',
  reads: ['pciPools'],
  cachedBy: [],
  unit: 'points',
  multiplier: { key: 'pci_weight_multiplier', isPositive: true },
  prepare: () => (host) => {
    const free = host.pciPools.reduce((sum, { count }) => sum + count, 0)
    return MAX_COUNTED_DEVICES + 1 - Math.min(free, MAX_COUNTED_DEVICES)
  },
})
