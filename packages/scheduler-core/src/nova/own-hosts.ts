import { isLive } from '../claims/claim.ts'
import { at, type ClassColumns, type HostIndex } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../fleet/hosts.ts'
import type { HostStats } from '../fleet/stats.ts'
import { memoByObject } from '../memo.ts'
import type { HostAggregate, HostMetric, HostService, HostState } from './host-state.ts'

const ENABLED = 0
const DOWN = 2
const MIB_PER_GIB = 1_024

/** The hosts of a fleet as Nova's rules see them, at any moment: what they reported, less what claims hold that the report does not count. */
export const ownHostsOf: (fleet: Fleet) => (host: HostIndex) => HostState = memoByObject((fleet) => {
  const states: OwnHost[] = []
  return (host) => {
    let state = states[host]
    if (state === undefined) {
      state = new OwnHost(fleet, fleet.hosts.get(host))
      states[host] = state
    }
    return state
  }
})

/** Reads through to the fleet: a pick on the overlay is seen at once, and nothing is copied. */
class OwnHost implements HostState {
  readonly #fleet: Fleet
  readonly #record: HostRecord
  #instances: { readonly version: number; readonly uuids: ReadonlySet<string> } | undefined

  readonly cellUuid = undefined
  readonly uuid = undefined
  readonly failedBuilds = 0
  readonly stats = {}
  // cells and devices of reports are the resource kinds'
  readonly numaTopology = null
  readonly pciPools = []
  readonly hasPciStats = false

  constructor(fleet: Fleet, record: HostRecord) {
    this.#fleet = fleet
    this.#record = record
  }

  get host(): string {
    return this.#record.host
  }

  get node(): string {
    return this.#record.node
  }

  get freeRamMb(): number {
    return this.#of(
      'MEMORY_MB',
      ({ total, reserved, used, claimed }, host) => at(total, host) - at(reserved, host) - at(used, host) - at(claimed, host),
    )
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
    return this.#of('VCPU', ({ used, claimed }, host) => at(used, host) + at(claimed, host))
  }

  get numInstances(): number {
    return at(this.#fleet.hosts.columns.instances, this.#record.index)
  }

  get numIoOps(): number {
    return at(this.#fleet.hosts.columns.ioOps, this.#record.index)
  }

  get cpuAllocationRatio(): number {
    return this.#record.stats.cpuAllocationRatio
  }

  get ramAllocationRatio(): number {
    return this.#record.stats.ramAllocationRatio
  }

  get diskAllocationRatio(): number {
    return this.#record.stats.diskAllocationRatio
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
    return cpuInfoOf(this.#record.stats)
  }

  get metrics(): readonly HostMetric[] {
    return this.#record.stats.metrics
  }

  get supportedInstances(): HostState['supportedInstances'] {
    return supportedOf(this.#record.stats)
  }

  get aggregates(): readonly HostAggregate[] {
    return this.#fleet.aggregates.of(this.#record.host)
  }

  get service(): HostService {
    const { status, liveness } = this.#fleet.hosts.columns
    const { index, statusReason } = this.#record
    return {
      disabled: at(status, index) !== ENABLED,
      disabledReason: statusReason === '' ? null : statusReason,
      forcedDown: at(liveness, index) === DOWN,
      heartbeatAt: null,
    }
  }

  get instances(): ReadonlySet<string> {
    const version = at(this.#fleet.hosts.columns.version, this.#record.index)
    if (this.#instances?.version !== version) this.#instances = { version, uuids: instancesOf(this.#record) }
    return this.#instances.uuids
  }

  get updatedAt(): number {
    return this.#record.reportedAt
  }

  get #claimedDiskGb(): number {
    return this.#of('DISK_GB', ({ claimed }, host) => at(claimed, host))
  }

  #of(resourceClass: string, read: (columns: ClassColumns, host: HostIndex) => number): number {
    const columns = this.#fleet.hosts.classes.get(resourceClass)
    return columns === undefined ? 0 : read(columns, this.#record.index)
  }
}

function instancesOf({ present, claims }: HostRecord): ReadonlySet<string> {
  const claimed = [...claims].flatMap((claim) => (claim.instance !== null && isLive(claim) ? claim.instance : []))
  return claimed.length === 0 ? present : new Set([...present, ...claimed])
}

/** As libvirt's driver words it. */
const cpuInfoOf = memoByObject(({ cpuInfo }: HostStats): string | null => {
  if (cpuInfo === null) return null
  const { arch, vendor, model, features, sockets, cores, threads } = cpuInfo
  return JSON.stringify({ arch, vendor, model, features, topology: { sockets, cores, threads } })
})

const supportedOf = memoByObject(({ supportedInstances }: HostStats) =>
  supportedInstances.map(({ arch, hvType, vmMode }) => [arch, hvType, vmMode] as const),
)
