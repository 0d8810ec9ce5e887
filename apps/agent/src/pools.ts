import type { FullStats } from '@gantt/client'
import type { Gpu } from './readers/gpu.ts'
import type { PciDevice } from './readers/pci.ts'

type Pool = NonNullable<FullStats['pciPools']>[number]

/** The name that claims use for a pool of PCI devices: `vendor:product:type@cell?tag=value`, with the tags sorted by name. */
export function poolNameOf({ vendorId, productId, deviceType, numaNode, tags }: Pool): string {
  const kind = [vendorId, productId, ...(deviceType ? [deviceType] : [])].map(encodeURIComponent).join(':')
  const tagged = [...(tags ?? [])]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
  return `${kind}${numaNode == null ? '' : `@${numaNode}`}${tagged.length === 0 ? '' : `?${tagged.join('&')}`}`
}

/** A kind of PCI device that operators offer to instances, with properties that the agent cannot read from the machine. */
export interface OfferedPci {
  readonly vendor: string
  readonly product: string
  /** Properties such as physical_network: physnet1. */
  readonly tags: Readonly<Record<string, string>>
}

/**
 * Groups the PCI devices for instances by kind and cell. The devices for instances are devices with the driver vfio-pci, which the machine
 * itself does not use, and devices of the kinds in `offered`. Devices that are reported as GPUs, and physical functions with virtual
 * functions, are left out, so that nothing is offered twice.
 */
export function poolsOf(devices: readonly PciDevice[], gpus: readonly Gpu[], offered: readonly OfferedPci[]): readonly Pool[] {
  const asGpus = new Set(gpus.map(({ address }) => address))
  const pools = new Map<string, Pool>()
  for (const device of devices) {
    const offer = offered.find(({ vendor, product }) => vendor === device.vendor && product === device.product)
    if (asGpus.has(device.address) || device.parts > 0 || (offer === undefined && device.driver !== 'vfio-pci')) continue
    const { vendor: vendorId, product: productId, type: deviceType, cell } = device
    const key = [vendorId, productId, deviceType, cell].join()
    const tags = Object.entries(offer?.tags ?? {}).map(([name, value]) => ({ key: name, value }))
    const total = (pools.get(key)?.total ?? 0) + 1
    pools.set(key, {
      vendorId,
      productId,
      deviceType,
      ...(cell !== undefined && { numaNode: cell }),
      ...(tags.length > 0 && { tags }),
      total,
    })
  }
  return [...pools.values()]
}
