import type { PciPool } from './hardware/pci.ts'
import type { HostTopology } from './hardware/topology.ts'
import type { HostAggregate, HostMetric, HostService, HostState } from './host-state.ts'
import type { HostLimits } from './nova-filter.ts'
import type { NovaComputeNode } from './objects/compute-node.ts'

/** What Nova's host manager knows of a host beside its ComputeNode. */
export interface NovaHostFacts {
  readonly host: string
  readonly node: string
  readonly cellUuid: string | undefined
  readonly computeNode: NovaComputeNode
  readonly service: HostService
  readonly aggregates: readonly HostAggregate[]
  readonly instances: readonly string[]
}

/** What of a host changes when an instance lands on it. */
export type HostSnapshot = Readonly<
  Pick<NovaHost, 'host' | 'freeRamMb' | 'freeDiskMb' | 'vcpusUsed' | 'numInstances' | 'numIoOps' | 'numaTopology' | 'pciPools'>
> & { readonly instances: readonly string[] }

/** The state of a host while Nova's way of placing runs: it starts as the node reported it, and loses what each pick takes. */
export class NovaHost implements HostState {
  readonly host: string
  readonly node: string
  readonly cellUuid: string | undefined
  readonly uuid: string | undefined
  freeRamMb = 0
  readonly totalUsableRamMb: number = 0
  readonly totalUsableDiskGb: number = 0
  readonly diskMbUsed: number = 0
  freeDiskMb = 0
  readonly vcpusTotal: number = 0
  vcpusUsed = 0
  numInstances = 0
  numIoOps = 0
  readonly failedBuilds: number = 0
  readonly cpuAllocationRatio: number = 0
  readonly ramAllocationRatio: number = 0
  readonly diskAllocationRatio: number = 0
  readonly hypervisorType: string | null = null
  readonly hypervisorVersion: number | null = null
  readonly hypervisorHostname: string | null = null
  readonly hostIp: string | null = null
  readonly cpuInfo: string | null = null
  readonly stats: Readonly<Record<string, string>> = {}
  readonly metrics: readonly HostMetric[] = []
  readonly supportedInstances: HostState['supportedInstances'] = []
  numaTopology: HostTopology | null = null
  pciPools: readonly PciPool[] = []
  readonly hasPciStats: boolean = false
  readonly aggregates: readonly HostAggregate[]
  readonly service: HostService
  readonly instances: Set<string>
  readonly updatedAt: number | undefined

  /** Up to where the instance that was placed here may fill it: what the filters gave that let it pass. */
  limits: HostLimits = {}

  constructor({ host, node, cellUuid, computeNode, service, aggregates, instances }: NovaHostFacts) {
    this.host = host
    this.node = node
    this.cellUuid = cellUuid
    this.aggregates = aggregates
    this.service = service
    this.instances = new Set(instances)
    const { freeDiskGb, diskAvailableLeast, stats } = computeNode
    // a node that has not reported its usage yet is passed over by Nova: the state keeps its zeros
    if (freeDiskGb === null) return
    this.uuid = computeNode.uuid ?? undefined
    this.freeRamMb = computeNode.freeRamMb
    this.totalUsableRamMb = computeNode.memoryMb
    this.totalUsableDiskGb = computeNode.localGb
    this.diskMbUsed = computeNode.localGbUsed * MIB_PER_GIB
    this.freeDiskMb = Math.min(freeDiskGb, diskAvailableLeast ?? freeDiskGb) * MIB_PER_GIB
    this.vcpusTotal = computeNode.vcpus
    this.vcpusUsed = computeNode.vcpusUsed
    this.numInstances = countOf(stats, 'num_instances')
    this.numIoOps = countOf(stats, 'io_workload')
    this.failedBuilds = countOf(stats, 'failed_builds')
    this.cpuAllocationRatio = computeNode.cpuAllocationRatio
    this.ramAllocationRatio = computeNode.ramAllocationRatio
    this.diskAllocationRatio = computeNode.diskAllocationRatio
    this.hypervisorType = computeNode.hypervisorType
    this.hypervisorVersion = computeNode.hypervisorVersion
    this.hypervisorHostname = computeNode.hypervisorHostname
    this.hostIp = computeNode.hostIp
    this.cpuInfo = computeNode.cpuInfo
    this.stats = stats
    this.metrics = computeNode.metrics
    this.supportedInstances = computeNode.supportedInstances
    this.numaTopology = computeNode.numaTopology
    this.pciPools = computeNode.pciPools ?? []
    this.hasPciStats = true
    this.updatedAt = computeNode.updatedAt ?? undefined
  }

  /** As it is now, whatever it loses later. */
  snapshot(): HostSnapshot {
    const { host, freeRamMb, freeDiskMb, vcpusUsed, numInstances, numIoOps, numaTopology, pciPools, instances } = this
    return { host, freeRamMb, freeDiskMb, vcpusUsed, numInstances, numIoOps, numaTopology, pciPools, instances: [...instances] }
  }
}

const MIB_PER_GIB = 1_024

/** A count among the node's statistics, which are texts; 0 where it is absent. */
function countOf(stats: Readonly<Record<string, string>>, name: string): number {
  return Object.hasOwn(stats, name) ? Number.parseInt(stats[name] ?? '0', 10) : 0
}
