import type { Random } from '@gantt/scheduler-core'
import { COMMON_GPU, LARGEST_CELL_CPUS, MAX_FREE_IN_Z2_GIB, RARE_GPU, type Zone, zones } from './host.ts'

/** A request of the demo in the form of the API (RequestSpecInput). */
export interface DemoSpec {
  readonly flavor: {
    readonly name: string
    readonly vcpus: number
    readonly memoryMb: number
    readonly rootGb: number
    readonly extraSpecs: readonly { readonly key: string; readonly value: string }[]
  }
  readonly projectId: string
  readonly availabilityZone?: Zone
  readonly forceHosts?: readonly string[]
  readonly ignoreHosts?: readonly string[]
  readonly instanceUuids: readonly string[]
  readonly instanceGroup?: { readonly uuid: string; readonly policy: 'ANTI_AFFINITY' | 'SOFT_ANTI_AFFINITY' | 'AFFINITY' }
  readonly numaTopology?: { readonly cells: readonly NumaCell[] }
  readonly gpus?: { readonly count: number; readonly shareMilli: number; readonly models: readonly string[] }
}

interface NumaCell {
  readonly id: number
  readonly cpus: readonly number[]
  readonly memoryMb: number
  readonly cpuPolicy: 'dedicated' | 'shared'
}

/** A request that finds no host, and a sentence about the reason. */
export interface FailingExample {
  readonly sentence: string
  readonly spec: DemoSpec
}

const GIANT_GIB = 256
const WIDE_CPUS = LARGEST_CELL_CPUS + 8

/** The requests of the demo that find no host, each for a different reason. The printed links begin with the first of them. */
export function failingExamples(random: Random, licensedHosts: number): readonly FailingExample[] {
  return [
    {
      sentence: `${GIANT_GIB} GiB in z2: the memory hosts there are nearly full, one is ${GIANT_GIB - MAX_FREE_IN_Z2_GIB} GiB short.`,
      spec: aSpec(random, {
        flavor: aFlavor('r1.8xlarge', 32, GIANT_GIB, 80, { class: 'memory' }),
        availabilityZone: 'z2',
        projectId: 'analytics',
      }),
    },
    {
      sentence: `Two ${RARE_GPU} in z3: the model exists, but only in another zone.`,
      spec: aSpec(random, {
        flavor: aFlavor('g2.large', 16, 128, 200, { class: 'gpu' }),
        availabilityZone: 'z3',
        gpus: { count: 2, shareMilli: 1_000, models: [RARE_GPU] },
        projectId: 'ml-training',
      }),
    },
    {
      sentence: `${WIDE_CPUS} dedicated CPUs in one NUMA cell: some hosts have enough, no cell has.`,
      spec: aSpec(random, {
        flavor: aFlavor('n1.wide', WIDE_CPUS, 64, 40, { 'hw:cpu_policy': 'dedicated', 'hw:numa_nodes': '1' }),
        numaTopology: { cells: [aCell(0, WIDE_CPUS, 64)] },
        projectId: 'telephony',
      }),
    },
    {
      sentence: `${licensedHosts + 1} database nodes, each on a host of its own: only ${licensedHosts} hosts have a licence.`,
      spec: aSpec(random, {
        flavor: aFlavor('db1.medium', 2, 8, 100, { 'aggregate_instance_extra_specs:license': 'dbms' }),
        instances: licensedHosts + 1,
        apart: 'ANTI_AFFINITY',
        projectId: 'payments',
      }),
    },
    {
      sentence: 'A flavor with a typing error: look at the aggregate metadata that it requires.',
      spec: aSpec(random, {
        flavor: aFlavor('i1.large', 4, 16, 200, { 'aggregate_instance_extra_specs:disk_type': 'nmve' }),
        projectId: 'search',
      }),
    },
  ]
}

/** How a reservation ends: it is confirmed, released, or left to expire. */
export type Ending = 'confirm' | 'release' | 'forget'

export interface DemoRequest {
  readonly spec: DemoSpec
  readonly ending: Ending
  /** A confirmed claim is released after this many further requests. */
  readonly lifetime: number
}

export interface RequestsOptions {
  /** The mean lifetime of confirmed claims, in requests. */
  readonly meanLifetime: number
  readonly licensedHosts: number
}

/** The next request of a stream; the same random source gives the same sequence. */
export function nextRequest(random: Random, { meanLifetime, licensedHosts }: RequestsOptions): DemoRequest {
  const draw = random.below(100)
  const ending = draw < 92 ? 'confirm' : draw < 97 ? 'release' : 'forget'
  const lifetime = Math.max(1, Math.floor(meanLifetime / 4) + random.below(Math.ceil(meanLifetime * 1.5)))
  return { spec: drawSpec(random, licensedHosts), ending, lifetime }
}

/** The kinds of requests with their shares of the stream. */
const mix: readonly (readonly [weight: number, make: (random: Random, licensedHosts: number) => DemoSpec])[] = [
  [36, (random) => aSpec(random, { flavor: general(random), projectId: oneOf(random, projects) })],
  [
    12,
    (random) =>
      aSpec(random, {
        flavor: general(random),
        instances: 2 + random.below(3),
        apart: random.below(4) === 0 ? 'SOFT_ANTI_AFFINITY' : 'ANTI_AFFINITY',
        projectId: 'web-shop',
      }),
  ],
  [12, (random) => aSpec(random, { flavor: general(random), availabilityZone: oneOf(random, zones), projectId: oneOf(random, projects) })],
  // No request of this kind goes to memory hosts of z2, because the first failing example states how much memory these hosts lack.
  [
    8,
    (random) =>
      aSpec(random, {
        flavor: aFlavor('r1.4xlarge', 16, 96 + 32 * random.below(2), 80, { class: 'memory' }),
        availabilityZone: oneOf(random, ['z1', 'z3']),
        projectId: 'analytics',
      }),
  ],
  [
    9,
    (random) =>
      aSpec(random, {
        flavor: aFlavor('g1.share', 4, 16, 60, { class: 'gpu' }),
        gpus: { count: 1, shareMilli: oneOf(random, [250, 500]), models: [COMMON_GPU] },
        projectId: 'ml-serving',
      }),
  ],
  [
    4,
    (random) =>
      aSpec(random, {
        flavor: aFlavor('g1.whole', 8, 64, 100, { class: 'gpu' }),
        gpus: { count: 1 + random.below(2), shareMilli: 1_000, models: oneOf(random, [[], [RARE_GPU]]) },
        projectId: 'ml-training',
      }),
  ],
  [
    6,
    (random) =>
      aSpec(random, {
        flavor: aFlavor('n1.pinned', 8, 32, 40, { class: 'general', 'hw:cpu_policy': 'dedicated', 'hw:numa_nodes': '2' }),
        numaTopology: { cells: [aCell(0, 4, 16), aCell(1, 4, 16)] },
        projectId: 'telephony',
      }),
  ],
  [
    4,
    (random) =>
      aSpec(random, {
        flavor: aFlavor('c2.large', 4, 16, 80, { class: 'general', 'trait:HW_CPU_X86_AVX512F': 'required' }),
        projectId: 'search',
      }),
  ],
  [
    3,
    (random) =>
      aSpec(random, {
        flavor: aFlavor('i1.large', 4, 16, 200, { 'aggregate_instance_extra_specs:disk_type': 'nvme', class: 'general' }),
        projectId: 'search',
      }),
  ],
  [
    2,
    (random) =>
      aSpec(random, {
        flavor: aFlavor('db1.medium', 2, 8, 100, { 'aggregate_instance_extra_specs:license': 'dbms' }),
        projectId: 'payments',
      }),
  ],
  [4, (random, licensedHosts) => oneOf(random, failingExamples(random, licensedHosts)).spec],
]

const WEIGHTS = mix.reduce((sum, [weight]) => sum + weight, 0)

function drawSpec(random: Random, licensedHosts: number): DemoSpec {
  let left = random.below(WEIGHTS)
  for (const [weight, make] of mix) {
    if (left < weight) return make(random, licensedHosts)
    left -= weight
  }
  throw new RangeError(`no kind of request was drawn, although the weights add up to ${WEIGHTS}`)
}

const projects = ['web-shop', 'payments', 'search', 'intranet', 'ci'] as const

const general = (random: Random): DemoSpec['flavor'] => {
  const [name, vcpus, memoryGib, rootGb] = oneOf(random, [
    ['c1.small', 1, 2, 20],
    ['c1.medium', 2, 4, 40],
    ['c1.large', 4, 16, 80],
    ['c1.xlarge', 8, 32, 160],
  ] as const)
  return aFlavor(name, vcpus, memoryGib, rootGb, { class: 'general' })
}

const aFlavor = (
  name: string,
  vcpus: number,
  memoryGib: number,
  rootGb: number,
  extraSpecs: Readonly<Record<string, string>>,
): DemoSpec['flavor'] => ({
  name,
  vcpus,
  memoryMb: memoryGib * 1_024,
  rootGb,
  extraSpecs: Object.entries(extraSpecs).map(([key, value]) => ({ key, value })),
})

const aCell = (id: number, cpus: number, memoryGib: number): NumaCell => ({
  id,
  cpus: Array.from({ length: cpus }, (_, cpu) => id * cpus + cpu),
  memoryMb: memoryGib * 1_024,
  cpuPolicy: 'dedicated',
})

interface Shape extends Omit<DemoSpec, 'instanceUuids' | 'instanceGroup'> {
  /** How many instances are requested; default: 1. */
  readonly instances?: number
  readonly apart?: 'ANTI_AFFINITY' | 'SOFT_ANTI_AFFINITY'
}

function aSpec(random: Random, { instances = 1, apart, ...spec }: Shape): DemoSpec {
  return {
    ...spec,
    instanceUuids: Array.from({ length: instances }, () => aUuid(random)),
    ...(apart === undefined ? {} : { instanceGroup: { uuid: aUuid(random), policy: apart } }),
  }
}

const oneOf = <Item>(random: Random, items: readonly Item[]): Item => items[random.below(items.length)] as Item

/** A random UUID, version 4. */
export function aUuid(random: Random): string {
  const hex = (digits: number): string => Array.from({ length: digits }, () => random.below(16).toString(16)).join('')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${oneOf(random, ['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`
}
