import type { FullStats } from '@gantt/client'
import type { Gpu } from './readers/gpu.ts'
import type { PciDevice } from './readers/pci.ts'

type Pool = NonNullable<FullStats['pciPools']>[number]

/** The name of a pool in claims: `vendor:product:type@cell?tag=value`, the tags by their names. */
export function poolNameOf({ vendorId, productId, deviceType, numaNode, tags }: Pool): string {
  const kind = [vendorId, productId, ...(deviceType ? [deviceType] : [])].map(encodeURIComponent).join(':')
  const tagged = [...(tags ?? [])]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
  return `${kind}${numaNode == null ? '' : `@${numaNode}`}${tagged.length === 0 ? '' : `?${tagged.join('&')}`}`
}

/** Devices of a kind that operators offer to instances, with the properties that only they know. */
export interface OfferedPci {
  readonly vendor: string
  readonly product: string
  /** For example physical_network: physnet1. */
  readonly tags: Readonly<Record<string, string>>
}

/**
 * Devices for instances, by kind and cell: those that vfio-pci holds, because the machine itself does not use them,
 * and those of the offered kinds. Devices that are reported as GPUs, and PFs whose VFs are in use, are excluded, so
 * that nothing is offered twice.
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
