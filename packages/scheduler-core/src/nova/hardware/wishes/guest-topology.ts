import { quote } from '../../../text/problem.ts'
import { cpuListParser } from '../../text/cpu-list.ts'
import { type ImageProperties, MAX_NUMA_NODES } from '../../text/image-properties.ts'
import { NovaError } from '../../text/nova-error.ts'
import { pythonInt } from '../../text/numbers.ts'
import type { GuestCell, GuestTopology } from '../topology.ts'
import { type CpuWishes, cpuWishes, rangeOf } from './cpu-wishes.ts'
import type { FlavorSize } from './flavor-wishes.ts'
import { checkLockedMemory, nodeCount, pageSize, wantsPersistentMemory } from './memory-wishes.ts'

/** The maximum number of virtual CPUs of a flavor. Each CPU is handled individually, so more would take too long. Nova has no limit. */
const MAX_VCPUS = 65_536

/**
 * The NUMA topology that a flavor and an image require. Null if they require no NUMA nodes, no memory pages, no pinned CPUs and no
 * persistent memory. Throws NovaError with the name of Nova's exception.
 */
export function guestTopologyFor(flavor: FlavorSize, image: ImageProperties): GuestTopology | null {
  if (flavor.vcpus > MAX_VCPUS)
    throw new NovaError('InvalidRequest', `the flavor has ${flavor.vcpus} virtual CPUs; at most ${MAX_VCPUS} are allowed`)
  const cpus = cpuWishes(flavor, image)
  const nodes = nodeCount(flavor, image)
  const pagesize = pageSize(flavor, image)
  checkLockedMemory(flavor, image)
  if (!nodes && !pagesize && !wantsPersistentMemory(flavor) && cpus.cpuPolicy !== 'dedicated' && cpus.cpuPolicy !== 'mixed') return null
  const shares = nodeShares(nodes ?? 1, flavor, image)
  const cells = shares.map((share, id) => cellOf(id, share, cpus, pagesize))
  return { cells, emulatorThreadsPolicy: cpus.emulatorPolicy }
}

/** The CPUs and the memory of a flavor that one NUMA node of the guest gets. */
interface NodeShare {
  readonly cpus: readonly number[]
  readonly memory: number
}

/** Divides a flavor's CPUs and memory among the NUMA nodes. The shares are equal, unless flavor or image state them for every node. */
function nodeShares(nodes: number, flavor: FlavorSize, image: ImageProperties): readonly NodeShare[] {
  const cpus = perNode(flavor, image, 'numa_cpus', cpuListParser())
  const memory = perNode(flavor, image, 'numa_mem', pythonInt)
  if (cpus === null && memory === null) return equalShares(nodes, flavor)
  if (cpus === null || memory === null || cpus.length !== nodes || memory.length !== nodes) {
    throw new NovaError(
      'ImageNUMATopologyIncomplete',
      `${nodes} nodes each need CPUs and memory; CPUs are given for ${cpus?.length ?? 0}, and memory for ${memory?.length ?? 0}`,
    )
  }
  checkCpus(cpus, flavor)
  const total = memory.reduce((sum, mib) => sum + mib, 0)
  if (total !== flavor.memoryMib) {
    throw new NovaError('ImageNUMATopologyMemoryOutOfRange', `the nodes have ${total} MiB together; the flavor has ${flavor.memoryMib}`)
  }
  return cpus.map((list, node) => ({ cpus: list, memory: memory[node] as number }))
}

function equalShares(nodes: number, flavor: FlavorSize): readonly NodeShare[] {
  if (flavor.vcpus % nodes !== 0 || flavor.memoryMib % nodes !== 0) {
    throw new NovaError(
      'ImageNUMATopologyAsymmetric',
      `${flavor.vcpus} CPUs and ${flavor.memoryMib} MiB are not divisible by ${nodes} nodes`,
    )
  }
  const count = flavor.vcpus / nodes
  return rangeOf(nodes).map((node) => ({ cpus: rangeOf(count).map((cpu) => node * count + cpu), memory: flavor.memoryMib / nodes }))
}

/** Throws an error unless every virtual CPU is in exactly one node. */
function checkCpus(nodes: readonly (readonly number[])[], flavor: FlavorSize): void {
  const free = new Set(rangeOf(flavor.vcpus))
  for (const cpu of nodes.flat()) {
    if (cpu >= flavor.vcpus)
      throw new NovaError('ImageNUMATopologyCPUOutOfRange', `CPU ${cpu} of a node is beyond the ${flavor.vcpus} of the flavor`)
    if (!free.delete(cpu)) throw new NovaError('ImageNUMATopologyCPUDuplicates', `CPU ${cpu} is in two nodes`)
  }
  if (free.size > 0) throw new NovaError('ImageNUMATopologyCPUsUnassigned', `CPUs ${[...free].join(', ')} are in no node`)
}

/** Reads `hw:<key>.0`, `hw:<key>.1` and so on of the flavor, up to the first missing key, or the image's list. Null if neither exists. */
function perNode<Value>(flavor: FlavorSize, image: ImageProperties, key: string, read: (text: string) => Value): readonly Value[] | null {
  const ofFlavor: Value[] = []
  for (let node = 0; node < MAX_NUMA_NODES; node += 1) {
    const text = flavor.extraSpecs[`hw:${key}.${node}`]
    if (text === undefined) break
    ofFlavor.push(read(text))
  }
  const ofImage = image[`hw_${key}`]
  if (ofFlavor.length === 0) return (ofImage as readonly Value[] | undefined) ?? null
  if (ofImage !== undefined)
    throw new NovaError('ImageNUMATopologyForbidden', `${quote(`hw_${key}`)} of the image cannot be combined with hw:${key} of the flavor`)
  return ofFlavor
}

function cellOf(
  id: number,
  { cpus, memory }: NodeShare,
  { cpuPolicy, threadPolicy, pinned }: CpuWishes,
  pagesize: number | null,
): GuestCell {
  const own = new Set(pinned)
  return {
    id,
    cpuset: cpus.filter((cpu) => !own.has(cpu)),
    pcpuset: cpus.filter((cpu) => own.has(cpu)),
    memory,
    pagesize: pagesize === null ? null : Math.trunc(pagesize),
    cpuPolicy,
    cpuThreadPolicy: threadPolicy,
    cpuPinning: null,
    cpusetReserved: null,
  }
}
