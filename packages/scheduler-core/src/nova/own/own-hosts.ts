import { canonicalInstances } from '../../filters/image-properties.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { isOverruled, ratioSet, ratioWithoutAggregates, reservedOf } from '../../hosts/allocation.ts'
import { at, type ClassColumns } from '../../hosts/columns.ts'
import type { HostRecord } from '../../hosts/hosts.ts'
import { isLive } from '../../records/claim.ts'
import { type RatioClass, ratioClasses, ratioKeys } from '../../report/nova-ratios.ts'
import { type HostService, reportedService } from '../../report/reported-service.ts'
import type { HostStats } from '../../report/stats.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { ALLOCATION_RULES, CANONICAL_NAMES } from '../../values/levels.ts'
import { memoByObject } from '../../values/memo.ts'
import type { PciPool } from '../hardware/pci.ts'
import type { HostTopology } from '../hardware/topology.ts'
import { type NovaComputeNode, readNovaComputeNode } from '../objects/compute-node.ts'
import type { AllocationRatio, HostAggregate, HostMetric, HostState } from '../objects/host-state.ts'
import { type ImageProperties, readImageProperties } from '../text/image-properties.ts'
import { NovaError } from '../text/nova-error.ts'
import { poolsOn, topologyOn } from './own-hardware.ts'

const ENABLED = 0
const DOWN = 2
const MIB_PER_GIB = 1_024
const NONE_SET: HostState['ratiosSet'] = {}

/**
 * Returns a function for the hosts of a fleet in the form that Nova's rules read. Their usage is the reported usage plus the usage by
 * claims that the report does not include.
 */
export const ownHostsOf: (fleet: Fleet) => (host: HostIndex) => HostState = memoByObject((fleet) => {
  const states: OwnHost[] = []
  return (host) => {
    let state = states[host]
    if (state === undefined) {
      state = new OwnHost(fleet, fleet.hosts.get(host).index)
      states[host] = state
    }
    return state
  }
})

/** A host that reads its values directly from the fleet. Therefore changes by an overlay are visible immediately. */
class OwnHost implements HostState {
  readonly #fleet: Fleet
  readonly #index: HostIndex
  #instances: { readonly version: number; readonly uuids: ReadonlySet<string> } | undefined

  #topology: { readonly version: number; readonly value: HostTopology | null } | undefined
  #service: { readonly version: number; readonly value: HostService } | undefined
  #pools: { readonly version: number; readonly value: readonly PciPool[] } | undefined

  constructor(fleet: Fleet, index: HostIndex) {
    this.#fleet = fleet
    this.#index = index
  }

  get host(): string {
    return this.#record.host
  }

  get node(): string {
    return this.#record.node
  }

  get cellUuid(): string | undefined {
    return this.#record.stats.nova?.cellUuid ?? undefined
  }

  get uuid(): string | undefined {
    return this.#node?.uuid ?? undefined
  }

  get freeRamMb(): number {
    const free = this.#of(
      'MEMORY_MB',
      ({ total, reserved, used, claimed }, host) => at(total, host) - at(reserved, host) - at(used, host) - at(claimed, host),
    )
    const node = this.#node
    // In a ComputeNode, the free memory can differ from the total minus the usage. Nova reads the free memory, so the difference is added.
    return node === undefined ? free : free + node.freeRamMb - (node.memoryMb - node.memoryMbUsed)
  }

  get totalUsableRamMb(): number {
    return this.#of('MEMORY_MB', ({ total }, host) => at(total, host))
  }

  get totalUsableDiskGb(): number {
    return this.#record.stats.localGb
  }

  get diskMbUsed(): number {
    return (this.#record.stats.localGbUsed + this.#claimedDiskGb) * MIB_PER_GIB
  }

  get freeDiskMb(): number {
    const { localGb, localGbUsed, freeDiskGb, diskAvailableLeast } = this.#record.stats
    const free = freeDiskGb ?? localGb - localGbUsed
    return (Math.min(free, diskAvailableLeast ?? free) - this.#claimedDiskGb) * MIB_PER_GIB
  }

  get vcpusTotal(): number {
    return this.#of('VCPU', ({ total }, host) => at(total, host))
  }

  get vcpusUsed(): number {
    return this.#of('VCPU', ({ used, claimed }, host) => at(used, host) + at(claimed, host)) + this.#reservedVcpus
  }

  /** The reserved vCPUs that an operator or an import set. Nova treats them as used. */
  get #reservedVcpus(): number {
    if (!isOverruled(this.#fleet.hosts, this.#record)) return 0
    const { value, source } = reservedOf(this.#fleet.hosts, this.#record, 'VCPU')
    return source === 'REPORT' ? 0 : value
  }

  get numInstances(): number {
    return at(this.#fleet.hosts.columns.instances, this.#index)
  }

  get numIoOps(): number {
    return at(this.#fleet.hosts.columns.ioOps, this.#index)
  }

  get failedBuilds(): number {
    return Number.parseInt(this.stats.failed_builds ?? '0', 10)
  }

  get stats(): Readonly<Record<string, string>> {
    return this.#node?.stats ?? {}
  }

  #ratio(resourceClass: string, own: number): number {
    const { hosts } = this.#fleet
    if (!isOverruled(hosts, this.#record)) return own
    const { value, source } = ratioWithoutAggregates(hosts, this.#record, resourceClass)
    return source === 'REPORT' ? own : value
  }

  get ratiosSet(): HostState['ratiosSet'] {
    const { hosts } = this.#fleet
    if (hosts.featureLevel < ALLOCATION_RULES) return undefined
    if (!isOverruled(hosts, this.#record)) return NONE_SET
    const set = ratioClasses.map((resourceClass) => [resourceClass, this.#ratioSet(resourceClass)] as const)
    return Object.fromEntries(set.filter(([, ratio]) => ratio !== undefined))
  }

  #ratioSet(resourceClass: RatioClass): AllocationRatio | undefined {
    const set = ratioSet(this.#fleet.hosts, this.#record, resourceClass)
    if (set === undefined) return undefined
    const { value, source, aggregate, release } = set
    const key = ratioKeys[resourceClass]
    if (source === 'HOST') return { value, source: `${key} set for the host` }
    if (source === 'FLEET') return { value, source: `${key} set for the fleet` }
    if (source === 'NOVA_DEFAULT') return { value, source: `${key}, the default of Nova's release ${release}` }
    return { value, source: `aggregate ${this.aggregates.find(({ uuid }) => uuid === aggregate)?.name ?? aggregate} ${key}` }
  }

  get cpuAllocationRatio(): number {
    return this.#ratio('VCPU', this.#node?.cpuAllocationRatio ?? this.#record.stats.cpuAllocationRatio)
  }

  get ramAllocationRatio(): number {
    return this.#ratio('MEMORY_MB', this.#node?.ramAllocationRatio ?? this.#record.stats.ramAllocationRatio)
  }

  get diskAllocationRatio(): number {
    return this.#ratio('DISK_GB', this.#node?.diskAllocationRatio ?? this.#record.stats.diskAllocationRatio)
  }

  get hypervisorType(): string | null {
    return this.#record.stats.hypervisorType
  }

  get hypervisorVersion(): number | null {
    return this.#record.stats.hypervisorVersion
  }

  get hypervisorHostname(): string | null {
    return this.#record.stats.hypervisorHostname
  }

  get hostIp(): string | null {
    return this.#record.stats.hostIp
  }

  get cpuInfo(): string | null {
    const node = this.#node
    return node === undefined ? cpuInfoOf(this.#record.stats) : node.cpuInfo
  }

  get metrics(): readonly HostMetric[] {
    return this.#node?.metrics ?? this.#record.stats.metrics
  }

  get numaTopology(): HostTopology | null {
    const version = at(this.#fleet.hosts.columns.version, this.#index)
    if (this.#topology?.version !== version) this.#topology = { version, value: topologyOn(this.#record, this.#node?.numaTopology) }
    return this.#topology.value
  }

  get pciPools(): readonly PciPool[] {
    const version = at(this.#fleet.hosts.columns.version, this.#index)
    if (this.#pools?.version !== version) {
      const node = this.#node
      this.#pools = { version, value: poolsOn(this.#record, node === undefined ? undefined : (node.pciPools ?? [])) }
    }
    return this.#pools.value
  }

  get hasPciStats(): boolean {
    return this.#node !== undefined || this.#record.stats.pciPools.length > 0
  }

  get instanceFlavors(): ReadonlyMap<string, string> | undefined {
    return flavorsOf(this.#record.stats)
  }

  get instanceImages(): ReadonlyMap<string, ImageProperties> | undefined {
    return imagesOf(this.#record.stats)
  }

  get supportedInstances(): HostState['supportedInstances'] {
    return (this.#fleet.featureLevel < CANONICAL_NAMES ? supportedOf : canonicalInstances)(this.#record.stats)
  }

  get aggregates(): readonly HostAggregate[] {
    return this.#fleet.aggregates.of(this.#record.host)
  }

  get service(): HostService {
    const version = at(this.#fleet.hosts.columns.version, this.#index)
    if (this.#service?.version !== version) this.#service = { version, value: this.#presentService }
    return this.#service.value
  }

  get #presentService(): HostService {
    const { status, liveness } = this.#fleet.hosts.columns
    const { index, statusReason, stats } = this.#record
    const reported = reportedService(stats)
    return {
      disabled: at(status, index) !== ENABLED || (reported?.disabled ?? false),
      disabledReason: statusReason === '' ? (reported?.disabledReason ?? null) : statusReason,
      forcedDown: at(liveness, index) === DOWN || (reported?.forcedDown ?? false),
      heartbeatAt: reported?.heartbeatAt ?? null,
      ...(reported?.fields !== undefined && { fields: reported.fields }),
    }
  }

  get instances(): ReadonlySet<string> {
    const version = at(this.#fleet.hosts.columns.version, this.#index)
    if (this.#instances?.version !== version) this.#instances = { version, uuids: instancesOf(this.#record) }
    return this.#instances.uuids
  }

  get updatedAt(): number {
    return this.#node?.updatedAt ?? this.#record.reportedAt
  }

  /**
   * The host's record in the fleet. It must not be cached. After the fleet was copied, the next change of a host replaces its record
   * (values/owner.ts).
   */
  get #record(): HostRecord {
    return this.#fleet.hosts.get(this.#index)
  }

  /** The host's ComputeNode, if its report is in Nova's form. */
  get #node(): NovaComputeNode | undefined {
    return nodeOf(this.#record.stats)
  }

  get #claimedDiskGb(): number {
    return this.#of('DISK_GB', ({ claimed }, host) => at(claimed, host))
  }

  #of(resourceClass: string, read: (columns: ClassColumns, host: HostIndex) => number): number {
    const columns = this.#fleet.hosts.classes.get(resourceClass)
    return columns === undefined ? 0 : read(columns, this.#index)
  }
}

function instancesOf({ present, claims }: HostRecord): ReadonlySet<string> {
  const claimed = [...claims].flatMap((claim) => (claim.instance !== null && isLive(claim) ? claim.instance : []))
  return claimed.length === 0 ? present : new Set([...present, ...claimed])
}

/** The ComputeNode in a report in Nova's form. Cached, so that it is parsed once per report. */
const nodeOf = memoByObject(({ nova }: HostStats): NovaComputeNode | undefined =>
  nova === null ? undefined : readNovaComputeNode(nova.computeNode).node,
)

const flavorsOf = memoByObject(({ nova }: HostStats): ReadonlyMap<string, string> | undefined =>
  nova === null ? undefined : new Map(Object.entries(nova.flavors)),
)

/**
 * The images of a host's instances are read until their CPU lists (`hw_numa_cpus`) have this many CPUs. Limited, because the short text of
 * an image can list 65,536 CPUs, and a report can have 10,000 images.
 */
export const MAX_IMAGE_CPUS = 1_048_576

/**
 * The image properties of the reported instances. Images with a value that Nova's image objects refuse are left out, and all images after
 * MAX_IMAGE_CPUS.
 */
const imagesOf = memoByObject(({ nova }: HostStats): ReadonlyMap<string, ImageProperties> | undefined => {
  if (nova === null) return undefined
  const images = new Map<string, ImageProperties>()
  let cpus = 0
  for (const [uuid, properties] of Object.entries(nova.images)) {
    const image = readable(properties)
    if (image === undefined) continue
    images.set(uuid, image)
    for (const list of listsIn(image.hw_numa_cpus)) cpus += listsIn(list).length
    if (cpus >= MAX_IMAGE_CPUS) break
  }
  return images
})

const listsIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function readable(properties: Readonly<Record<string, string>>): ImageProperties | undefined {
  try {
    return readImageProperties(properties)
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return undefined
  }
}

/** A report's CPU information as JSON text in the form that libvirt's driver writes. */
const cpuInfoOf = memoByObject(({ cpuInfo }: HostStats): string | null => {
  if (cpuInfo === null) return null
  const { arch, vendor, model, features, sockets, cores, threads } = cpuInfo
  return JSON.stringify({ arch, vendor, model, features, topology: { sockets, cores, threads } })
})

const supportedOf = memoByObject(({ supportedInstances }: HostStats) =>
  supportedInstances.map(({ arch, hvType, vmMode }) => [arch, hvType, vmMode] as const),
)
