import type { PciDevice } from './pci.ts'
import { reading, type Source, valueIn } from './source.ts'

/** A GPU that is reported for computing. */
export interface Gpu {
  /** The index of the GPU, from 0, in the order of PCI addresses. */
  readonly index: number
  readonly address: string
  /** The model name from the driver, or vendor:product (10de:20b5) if the driver has none. */
  readonly model: string
  /** The NUMA cell of the GPU. Undefined if the machine does not report it. */
  readonly cell: number | undefined
}

/**
 * The PCI classes of GPUs for computing: 3D controllers and accelerators. A display controller of a GPU maker is also a GPU, unless the
 * machine boots with it.
 */
const COMPUTING = /^(0302|1200)/
const SCREEN = /^0300/
const MAKERS = new Set(['10de', '1002', '8086'])

/** Finds the GPUs among the PCI devices. Virtual functions of a GPU are not GPUs: they are reported as PCI devices. */
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

/** Reads the model name from the driver of NVIDIA or AMD. Undefined if the device has another driver, such as vfio-pci. */
function modelOf(source: Source, address: string): string | undefined {
  const information = valueIn(reading(() => source.text(`proc/driver/nvidia/gpus/${address}/information`)))
  const product = valueIn(reading(() => source.text(`sys/bus/pci/devices/${address}/product_name`)))
  return /^Model:\s+(.+)$/m.exec(information ?? '')?.[1] || product || undefined
}
