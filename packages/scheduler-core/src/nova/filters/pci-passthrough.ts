import { supportPciRequests } from '../hardware/pci.ts'
import { novaFilter } from '../parts/nova-filter.ts'

/**
 * The host has the PCI devices that the request asks for, each request after the ones before it. The cells of the devices do not matter to
 * this filter.
 */
export const pciPassthroughFilter = novaFilter({
  name: 'PciPassthroughFilter',
  description: 'The host has the PCI devices that are asked for.',
  reads: ['pciPools', 'numaCells'],
  prepare({ pciRequests }) {
    if (!pciRequests?.length) return undefined
    return ({ pciPools }) => {
      const shortfall = supportPciRequests(pciPools, pciRequests)
      return shortfall === undefined ? undefined : { ...shortfall, source: 'PCI requests' }
    }
  },
})
