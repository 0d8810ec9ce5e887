import { readGroupLimits } from './readers/cgroup.ts'
import { type Cpu, type CpuModel, readCpuModel, readCpuTopology, readOnlineCpus } from './readers/cpu.ts'
import { readDisk } from './readers/disk.ts'
import { findGpus, type Gpu } from './readers/gpu.ts'
import { type CpuTimes, readCpuTimes, readLoad } from './readers/load.ts'
import { readMachineId } from './readers/machine-id.ts'
import { readAvailableKib, readMemoryKib } from './readers/memory.ts'
import { type Cell, readCells } from './readers/numa.ts'
import { type PciDevice, readPciDevices } from './readers/pci.ts'
import { type FileSystem, type Reading, reading, type Source, Unreadable, valueIn } from './readers/source.ts'

/** The data that was read about a machine at one moment. If a value could not be read, the reason is in its place. */
export interface Picture {
  /** The architecture, for example x86_64. */
  readonly arch: string
  /** How many CPUs are online. In a container, how many CPUs its control group may use. */
  readonly cpuCount: Reading<number>
  readonly topology: Reading<readonly Cpu[]>
  readonly model: Reading<CpuModel>
  readonly memoryKib: Reading<number>
  readonly disk: Reading<FileSystem>
  readonly cells: Reading<readonly Cell[]>
  readonly devices: Reading<readonly PciDevice[]>
  readonly gpus: Reading<readonly Gpu[]>
  /** An id of the machine that stays the same when the machine is renamed. */
  readonly machineId: Reading<string>
  /** True if the machine supports hardware virtualization. */
  readonly canVirtualize: Reading<true>
  readonly load: Load
}

/** The values that change all the time. */
export interface Load {
  readonly times: Reading<CpuTimes>
  /** The load average of the last minute. */
  readonly running: Reading<number>
  readonly availableKib: Reading<number>
}

export interface PictureOptions {
  readonly arch: string
  /** A folder on the file system with the disks of instances. */
  readonly diskFolder: string
  /** True if the machine is a container. Its resources are then limited by its control groups. */
  readonly isContainer: boolean
}

/** Reads the state of the machine. Never throws: if a value cannot be read, the result has the reason in its place. */
export function readPicture(source: Source, { arch, diskFolder, isContainer }: PictureOptions): Picture {
  const limits = isContainer ? readGroupLimits(source) : undefined
  const topology = reading(() => readCpuTopology(source))
  const devices = reading(() => readPciDevices(source))
  return {
    arch,
    cpuCount: reading(() => Math.min(readOnlineCpus(source).length, limits?.cpus ?? Number.POSITIVE_INFINITY)),
    topology,
    model: reading(() => readCpuModel(source)),
    memoryKib: reading(() => Math.min(readMemoryKib(source), limits?.memoryKib ?? Number.POSITIVE_INFINITY)),
    disk: reading(() => readDisk(source, diskFolder)),
    cells: isContainer ? { notReported: 'a container has a share of the NUMA cells, not whole cells' } : readCellsOf(source, topology),
    devices: isContainer ? { notReported: 'a container does not own the devices' } : devices,
    gpus: isContainer
      ? { notReported: 'a container does not own the devices' }
      : 'value' in devices
        ? { value: findGpus(source, devices.value) }
        : devices,
    machineId: isContainer ? { notReported: 'in a container, this is the id of the image' } : reading(() => readMachineId(source)),
    canVirtualize: reading(() => {
      if (!source.has('dev/kvm')) throw new Unreadable('/dev/kvm: it does not exist')
      return true
    }),
    load: {
      times: reading(() => readCpuTimes(source)),
      running: reading(() => readLoad(source)),
      availableKib: reading(() => readAvailableKib(source)),
    },
  }
}

const readCellsOf = (source: Source, topology: Reading<readonly Cpu[]>): Reading<readonly Cell[]> =>
  'value' in topology ? reading(() => readCells(source, topology.value)) : topology

/** The name of each value in warnings. */
const LABELS: Readonly<Record<Exclude<keyof Picture, 'arch' | 'load'> | keyof Load, string>> = {
  cpuCount: 'the number of CPUs',
  topology: 'the CPU topology',
  model: 'the CPU model',
  memoryKib: 'the memory size',
  disk: 'the disk size',
  cells: 'the list of NUMA cells',
  devices: 'the list of PCI devices',
  gpus: 'the list of GPUs',
  machineId: 'the machine id',
  canVirtualize: 'hardware virtualization',
  times: 'the CPU time',
  running: 'the load average',
  availableKib: 'the available memory',
}

/** Returns warnings for operators about values that could not be read and values that contradict each other. */
export function remarksOn(picture: Picture): readonly string[] {
  const { load, arch: _, ...parts } = picture
  const read = { ...parts, ...load }
  const unread = Object.entries(LABELS).flatMap(([part, label]) => {
    const found = read[part as keyof typeof LABELS]
    return 'notReported' in found ? [`${label} is not reported: ${found.notReported}`] : []
  })
  const cellsKib = valueIn(picture.cells)?.reduce((sum, { memoryKib }) => sum + memoryKib, 0)
  const memoryKib = valueIn(picture.memoryKib)
  if (cellsKib === undefined || memoryKib === undefined || Math.abs(cellsKib - memoryKib) <= memoryKib / 10) return unread
  return [
    ...unread,
    `the cells have ${mib(cellsKib)} MiB together, and the machine ${mib(memoryKib)} MiB: both are reported as they were read`,
  ]
}

const mib = (kib: number): number => Math.floor(kib / 1_024)
