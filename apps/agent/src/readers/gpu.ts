import type { PciDevice } from './pci.ts'
import { reading, type Source, valueIn } from './source.ts'

/** A GPU of the machine. */
export interface Gpu {
  /** The index of the GPU in the order of addresses, from 0. */
  readonly index: number
  readonly address: string
  /** The name from the driver; otherwise vendor:product, for example 10de:20b5. */
  readonly model: string
  readonly cell: number | undefined
}

/**
 * PCI classes for computing: 3D controllers and accelerators. Display controllers of GPU makers are added, except for the one with which
 * the machine boots.
 */
const COMPUTING = /^(0302|1200)/
const SCREEN = /^0300/
const MAKERS = new Set(['10de', '1002', '8086'])

/** The GPUs among the PCI devices. Parts of a divided GPU are reported as PCI devices, and not as GPUs. */
export const findGpus = (source: Source, devices: readonly PciDevice[]): readonly Gpu[] =>
  devices.filter(isGpu).map(({ address, vendor, product, cell }, index) => ({
    index,
    address,
    model: modelOf(source, address) ?? `${vendor}:${product}`,
    cell,
  }))

const isGpu = (device: PciDevice): boolean =>
  device.type !== 'type-VF' &&
  (COMPUTING.test(device.class) || (SCREEN.test(device.class) && MAKERS.has(device.vendor) && !device.isBootScreen))

/** The model in the data of NVIDIA's or AMD's driver; undefined for a device that is set aside for instances and has neither driver. */
function modelOf(source: Source, address: string): string | undefined {
  const information = valueIn(reading(() => source.text(`proc/driver/nvidia/gpus/${address}/information`)))
  const product = valueIn(reading(() => source.text(`sys/bus/pci/devices/${address}/product_name`)))
  return /^Model:\s+(.+)$/m.exec(information ?? '')?.[1] || product || undefined
}
