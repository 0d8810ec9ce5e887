import type { HostService } from '../../report/reported-service.ts'
import type { PciPool } from '../hardware/pci.ts'
import type { HostTopology } from '../hardware/topology.ts'
import type { NovaComputeNode } from '../objects/compute-node.ts'
import type { HostAggregate, HostMetric, HostState } from '../objects/host-state.ts'

/** The data of a host in Nova's host manager: its ComputeNode, and data that the ComputeNode does not have. */
export interface NovaHostFacts {
  readonly host: string
  readonly node: string
  readonly cellUuid: string | undefined
  readonly computeNode: NovaComputeNode
  readonly service: HostService
  readonly aggregates: readonly HostAggregate[]
  readonly instances: readonly string[]
}

/** The data of a host that change when an instance is placed on the host. */
export type HostSnapshot = Readonly<
  Pick<NovaHost, 'host' | 'freeRamMb' | 'freeDiskMb' | 'vcpusUsed' | 'numInstances' | 'numIoOps' | 'numaTopology' | 'pciPools'>
> & { readonly instances: readonly string[] }

/** Creates the HostState of a host as it was reported, without instances that are placed later. */
export function hostStateOf(facts: NovaHostFacts): HostState {
  const { host, node, cellUuid, computeNode, service, aggregates } = facts
  const identity = { host, node, cellUuid, service, aggregates, instances: new Set(facts.instances) }
  const { freeDiskGb, diskAvailableLeast, stats } = computeNode
  // As in Nova, a node that has not reported its usage has zeros in all amounts.
  if (freeDiskGb === null) return { ...nothingReported, ...identity }
  return {
    ...identity,
    uuid: computeNode.uuid ?? undefined,
    freeRamMb: computeNode.freeRamMb,
    totalUsableRamMb: computeNode.memoryMb,
    totalUsableDiskGb: computeNode.localGb,
    diskMbUsed: computeNode.localGbUsed * MIB_PER_GIB,
    freeDiskMb: Math.min(freeDiskGb, diskAvailableLeast ?? freeDiskGb) * MIB_PER_GIB,
    vcpusTotal: computeNode.vcpus,
    vcpusUsed: computeNode.vcpusUsed,
    numInstances: countOf(stats, 'num_instances'),
    numIoOps: countOf(stats, 'io_workload'),
    failedBuilds: countOf(stats, 'failed_builds'),
    cpuAllocationRatio: computeNode.cpuAllocationRatio,
    ramAllocationRatio: computeNode.ramAllocationRatio,
    diskAllocationRatio: computeNode.diskAllocationRatio,
    hypervisorType: computeNode.hypervisorType,
    hypervisorVersion: computeNode.hypervisorVersion,
    hypervisorHostname: computeNode.hypervisorHostname,
    hostIp: computeNode.hostIp,
    cpuInfo: computeNode.cpuInfo,
    stats,
    metrics: computeNode.metrics,
    supportedInstances: computeNode.supportedInstances,
    numaTopology: computeNode.numaTopology,
    pciPools: computeNode.pciPools ?? [],
    hasPciStats: true,
    updatedAt: computeNode.updatedAt ?? undefined,
  }
}

/**
 * A changeable copy of a host. Nova's algorithm copies a host when it is chosen for an instance, and subtracts the instance's resources
 * from the copy.
 */
export class NovaHost implements HostState {
  readonly host: string
  readonly node: string
  readonly cellUuid: string | undefined
  readonly uuid: string | undefined
  freeRamMb: number
  readonly totalUsableRamMb: number
  readonly totalUsableDiskGb: number
  readonly diskMbUsed: number
  freeDiskMb: number
  readonly vcpusTotal: number
  vcpusUsed: number
  numInstances: number
  numIoOps: number
  readonly failedBuilds: number
  readonly cpuAllocationRatio: number
  readonly ramAllocationRatio: number
  readonly diskAllocationRatio: number
  readonly ratiosSet: HostState['ratiosSet']
  readonly hypervisorType: string | null
  readonly hypervisorVersion: number | null
  readonly hypervisorHostname: string | null
  readonly hostIp: string | null
  readonly cpuInfo: string | null
  readonly stats: Readonly<Record<string, string>>
  readonly metrics: readonly HostMetric[]
  readonly supportedInstances: HostState['supportedInstances']
  numaTopology: HostTopology | null
  pciPools: readonly PciPool[]
  readonly hasPciStats: boolean
  readonly aggregates: readonly HostAggregate[]
  readonly service: HostService
  readonly instances: Set<string>
  readonly instanceFlavors: HostState['instanceFlavors']
  readonly instanceImages: HostState['instanceImages']
  readonly updatedAt: number | undefined

  constructor(state: HostState) {
    this.host = state.host
    this.node = state.node
    this.cellUuid = state.cellUuid
    this.uuid = state.uuid
    this.freeRamMb = state.freeRamMb
    this.totalUsableRamMb = state.totalUsableRamMb
    this.totalUsableDiskGb = state.totalUsableDiskGb
    this.diskMbUsed = state.diskMbUsed
    this.freeDiskMb = state.freeDiskMb
    this.vcpusTotal = state.vcpusTotal
    this.vcpusUsed = state.vcpusUsed
    this.numInstances = state.numInstances
    this.numIoOps = state.numIoOps
    this.failedBuilds = state.failedBuilds
    this.cpuAllocationRatio = state.cpuAllocationRatio
    this.ramAllocationRatio = state.ramAllocationRatio
    this.diskAllocationRatio = state.diskAllocationRatio
    this.ratiosSet = state.ratiosSet
    this.hypervisorType = state.hypervisorType
    this.hypervisorVersion = state.hypervisorVersion
    this.hypervisorHostname = state.hypervisorHostname
    this.hostIp = state.hostIp
    this.cpuInfo = state.cpuInfo
    this.stats = state.stats
    this.metrics = state.metrics
    this.supportedInstances = state.supportedInstances
    this.numaTopology = state.numaTopology
    this.pciPools = state.pciPools
    this.hasPciStats = state.hasPciStats
    this.aggregates = state.aggregates
    this.service = state.service
    this.instances = new Set(state.instances)
    this.instanceFlavors = state.instanceFlavors
    this.instanceImages = state.instanceImages
    this.updatedAt = state.updatedAt
  }

  /** Copies the values that a placement changes. */
  snapshot(): HostSnapshot {
    const { host, freeRamMb, freeDiskMb, vcpusUsed, numInstances, numIoOps, numaTopology, pciPools, instances } = this
    return { host, freeRamMb, freeDiskMb, vcpusUsed, numInstances, numIoOps, numaTopology, pciPools, instances: [...instances] }
  }
}

const MIB_PER_GIB = 1_024

const nothingReported = {
  uuid: undefined,
  freeRamMb: 0,
  totalUsableRamMb: 0,
  totalUsableDiskGb: 0,
  diskMbUsed: 0,
  freeDiskMb: 0,
  vcpusTotal: 0,
  vcpusUsed: 0,
  numInstances: 0,
  numIoOps: 0,
  failedBuilds: 0,
  cpuAllocationRatio: 0,
  ramAllocationRatio: 0,
  diskAllocationRatio: 0,
  hypervisorType: null,
  hypervisorVersion: null,
  hypervisorHostname: null,
  hostIp: null,
  cpuInfo: null,
  stats: {},
  metrics: [],
  supportedInstances: [],
  numaTopology: null,
  pciPools: [],
  hasPciStats: false,
  updatedAt: undefined,
} as const

/** Reads a number from the statistics of a node, whose values are text. 0 if it is absent. */
function countOf(stats: Readonly<Record<string, string>>, name: string): number {
  return Object.hasOwn(stats, name) ? Number.parseInt(stats[name] ?? '0', 10) : 0
}
