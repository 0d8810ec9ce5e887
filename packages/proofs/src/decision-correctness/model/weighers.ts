import type { RequestSpec } from '@gantt/scheduler-core'
import { cellsOf } from './cells.ts'
import { demandOf } from './demand.ts'
import { capacity, claimsOn, free, instancesOn, ioOpsOn, membersOn } from './fleet.ts'
import { fitting, gpusOf, leastFragmenting, type ModelGpu, type Options, type ScaledResource } from './gpu.ts'
import { assignCells, freeShare, guestCellsOf } from './numa.ts'
import type { ModelFleet, ModelHost } from './state.ts'

export interface ModelWeigher {
  raw(request: RequestSpec, fleet: ModelFleet, host: ModelHost, options: Options): number
  /** The lower bound of minmax normalisation is at most this value, even if all raw values are larger. */
  readonly from?: number
  /** The metadata key with which aggregates may set another multiplier. */
  readonly key?: string
}

/** The weighers of this service by name. A higher value is better. */
export const weighers: Readonly<Record<string, ModelWeigher>> = {
  RAMWeigher: { raw: (_, fleet, host) => roomOf(fleet, host, 'MEMORY_MB'), from: 0, key: 'ram_weight_multiplier' },
  CPUWeigher: { raw: (_, fleet, host) => roomOf(fleet, host, 'VCPU'), from: 0, key: 'cpu_weight_multiplier' },
  DiskWeigher: { raw: (_, fleet, host) => roomOf(fleet, host, 'DISK_GB'), from: 0, key: 'disk_weight_multiplier' },
  IoOpsWeigher: { raw: (_, fleet, host) => ioOpsOn(fleet, host), from: 0, key: 'io_ops_weight_multiplier' },
  NumInstancesWeigher: { raw: (_, fleet, host) => instancesOn(fleet, host), key: 'num_instances_weight_multiplier' },
  ServerGroupSoftAffinityWeigher: {
    raw: (request, fleet, host) => softMembers(request, fleet, host, 'SOFT_AFFINITY'),
    key: 'soft_affinity_weight_multiplier',
  },
  ServerGroupSoftAntiAffinityWeigher: {
    raw: (request, fleet, host) => 0 - softMembers(request, fleet, host, 'SOFT_ANTI_AFFINITY'),
    key: 'soft_anti_affinity_weight_multiplier',
  },
  BestFitWeigher: {
    raw(request, fleet, host, options) {
      const shares = sharesOf(request, fleet, host, options)
      let left = 0
      for (const { isFree, isAsked } of shares) left += (isFree - isAsked) / shares.length
      return inPoints(1 - left, options)
    },
  },
  DotProductWeigher: {
    raw(request, fleet, host, options) {
      const shares = sharesOf(request, fleet, host, options)
      let product = 0
      for (const { isFree, isAsked } of shares) product += (isFree * isAsked) / shares.length
      return inPoints(1 - product, options)
    },
  },
  FullnessWeigher: {
    raw(_, fleet, host, { resources = ['VCPU', 'MEMORY_MB'] }) {
      let product = 1
      for (const resource of resources) product *= roomOf(fleet, host, scaled(resource).resourceClass)
      return -product
    },
  },
  NUMAImbalanceWeigher: {
    raw(request, fleet, host) {
      const rates = cellsOf(fleet, host).map(freeShare)
      return guestCellsOf(request).length === 1 && rates.length > 0 ? Math.max(...rates) - Math.min(...rates) : 0
    },
  },
  NUMAFitWeigher: {
    raw(request, fleet, host) {
      const guests = guestCellsOf(request)
      if (guests.length === 0) return 0
      let sum = 0
      for (const cell of assignCells(guests, cellsOf(fleet, host), 'tightest') ?? []) sum += freeShare(cell)
      return -sum
    },
  },
  GpuFragmentationWeigher: {
    raw(request, fleet, host, { typical = [], cpuClass = 'VCPU' }) {
      const asked = request.gpus ?? { count: 0, shareMilli: 1_000, models: [] }
      const cpuAsked = demandOf(request).amounts[cpuClass] ?? 0
      return leastFragmenting(gpusOf(fleet, host), free(fleet, host, cpuClass), cpuAsked, asked, typical)?.points ?? 0
    },
  },
  GpuPackingWeigher: {
    raw({ gpus: asked }, fleet, host) {
      if (asked === null) return 0
      const gpus = gpusOf(fleet, host)
      const isIdle = (gpu: ModelGpu) => gpu.free === 1_000
      const idle = gpus.filter(isIdle).length
      if (idle === gpus.length) return Math.max(33 - idle, 0)
      const taken = fitting(gpus, asked)
        .sort((a, b) => a.free - b.free)
        .slice(0, asked.count)
      const idleTaken = taken.filter(isIdle).length
      if (idleTaken > 0) return Math.max(50 - idleTaken, 33)
      let percent = 0
      for (const gpu of taken) percent += Math.trunc(gpu.free / 10)
      return Math.max(100 - Math.trunc(percent / 10), 50)
    },
  },
  GpuClusteringWeigher: {
    raw({ gpus: asked }, fleet, host, { scale }) {
      if (asked === null) return 0
      const gpus = gpusOf(fleet, host)
      // Claims of the decision that is being made are not in the log yet, and are ignored here.
      const kinds = new Set(
        claimsOn(fleet, host).flatMap(({ takes: { gpu = [] }, isLogged }) =>
          isLogged && gpu.length > 0 ? [kindOf(gpu.length, gpu[0]?.milli ?? 0)] : [],
        ),
      )
      const full = scale ?? Math.max(1, gpus.length) * 1_000
      const freeMilli = gpus.reduce((sum, gpu) => sum + gpu.free, 0)
      const isOfKind = kinds.has(kindOf(asked.count, asked.shareMilli))
      const step = kinds.size === 0 ? 1 : isOfKind ? (kinds.size === 1 ? 3 : 2) : 0
      return Math.trunc((25 * (full - freeMilli)) / full) + 25 * step
    },
  },
}

/**
 * The multiplier of a weigher for a host: the lowest multiplier that the host's aggregates set. If they set none, if one of their values is
 * not a number, or if the lowest is beyond 1e9 or -1e9, the multiplier of the profile.
 */
export function multiplierOf(
  fleet: readonly { readonly metadata: Readonly<Record<string, string>> }[],
  key: string | undefined,
  usual: number,
): number {
  if (key === undefined) return usual
  const values = fleet.flatMap(({ metadata }) => (Object.keys(metadata).includes(key) ? [metadata[key]?.trim() ?? ''] : []))
  if (values.length === 0 || values.some((text) => !/^-?\d+(\.\d+)?(e\d+)?$/.test(text))) return usual
  const least = Math.min(...values.map(Number))
  return Math.abs(least) > 1e9 ? usual : least
}

const kindOf = (count: number, milli: number): string => (milli < 1_000 ? 'share' : `${count} whole`)

const roomOf = (fleet: ModelFleet, host: ModelHost, resourceClass: string): number => Math.max(0, free(fleet, host, resourceClass))

function softMembers({ instanceGroup }: RequestSpec, fleet: ModelFleet, host: ModelHost, policy: string): number {
  if (instanceGroup?.policy !== policy) return 0
  const named = instanceGroup.hosts.filter((name) => name === host.host).length
  return Math.max(named, membersOn(fleet, host, instanceGroup.uuid))
}

interface Share {
  readonly isFree: number
  readonly isAsked: number
}

function sharesOf(request: RequestSpec, fleet: ModelFleet, host: ModelHost, options: Options): Share[] {
  const { resources = ['VCPU', 'MEMORY_MB'] } = options
  return resources.map(scaled).map(({ resourceClass, scale }) => {
    if (resourceClass === 'GPU_MILLI') {
      const gpus = gpusOf(fleet, host)
      const one = scale ?? Math.max(1, gpus.length * 1_000)
      const asked = request.gpus === null ? 0 : request.gpus.count * request.gpus.shareMilli
      return { isFree: gpus.reduce((sum, gpu) => sum + gpu.free, 0) / one, isAsked: asked / one }
    }
    const one = scale ?? Math.max(1, capacity(host, resourceClass))
    return { isFree: free(fleet, host, resourceClass) / one, isAsked: (demandOf(request).amounts[resourceClass] ?? 0) / one }
  })
}

/** Converts a listed resource to an object. Profiles can list a resource as a name, or as an object with a scale. */
const scaled = (resource: string | ScaledResource): ScaledResource =>
  typeof resource === 'string' ? { resourceClass: resource } : resource

const inPoints = (score: number, { points = false }: Options): number => (points ? Math.trunc(100 * score) : score)
