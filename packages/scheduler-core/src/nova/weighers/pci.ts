import { novaWeigher } from '../nova-weigher.ts'

/** More free devices than this count alike. */
const MOST_COUNTED = 99

/** Hosts with few free PCI devices come first, whatever is asked, so that those with many are kept for who needs them. */
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
