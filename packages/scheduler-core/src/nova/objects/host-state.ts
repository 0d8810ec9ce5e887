import type { RatioClass } from '../../report/nova-ratios.ts'
import type { HostService } from '../../report/reported-service.ts'
import type { PciPool } from '../hardware/pci.ts'
import type { HostTopology } from '../hardware/topology.ts'
import type { ImageProperties } from '../text/image-properties.ts'

/** The allocation ratio of a resource on a host, and its source. */
export interface AllocationRatio {
  readonly value: number
  readonly source: string
}

/** A host as Nova's filters and weighers read it (Nova's HostState): the reported values minus the resources of later placements. */
export interface HostState {
  readonly host: string
  readonly node: string
  /** Undefined for hosts in this service's own form, which has no cells. */
  readonly cellUuid: string | undefined
  readonly uuid: string | undefined
  /** In MiB; may be negative. */
  readonly freeRamMb: number
  readonly totalUsableRamMb: number
  readonly totalUsableDiskGb: number
  readonly diskMbUsed: number
  /** In MiB; may be negative. */
  readonly freeDiskMb: number
  readonly vcpusTotal: number
  readonly vcpusUsed: number
  readonly numInstances: number
  readonly numIoOps: number
  readonly failedBuilds: number
  readonly cpuAllocationRatio: number
  readonly ramAllocationRatio: number
  readonly diskAllocationRatio: number
  /**
   * The ratios that an operator, an aggregate or an import set, and by which claims are judged. They take precedence over all other ratios
   * of their classes. Absent if claims are not judged by these ratios: in Nova's own states, and at lower feature levels.
   */
  readonly ratiosSet?: Readonly<Partial<Record<RatioClass, AllocationRatio>>> | undefined
  readonly hypervisorType: string | null
  readonly hypervisorVersion: number | null
  readonly hypervisorHostname: string | null
  readonly hostIp: string | null
  /** JSON text, as libvirt's driver sends it. */
  readonly cpuInfo: string | null
  readonly stats: Readonly<Record<string, string>>
  readonly metrics: readonly HostMetric[]
  readonly supportedInstances: readonly (readonly [arch: string, hvType: string, vmMode: string])[]
  readonly numaTopology: HostTopology | null
  readonly pciPools: readonly PciPool[]
  /** Null: it never reported devices at all. */
  readonly hasPciStats: boolean
  /** The aggregates in the order of their ids. */
  readonly aggregates: readonly HostAggregate[]
  readonly service: HostService
  /** Uuids of the instances on the host. */
  readonly instances: ReadonlySet<string>
  /**
   * Flavor (`flavorid`) by uuid of instance, for TypeAffinityFilter, from the host's report in Nova's form. The flavor of an instance that
   * is not in it is unknown.
   */
  readonly instanceFlavors?: ReadonlyMap<string, string> | undefined
  /**
   * Image properties by the uuid of the instance, for ImagePropertiesWeigher, from the host's report in Nova's form. The map never changes,
   * so counts over it are cached.
   */
  readonly instanceImages?: ReadonlyMap<string, ImageProperties> | undefined
  /** When the host's own report of this state was made, milliseconds since 1970: Nova's `updated`. */
  readonly updatedAt?: number | undefined
}

export interface HostMetric {
  readonly name: string
  /** An integer. Percentages are integers from 0 to 100, so 0.5 of the time is 50. */
  readonly value: number
  readonly timestamp: string
  readonly source: string | null
}

export interface HostAggregate {
  readonly uuid: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
}
