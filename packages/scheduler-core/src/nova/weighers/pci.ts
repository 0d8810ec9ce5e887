import { novaWeigher } from '../parts/nova-weigher.ts'

/** More free devices than this do not change the number. */
const MOST_COUNTED = 99

/** Prefers hosts with few free PCI devices, whatever is requested, so that those with many are kept for requests that need them. */
export const pciWeigher = novaWeigher({
  name: 'PCIWeigher',
  description: 'How few PCI devices are free on the host.',
  reads: ['pciPools'],
  unit: 'points',
  multiplier: { key: 'pci_weight_multiplier', isPositive: true },
  prepare: () => (host) => {
    const free = host.pciPools.reduce((sum, { count }) => sum + count, 0)
    return MOST_COUNTED + 1 - Math.min(free, MOST_COUNTED)
  },
})
