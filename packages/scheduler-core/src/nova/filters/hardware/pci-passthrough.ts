import { supportPciRequests } from '../../hardware/pci.ts'
import { novaFilter } from '../../parts/nova-filter.ts'

/**
 * Passes hosts with the requested PCI devices. Device requests take devices one after the other. The filter ignores the NUMA cells of
 * devices.
 */
export const pciPassthroughFilter = novaFilter({
  name: 'PciPassthroughFilter',
  description: 'The host has the requested PCI devices.',
  reads: ['pciPools', 'numaCells'],
  cachedBy: ['pciRequests'],
  prepare({ pciRequests }) {
    if (!pciRequests?.length) return undefined
    return ({ pciPools }) => {
      const shortfall = supportPciRequests(pciPools, pciRequests)
      return shortfall === undefined ? undefined : { ...shortfall, source: 'PCI requests' }
    }
  },
})
