import { reading, type Source, valueIn } from './source.ts'

/** A PCI device. */
export interface PciDevice {
  /** The address, for example 0000:3b:00.0. */
  readonly address: string
  /** The vendor id, four hexadecimal digits. */
  readonly vendor: string
  /** The product id, four hexadecimal digits. */
  readonly product: string
  /** The PCI class, six hexadecimal digits: two each for class, subclass and interface. */
  readonly class: string
  /** The NUMA cell of the device. Undefined if the machine does not report it. */
  readonly cell: number | undefined
  /** PF: a physical function that can be divided into virtual functions. VF: a virtual function. PCI: any other device. */
  readonly type: 'type-PCI' | 'type-PF' | 'type-VF'
  /** How many virtual functions a physical function is divided into now. */
  readonly parts: number
  readonly driver: string | undefined
  /** True if the device is the display controller with which the machine boots. */
  readonly isBootScreen: boolean
}

const DEVICES = 'sys/bus/pci/devices'

/** Reads all PCI devices, in the order of their addresses. Throws Unreadable on a machine without a PCI bus. */
export const readPciDevices = (source: Source): readonly PciDevice[] =>
  source.names(DEVICES).map((address) => {
    const folder = `${DEVICES}/${address}`
    const digits = (file: string): string => source.text(`${folder}/${file}`).replace(/^0x/, '')
    const cell = valueIn(reading(() => source.number(`${folder}/numa_node`)))
    const isDivisible = source.has(`${folder}/sriov_totalvfs`)
    return {
      address,
      vendor: digits('vendor'),
      product: digits('device'),
      class: digits('class'),
      // The kernel writes -1 if the firmware does not report the cell.
      cell: cell === undefined || cell < 0 ? undefined : cell,
      type: source.has(`${folder}/physfn`) ? 'type-VF' : isDivisible ? 'type-PF' : 'type-PCI',
      parts: isDivisible ? (valueIn(reading(() => source.number(`${folder}/sriov_numvfs`))) ?? 0) : 0,
      driver: source.target(`${folder}/driver`),
      isBootScreen: valueIn(reading(() => source.number(`${folder}/boot_vga`))) === 1,
    }
  })
