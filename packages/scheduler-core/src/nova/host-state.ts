import type { RatioClass } from './allocation.ts'
import type { PciPool } from './hardware/pci.ts'
import type { HostTopology } from './hardware/topology.ts'
import type { ImageProperties } from './text/image-properties.ts'

/** How many times over a resource of a host may be given away, and who says so. */
export interface AllocationRatio {
  readonly value: number
  readonly source: string
}

/** A host as Nova's filters and weighers see it (its HostState): what it reported, less what placements took since. */
export interface HostState {
  readonly host: string
  readonly node: string
  /** Undefined for hosts of this service's own reports, which know no cells. */
  readonly cellUuid: string | undefined
  readonly uuid: string | undefined
  /** MiB; may be negative. */
  readonly freeRamMb: number
  readonly totalUsableRamMb: number
  readonly totalUsableDiskGb: number
  readonly diskMbUsed: number
  /** MiB; may be negative. */
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
   * The ratios that an operator, an aggregate or an import set, and claims are judged by: of their classes nothing counts beside them.
   * Absent where claims are not judged so: of Nova's own states, and below that feature level.
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
  /** In order of their ids. */
  readonly aggregates: readonly HostAggregate[]
  readonly service: HostService
  /** Uuids of the instances on the host. */
  readonly instances: ReadonlySet<string>
  /**
   * Flavor (`flavorid`) by uuid of instance, for TypeAffinityFilter, as the host's report in Nova's words told. An instance that is not in
   * it is of a flavor that nobody told.
   */
  readonly instanceFlavors?: ReadonlyMap<string, string> | undefined
  /**
   * Properties of the image by uuid of instance, for ImagePropertiesWeigher, told as the flavors are. The map never changes: what is
   * counted of it is kept.
   */
  readonly instanceImages?: ReadonlyMap<string, ImageProperties> | undefined
  /** When the host's own report of this state was made, milliseconds since 1970: Nova's `updated`. */
  readonly updatedAt?: number | undefined
}

export interface HostMetric {
  readonly name: string
  /** Whole numbers; percentages are thousandths of a share times ten: 0.5 of the time is 50. */
  readonly value: number
  readonly timestamp: string
  readonly source: string | null
}

export interface HostAggregate {
  readonly uuid: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
}

/** The service on the host that does the work: what operators set of it, and its signs of life. */
export interface HostService {
  readonly disabled: boolean
  /** Why it is disabled, in the operator's words. */
  readonly disabledReason: string | null
  /** Said to be down, by an operator or by what watches it. */
  readonly forcedDown: boolean
  /** Milliseconds since 1970 of the last sign of life; null: watched in another way, and alive. */
  readonly heartbeatAt: number | null
  /** The rest of what Nova's Service document says, by its field names; JsonFilter can ask for it. */
  readonly fields?: Readonly<Record<string, unknown>>
}
