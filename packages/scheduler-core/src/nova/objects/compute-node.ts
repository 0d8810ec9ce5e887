import { type Field, isJson, WireError, WireObject } from '../../report/versioned-object.ts'
import type { PciPool } from '../hardware/pci.ts'
import { readPciPools } from '../hardware/read-pci.ts'
import { readHostTopology } from '../hardware/read-topology.ts'
import type { HostTopology } from '../hardware/topology.ts'
import type { HostMetric } from './host-state.ts'

/** Nova's ComputeNode, with the fields that Nova's host manager reads. */
export interface NovaComputeNode {
  readonly uuid: Field<string>
  readonly host: Field<string>
  readonly hypervisorHostname: string | null
  readonly vcpus: number
  readonly vcpusUsed: number
  /** In MiB. */
  readonly memoryMb: number
  readonly memoryMbUsed: number
  /** In GiB. */
  readonly localGb: number
  readonly localGbUsed: number
  readonly freeRamMb: number
  /** In GiB. Null if the node has not reported. Nova ignores such a node. */
  readonly freeDiskGb: number | null
  readonly diskAvailableLeast: number | null
  readonly hypervisorType: string | null
  readonly hypervisorVersion: number | null
  readonly hostIp: string | null
  /** JSON text. */
  readonly cpuInfo: string | null
  readonly stats: Readonly<Record<string, string>>
  readonly metrics: readonly HostMetric[]
  readonly numaTopology: HostTopology | null
  /** Null if the node has not reported its devices. */
  readonly pciPools: readonly PciPool[] | null
  readonly supportedInstances: readonly (readonly [string, string, string])[]
  readonly cpuAllocationRatio: number
  readonly ramAllocationRatio: number
  readonly diskAllocationRatio: number
  /** In milliseconds since 1970. Null if the node was not updated after its creation. */
  readonly updatedAt: number | null
}

export interface NovaComputeNodeRead {
  readonly node: NovaComputeNode
  readonly version: string
  /** Paths of fields in the document that have no effect, because this release does not know them. */
  readonly unknown: readonly string[]
}

const SILENT = ['id', 'service_id', 'running_vms', 'current_workload', 'mapped', 'created_at', 'deleted_at', 'deleted']

/** Reads a ComputeNode of version 1.0 to 1.19. Throws WireError with the path of a wrong value. */
export function readNovaComputeNode(wire: unknown): NovaComputeNodeRead {
  const object = new WireObject(wire, 'computeNode', 'ComputeNode')
  for (const field of SILENT) object.raw(field)
  const pools = object.raw('pci_device_pools')
  const topology = object.text('numa_topology')
  const updatedAt = object.text('updated_at')
  const node: NovaComputeNode = {
    uuid: object.text('uuid'),
    host: object.text('host'),
    hypervisorHostname: object.text('hypervisor_hostname') ?? null,
    vcpus: object.number('vcpus') ?? 0,
    vcpusUsed: object.number('vcpus_used') ?? 0,
    memoryMb: object.number('memory_mb') ?? 0,
    memoryMbUsed: object.number('memory_mb_used') ?? 0,
    localGb: object.number('local_gb') ?? 0,
    localGbUsed: object.number('local_gb_used') ?? 0,
    freeRamMb: object.number('free_ram_mb') ?? 0,
    freeDiskGb: object.number('free_disk_gb') ?? null,
    diskAvailableLeast: object.number('disk_available_least') ?? null,
    hypervisorType: object.text('hypervisor_type') ?? null,
    hypervisorVersion: object.number('hypervisor_version') ?? null,
    hostIp: object.text('host_ip') ?? null,
    cpuInfo: object.text('cpu_info') ?? null,
    stats: object.pairs('stats') ?? {},
    metrics: readMetrics(object),
    numaTopology: readHostTopology(topology ?? null),
    pciPools: pools === undefined || pools === null ? null : readPciPools(pools),
    supportedInstances:
      object.objects(
        'supported_hv_specs',
        (spec) => [spec.text('arch') ?? '', spec.text('hv_type') ?? '', spec.text('vm_mode') ?? ''] as const,
        'HVSpec',
      ) ?? [],
    cpuAllocationRatio: object.number('cpu_allocation_ratio') ?? 0,
    ramAllocationRatio: object.number('ram_allocation_ratio') ?? 0,
    diskAllocationRatio: object.number('disk_allocation_ratio') ?? 0,
    updatedAt: updatedAt === undefined || updatedAt === null ? null : readTime(updatedAt, `${object.path}.updated_at`),
  }
  return { node, version: object.version, unknown: object.unread() }
}

/** Metrics that are fractions of 1 in a ComputeNode. Nova's scheduler converts them to integer percentages. */
const SHARES = new Set(['cpu.user.percent', 'cpu.kernel.percent', 'cpu.idle.percent', 'cpu.iowait.percent', 'cpu.percent'])

function readMetrics(object: WireObject): readonly HostMetric[] {
  const text = object.text('metrics')
  if (text === undefined || text === null || text === '') return []
  const path = `${object.path}.metrics`
  const list = parseJson(text, path)
  if (!Array.isArray(list)) throw new WireError(path, text, 'a list of metrics as JSON text')
  return list.map((metric: unknown, i) => {
    if (!isJson(metric) || typeof metric.name !== 'string' || typeof metric.value !== 'number')
      throw new WireError(`${path}.${i}`, metric, 'a metric with name and value')
    const { name, value, timestamp, source } = metric
    return {
      name,
      value: Math.trunc(SHARES.has(name) ? value * 100 : value),
      timestamp: typeof timestamp === 'string' ? timestamp : '',
      source: typeof source === 'string' ? source : null,
    }
  })
}

function readTime(text: string, path: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new WireError(path, text, 'a time such as 2026-01-15T12:00:00Z')
  return time
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new WireError(path, text, 'JSON text')
  }
}
