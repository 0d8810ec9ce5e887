import { reading, type Source, valueIn } from './source.ts'

/** A PCI device. */
export interface PciDevice {
  /** E.g. 0000:3b:00.0. */
  readonly address: string
  /** Four hexadecimal digits. */
  readonly vendor: string
  /** Four hexadecimal digits. */
  readonly product: string
  /** Six hexadecimal digits: class, subclass, interface. */
  readonly class: string
  /** Undefined where the machine does not say. */
  readonly cell: number | undefined
  /** PF: it can be divided. VF: a part of one that is. */
  readonly type: 'type-PCI' | 'type-PF' | 'type-VF'
  /** Parts that a PF is divided into now. */
  readonly parts: number
  readonly driver: string | undefined
  /** The screen that the machine starts with. */
  readonly isBootScreen: boolean
}

const DEVICES = 'sys/bus/pci/devices'

/** All PCI devices, by address. Throws Unreadable on a machine without the bus. */
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
      // -1: the firmware does not say
      cell: cell === undefined || cell < 0 ? undefined : cell,
      type: source.has(`${folder}/physfn`) ? 'type-VF' : isDivisible ? 'type-PF' : 'type-PCI',
      parts: isDivisible ? (valueIn(reading(() => source.number(`${folder}/sriov_numvfs`))) ?? 0) : 0,
      driver: source.target(`${folder}/driver`),
      isBootScreen: valueIn(reading(() => source.number(`${folder}/boot_vga`))) === 1,
    }
  })
