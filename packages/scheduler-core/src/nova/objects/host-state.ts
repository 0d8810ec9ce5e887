import type { RatioClass } from '../../report/nova-ratios.ts'
import type { HostService } from '../../report/reported-service.ts'
import type { PciPool } from '../hardware/pci.ts'
import type { HostTopology } from '../hardware/topology.ts'
import type { ImageProperties } from '../text/image-properties.ts'

/** The allocation ratio of a resource class on a host, and where it was set. */
export interface AllocationRatio {
  readonly value: number
  readonly source: string
}

/** A host as Nova's filters and weighers read it (Nova's HostState). */
export interface HostState {
  readonly host: string
  readonly node: string
  /** The host's Nova cell. Undefined if the report is not in Nova's form. */
  readonly cellUuid: string | undefined
  readonly uuid: string | undefined
  /** In MiB. Can be negative. */
  readonly freeRamMb: number
  readonly totalUsableRamMb: number
  readonly totalUsableDiskGb: number
  readonly diskMbUsed: number
  /** In MiB. Can be negative. */
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
   * The ratios that an operator, an aggregate or an import set. They determine the capacity for claims, and have precedence over all other
   * ratios. Absent at lower feature levels, and if only Nova's rules apply.
   */
  readonly ratiosSet?: Readonly<Partial<Record<RatioClass, AllocationRatio>>> | undefined
  readonly hypervisorType: string | null
  readonly hypervisorVersion: number | null
  readonly hypervisorHostname: string | null
  readonly hostIp: string | null
  /** JSON text in the form that libvirt's driver writes. */
  readonly cpuInfo: string | null
  readonly stats: Readonly<Record<string, string>>
  readonly metrics: readonly HostMetric[]
  readonly supportedInstances: readonly (readonly [arch: string, hvType: string, vmMode: string])[]
  readonly numaTopology: HostTopology | null
  readonly pciPools: readonly PciPool[]
  /** False if the host never reported devices. */
  readonly hasPciStats: boolean
  /** The host's aggregates, sorted by id. */
  readonly aggregates: readonly HostAggregate[]
  readonly service: HostService
  /** The uuids of the instances on the host. */
  readonly instances: ReadonlySet<string>
  /**
   * The flavor (`flavorid`) of each instance by the instance's uuid, from a report in Nova's form. Instances with unknown flavors are
   * missing. TypeAffinityFilter reads this map.
   */
  readonly instanceFlavors?: ReadonlyMap<string, string> | undefined
  /**
   * The image properties of each instance by the instance's uuid, from a report in Nova's form. ImagePropertiesWeigher reads this map. The
   * map never changes, so results can be cached for it.
   */
  readonly instanceImages?: ReadonlyMap<string, ImageProperties> | undefined
  /** The time of the host's report, in milliseconds since 1970 (Nova's `updated`). */
  readonly updatedAt?: number | undefined
}

export interface HostMetric {
  readonly name: string
  /** An integer. A percentage is 0 to 100. */
  readonly value: number
  readonly timestamp: string
  readonly source: string | null
}

export interface HostAggregate {
  readonly uuid: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
}
