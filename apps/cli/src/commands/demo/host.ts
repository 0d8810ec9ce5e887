import { createRandom, type HostStatsV1_0, type Random } from '@gantt/scheduler-core'

/** The demo's three kinds of hosts. Each is also the name and the class of an aggregate. */
export const kinds = ['general', 'memory', 'gpu'] as const
export type Kind = (typeof kinds)[number]

export const zones = ['z1', 'z2', 'z3'] as const
export type Zone = (typeof zones)[number]

/** The report of a demo host on which no instance of a claim runs yet. */
export type DemoStats = Pick<
  HostStatsV1_0,
  | 'vcpus'
  | 'vcpusUsed'
  | 'memoryMb'
  | 'memoryMbUsed'
  | 'localGb'
  | 'localGbUsed'
  | 'cpuAllocationRatio'
  | 'ramAllocationRatio'
  | 'diskAllocationRatio'
  | 'runningVms'
  | 'instances'
  | 'numIoOps'
  | 'hypervisorType'
  | 'hypervisorVersion'
  | 'cpuInfo'
  | 'hostIp'
  | 'supportedInstances'
  | 'numaCells'
  | 'gpus'
  | 'traits'
>

export interface DemoHost {
  /** A name such as z1-r03-cmp-07: zone, rack, kind and position in the rack. */
  readonly name: string
  readonly zone: Zone
  /** The rack within the zone, counted from 1. */
  readonly rack: number
  readonly kind: Kind
  readonly stats: DemoStats
}

/** The GPU model that only some hosts of zone z1 have. All other GPU hosts have the common model. */
export const RARE_GPU = 'NVIDIA-H100-80GB'
export const COMMON_GPU = 'NVIDIA-L40S'

/** How many CPUs the largest NUMA cell in the fleet has. */
export const LARGEST_CELL_CPUS = 32

/** The memory hosts of z2 have at most this much free memory, in GiB. Exactly one host has this much. */
export const MAX_FREE_IN_Z2_GIB = 250

const HOSTS_PER_RACK = 12
/** The kind of the host at each position of a rack. The first three kinds differ, so that small fleets have all kinds. */
const RACK: readonly Kind[] = [
  'general',
  'memory',
  'gpu',
  'general',
  'general',
  'general',
  'memory',
  'general',
  'gpu',
  'general',
  'general',
  'general',
]

interface Shape {
  readonly short: string
  readonly cellCpus: number
  readonly memoryGib: number
  readonly localGb: number
  readonly cpuRatio: number
  readonly ramRatio: number
}

const shapes: Readonly<Record<Kind, Shape>> = {
  general: { short: 'cmp', cellCpus: 16, memoryGib: 256, localGb: 3_600, cpuRatio: 4, ramRatio: 1.2 },
  memory: { short: 'mem', cellCpus: 24, memoryGib: 2_048, localGb: 7_200, cpuRatio: 2, ramRatio: 1 },
  gpu: { short: 'gpu', cellCpus: LARGEST_CELL_CPUS, memoryGib: 1_024, localGb: 14_400, cpuRatio: 1.5, ramRatio: 1 },
}

const CELLS = 2
const GPUS = 8
const MIB_PER_GIB = 1_024

/**
 * The host at an index of the fleet. It depends on the seed but not on the size of the fleet. A larger fleet therefore contains every
 * smaller one. Consecutive hosts are in different zones, and racks are filled one after the other.
 */
export function hostAt(index: number, seed: string): DemoHost {
  const zone = zones[index % zones.length] as Zone
  const position = Math.floor(index / zones.length)
  const rack = Math.floor(position / HOSTS_PER_RACK) + 1
  const slot = position % HOSTS_PER_RACK
  const kind = RACK[slot] as Kind
  const name = `${zone}-r${twoDigits(rack)}-${shapes[kind].short}-${twoDigits(slot + 1)}`
  const random = createRandom(`${seed}/${name}`)
  const hostIp = `10.${zones.indexOf(zone) + 1 + 10 * Math.floor(rack / 256)}.${rack % 256}.${slot + 10}`
  return { name, zone, rack, kind, stats: { ...statsOf({ zone, rack, slot, kind }, random), hostIp } }
}

interface Position {
  readonly zone: Zone
  readonly rack: number
  readonly slot: number
  readonly kind: Kind
}

function statsOf(position: Position, random: Random): Omit<DemoStats, 'hostIp'> {
  const { zone, rack, slot, kind } = position
  const { cellCpus, memoryGib, localGb, cpuRatio, ramRatio } = shapes[kind]
  const vcpus = CELLS * cellCpus
  const load = loadOf(random)
  const memoryUsedGib = kind === 'memory' ? memoryHostUse(position, random) : percentOf(memoryGib * ramRatio, load, random)
  const vcpusUsed = percentOf(vcpus * cpuRatio, kind === 'memory' ? 20 : load, random)
  const isModern = kind !== 'general' || rack % 2 === 1
  return {
    vcpus,
    vcpusUsed,
    memoryMb: memoryGib * MIB_PER_GIB,
    memoryMbUsed: memoryUsedGib * MIB_PER_GIB,
    localGb,
    localGbUsed: percentOf(localGb, load, random),
    cpuAllocationRatio: cpuRatio,
    ramAllocationRatio: ramRatio,
    diskAllocationRatio: 1,
    runningVms: 0,
    instances: [],
    numIoOps: random.below(4),
    hypervisorType: 'QEMU',
    hypervisorVersion: 8_002_000,
    cpuInfo: {
      arch: 'x86_64',
      ...(isModern ? { vendor: 'Intel', model: 'Icelake-Server' } : { vendor: 'AMD', model: 'EPYC-Rome' }),
      features: [],
      sockets: CELLS,
      cores: cellCpus / 2,
      threads: 2,
    },
    supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }],
    numaCells: Array.from({ length: CELLS }, (_, id) => ({
      id,
      cpuset: cpusets[kind][id] as number[],
      memoryMb: (memoryGib * MIB_PER_GIB) / CELLS,
      memoryUsageMb: Math.floor((memoryUsedGib * MIB_PER_GIB) / CELLS),
      cpuUsage: Math.floor(vcpusUsed / CELLS),
      // On general hosts at every fourth position of a rack, if the load is below 60 %, one instance has two dedicated CPUs of the first
      // cell.
      pinnedCpus: kind === 'general' && load < 60 && id === 0 && slot % 4 === 3 ? (cpusets[kind][0] as number[]).slice(0, 2) : [],
    })),
    gpus: kind === 'gpu' ? gpusOf(zone === 'z1' && slot < HOSTS_PER_RACK / 2 ? RARE_GPU : COMMON_GPU, random) : [],
    traits: [
      'HW_CPU_X86_AVX2',
      ...(isModern ? ['HW_CPU_X86_AVX512F'] : []),
      ...(kind === 'gpu' && zone === 'z1' && slot < HOSTS_PER_RACK / 2 ? ['CUSTOM_NVLINK'] : []),
    ],
  }
}

/** The ids of the host CPUs in each cell, by kind. All hosts of a kind have the same lists. */
const cpusets: Readonly<Record<Kind, readonly number[][]>> = {
  general: cpusetsOf('general'),
  memory: cpusetsOf('memory'),
  gpu: cpusetsOf('gpu'),
}

function cpusetsOf(kind: Kind): number[][] {
  const { cellCpus } = shapes[kind]
  return Array.from({ length: CELLS }, (_, cell) => Array.from({ length: cellCpus }, (_, cpu) => cell * cellCpus + cpu))
}

/** The percentage of a host that its own report states as used. One host in six is nearly full. */
const loadOf = (random: Random): number => (random.below(6) === 0 ? 86 + random.below(10) : 10 + random.below(50))

const percentOf = (whole: number, percent: number, random: Random): number =>
  Math.floor((whole * Math.min(97, Math.max(2, percent - 4 + random.below(8)))) / 100)

/**
 * The used memory of a memory host in GiB. In z2, the first memory host has MAX_FREE_IN_Z2_GIB free and the other memory hosts have less.
 * In the other zones, about 40 to 80 % of the memory is free.
 */
function memoryHostUse({ zone, rack, slot }: Position, random: Random): number {
  const total = shapes.memory.memoryGib
  if (zone !== 'z2') return percentOf(total, 25 + random.below(30), random)
  const isFirst = rack === 1 && slot === RACK.indexOf('memory')
  return total - (isFirst ? MAX_FREE_IN_Z2_GIB : 40 + random.below(MAX_FREE_IN_Z2_GIB - 48))
}

/** The GPUs of a host. At random, the report shows a GPU as free, half used or completely used. */
const gpusOf = (model: string, random: Random): DemoStats['gpus'] =>
  Array.from({ length: GPUS }, (_, index) => {
    const draw = random.below(10)
    return { index, model, usedMilli: draw < 2 ? 1_000 : draw < 3 ? 500 : 0 }
  })

const twoDigits = (number: number): string => String(number).padStart(2, '0')
