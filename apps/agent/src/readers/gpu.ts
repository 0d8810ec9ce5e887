import type { PciDevice } from './pci.ts'
import { reading, type Source, valueIn } from './source.ts'

/** A GPU of the machine. */
export interface Gpu {
  /** In the order of addresses, from 0. */
  readonly index: number
  readonly address: string
  /** The name by its driver; otherwise vendor:product, e.g. 10de:20b5. */
  readonly model: string
  readonly cell: number | undefined
}

/** 3D controllers and accelerators; and display controllers by makers of GPUs, except for the one that the machine boots with. */
const COMPUTING = /^(0302|1200)/
const SCREEN = /^0300/
const MAKERS = new Set(['10de', '1002', '8086'])

/** GPUs among the PCI devices. Parts of a divided GPU are PCI devices and not GPUs. */
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

/** The data of NVIDIA's driver, or AMD's; a device that is set aside for instances has neither. */
function modelOf(source: Source, address: string): string | undefined {
  const information = valueIn(reading(() => source.text(`proc/driver/nvidia/gpus/${address}/information`)))
  const product = valueIn(reading(() => source.text(`sys/bus/pci/devices/${address}/product_name`)))
  return /^Model:\s+(.+)$/m.exec(information ?? '')?.[1] || product || undefined
}
