import { importNovaHost } from '../nova/import/host.ts'
import type { HostReported } from '../records/change.ts'
import { type Profile, profileSchema } from '../records/profile.ts'
import { parseHostStats } from '../report/stats.ts'
import { publishedStats } from '../report/stats-versions.ts'
import type { RequestSpecInput } from '../request/request-spec.ts'
import { aUuid } from './claims.ts'
import type { Draw } from './draw.ts'
import type { HostShape } from './fleet.ts'

/** Filters that can refuse a host, or read what rounds of Nova's algorithm change. */
const filters = [
  ...['ComputeFilter', 'ComputeCapabilitiesFilter', 'ImagePropertiesFilter', 'AvailabilityZoneFilter', 'DifferentHostFilter'],
  ...['ServerGroupAntiAffinityFilter', 'ServerGroupAffinityFilter', 'RamFilter', 'CoreFilter', 'DiskFilter', 'PciPassthroughFilter'],
  ...['IoOpsFilter', 'NumInstancesFilter', 'AggregateRamFilter', 'IsolatedHostsFilter', 'JsonFilter', 'NUMATopologyFilter'],
]
const weighers = [
  ...['RAMWeigher', 'CPUWeigher', 'DiskWeigher', 'IoOpsWeigher', 'NumInstancesWeigher', 'PCIWeigher', 'MetricsWeigher'],
  ...['BuildFailureWeigher', 'CrossCellWeigher', 'ServerGroupSoftAffinityWeigher', 'ServerGroupSoftAntiAffinityWeigher'],
  ...['HypervisorVersionWeigher', 'ImagePropertiesWeigher'],
]
/** Weighers whose multipliers must not be negative. */
const positive = ['PCIWeigher', 'ServerGroupSoftAffinityWeigher', 'ServerGroupSoftAntiAffinityWeigher']
const multipliers = [1, 1, -1, 0, 0.1, 3, -2.5, 1_000_000]
const optionsOf: Readonly<Record<string, object>> = {
  MetricsWeigher: { 'metrics.weight_setting': ['cpu.percent=1'] },
  IsolatedHostsFilter: { isolated_hosts: ['h1', 'h3'] },
}

/** A random profile with `compat: nova`. */
export function aNovaProfile(draw: Draw, number: number): Profile {
  return profileSchema.parse({
    ...{ name: `nova${number}`, number: 1, compat: 'nova' },
    filters: filters.filter((_, i) => draw.chance(i < 7 ? 70 : 15)).map((name) => ({ name, options: optionsFor(draw, name) })),
    weighers: weighers
      .filter((_, i) => draw.chance(i < 6 ? 70 : 30))
      .map((name) => {
        const multiplier = draw.of(multipliers)
        return { name, multiplier: positive.includes(name) ? Math.abs(multiplier) : multiplier, options: optionsFor(draw, name) }
      }),
    hostSubsetSize: draw.of([1, 1, 1, 1, 3, 100]),
    nova: {
      maxAttempts: draw.of([1, 3, 3, 20]),
      shuffleBest: draw.chance(10),
      ...(draw.chance(70) && { placement: { availabilityZone: draw.chance(80), imageType: draw.chance(20) } }),
    },
  })
}

const optionsFor = (draw: Draw, name: string): object => (draw.chance(50) ? (optionsOf[name] ?? {}) : {})

/** Random fields of a request that Nova's filters and weighers read. */
export function novaFields(draw: Draw): Partial<RequestSpecInput> {
  return {
    ...(draw.chance(40) && {
      image: { properties: { ...(draw.chance(50) && { img_hv_type: draw.of(['kvm', 'xen']) }), os_distro: 'debian' } },
    }),
    ...(draw.chance(10) && { schedulerHints: { same_host: [aUuid(1)] } }),
    ...(draw.chance(10) && { pciRequests: [{ count: 1, specs: [{ vendor_id: '8086' }] }] }),
    ...(draw.chance(5) && { numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 1 }] } }),
  }
}

/** A report of a host with a ComputeNode of Nova, in one of two Nova cells. With `isTimed`, its service can have a heartbeat. */
export function aNovaReport(draw: Draw, host: string, sequence: number, shape: HostShape, isTimed: boolean): HostReported {
  const { vcpus = 16, memoryMb = 65_536, localGb = 1_024, vcpusUsed = 0, memoryMbUsed = 0, localGbUsed = 0 } = shape
  const imported = importNovaHost({
    compute_node: {
      ...{ 'nova_object.name': 'ComputeNode', 'nova_object.namespace': 'nova', 'nova_object.version': '1.19' },
      'nova_object.data': {
        ...{ uuid: aUuid(0x11), host, hypervisor_hostname: host, vcpus, vcpus_used: vcpusUsed, local_gb: localGb },
        ...{ memory_mb: memoryMb, memory_mb_used: memoryMbUsed, free_ram_mb: memoryMb - memoryMbUsed, local_gb_used: localGbUsed },
        ...{ free_disk_gb: localGb - localGbUsed, cpu_allocation_ratio: draw.of([0, 1, 4]), ram_allocation_ratio: draw.of([0, 1.5]) },
        ...{ disk_allocation_ratio: 0, hypervisor_type: 'QEMU', hypervisor_version: draw.of([1_000_000, 7_002_000]) },
        ...{ supported_hv_specs: null, stats: { failed_builds: String(draw.of([0, 0, 0, 2])), io_workload: '1' } },
      },
    },
    cell_uuid: aUuid(0xc0 + draw.below(2)),
    service: {
      disabled: draw.chance(5),
      forced_down: draw.chance(5),
      ...(isTimed && draw.chance(10) && { last_seen_up: `1970-01-01T00:0${draw.of([0, 9])}:00Z` }),
    },
    ...(draw.chance(20) && { traits: draw.of([['COMPUTE_STATUS_DISABLED'], ['CUSTOM_FAST'], ['COMPUTE_IMAGE_TYPE_QCOW2']]) }),
  })
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join('; '))
  const parsed = parseHostStats(imported.document)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return {
    ...{ type: 'report', host, node: host, incarnation: '00000000-0000-4000-8000-000000000001', sequence },
    full: publishedStats(parsed.value),
  }
}

/** Random fields of a report in this service's form that Nova's filters and weighers read. */
export function novaStats(draw: Draw): HostShape {
  const isSilent = draw.chance(4)
  return {
    ...(isSilent ? { omitted: ['metrics', 'supportedInstances'] } : {}),
    ...(!isSilent && draw.chance(80) && { supportedInstances: [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }] }),
    ...(!isSilent && draw.chance(50) && { metrics: [{ name: 'cpu.percent', value: draw.below(4), timestamp: '' }] }),
    ...(draw.chance(30) && { pciPools: [{ vendorId: '8086', productId: '1520', total: 1 + draw.below(3) }] }),
  }
}
