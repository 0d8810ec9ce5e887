import type { Picture } from '../picture.ts'
import type { Cpu } from '../readers/cpu.ts'
import type { Offer } from '../report.ts'

/** A simulated machine. It does not exist, but the simulation makes reports from its `picture`. */
export interface Machine {
  readonly name: string
  readonly picture: Picture
  readonly offer: Offer
}

interface Type {
  readonly word: string
  readonly sockets: number
  readonly coresPerSocket: number
  readonly threads: number
  readonly memoryGib: number
  readonly diskGib: number
  /** How many huge pages of 2 MiB each cell has. */
  readonly hugePages: number
  readonly gpus: number
  /** The number of virtual functions that the network card has for instances. */
  readonly networkParts: number
}

/** The types of simulated machines. In a simulated fleet, consecutive machines have consecutive types. */
const TYPES: readonly Type[] = [
  { word: 'plain', sockets: 2, coresPerSocket: 16, threads: 2, memoryGib: 256, diskGib: 1_800, hugePages: 0, gpus: 0, networkParts: 0 },
  { word: 'telco', sockets: 2, coresPerSocket: 24, threads: 2, memoryGib: 384, diskGib: 900, hugePages: 65_536, gpus: 0, networkParts: 16 },
  { word: 'gpu', sockets: 2, coresPerSocket: 32, threads: 1, memoryGib: 1_024, diskGib: 7_200, hugePages: 0, gpus: 8, networkParts: 0 },
  { word: 'edge', sockets: 1, coresPerSocket: 8, threads: 1, memoryGib: 32, diskGib: 240, hugePages: 0, gpus: 0, networkParts: 0 },
]

/** Creates the machine with this index. The machine is the same in fleets of all sizes with the same prefix. */
export function machineAt(index: number, prefix: string): Machine {
  const type = TYPES[index % TYPES.length] as Type
  const name = `${prefix}-${type.word}-${String(Math.floor(index / TYPES.length) + 1).padStart(4, '0')}`
  return {
    name,
    picture: { ...pictureOf(type), machineId: { value: `simulated ${name}` } },
    offer: {
      nodeName: name,
      hostIp: `10.${200 + Math.floor(index / 65_536)}.${Math.floor(index / 256) % 256}.${index % 256}`,
      reserved: { cpus: 0, memoryMb: 512, diskGb: 0 },
      ratios: { cpu: 4, ram: 1, disk: 1 },
      pci: type.networkParts > 0 ? [{ vendor: '8086', product: '154c', tags: { physical_network: 'physnet1' } }] : [],
    },
  }
}

const SIMULATED = { notReported: 'the machine is simulated' }
const FLAGS = ['sse2', 'ssse3', 'sse4_1', 'sse4_2', 'aes', 'avx', 'avx2', 'fma', 'bmi1', 'bmi2', 'vmx']

function pictureOf(type: Type): Omit<Picture, 'machineId'> {
  const cpus = cpusOf(type)
  const memoryKib = type.memoryGib * 2 ** 20
  return {
    arch: 'x86_64',
    cpuCount: { value: cpus.length },
    topology: { value: cpus },
    model: { value: { vendor: 'GenuineIntel', model: 'Intel(R) Xeon(R) Gold 6338', flags: FLAGS } },
    memoryKib: { value: memoryKib },
    disk: { value: { totalBytes: type.diskGib * 2 ** 30, freeBytes: (type.diskGib - 20) * 2 ** 30 } },
    cells: { value: Array.from({ length: type.sockets }, (_, id) => cellOf(type, id, cpus, memoryKib / type.sockets)) },
    devices: {
      value: Array.from({ length: type.networkParts }, (_, part) => ({
        address: `0000:3b:02.${part}`,
        vendor: '8086',
        product: '154c',
        class: '020000',
        cell: 0,
        type: 'type-VF' as const,
        parts: 0,
        driver: undefined,
        isBootScreen: false,
      })),
    },
    gpus: {
      value: Array.from({ length: type.gpus }, (_, index) => ({
        index,
        address: `0000:${index + 10}:00.0`,
        model: 'NVIDIA L40S',
        cell: undefined,
      })),
    },
    canVirtualize: { value: true },
    load: { times: SIMULATED, running: SIMULATED, availableKib: SIMULATED },
  }
}

/** The CPUs of a machine. As on most machines, the first threads of all cores have the lowest ids, followed by the second threads. */
function cpusOf({ sockets, coresPerSocket, threads }: Type): readonly Cpu[] {
  const cores = sockets * coresPerSocket
  return Array.from({ length: cores * threads }, (_, id) => ({
    id,
    socket: Math.floor((id % cores) / coresPerSocket),
    core: Array.from({ length: threads }, (_, thread) => (id % cores) + thread * cores),
  }))
}

function cellOf({ hugePages, threads }: Type, id: number, all: readonly Cpu[], memoryKib: number) {
  const cpus = all.filter(({ socket }) => socket === id)
  const cores = new Map(cpus.map(({ core }) => [core.join(), core]))
  const huge = { sizeKib: 2_048, total: hugePages }
  return {
    id,
    cpus: cpus.map((cpu) => cpu.id),
    memoryKib,
    siblings: threads > 1 ? [...cores.values()] : [],
    socket: id,
    pages: [{ sizeKib: 4, total: (memoryKib - huge.sizeKib * hugePages) / 4 }, huge],
  }
}
