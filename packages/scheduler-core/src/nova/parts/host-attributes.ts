import type { HostService } from '../../report/reported-service.ts'
import type { HostState } from '../objects/host-state.ts'
import { PythonFloat, type PythonValue } from '../text/python-json.ts'
import { isTruthy, pythonRepr, pythonText } from '../text/python-text.ts'

/** The value of an attribute of Nova's HostState: a plain Python value, an object, or a list of objects. */
export type HostValue = PythonValue | NovaObject | readonly NovaObject[]

/** A Python object in an attribute, such as an IP address or a list of metrics. Queries can read its text and some of its attributes. */
export class NovaObject {
  /** The object as Python prints it, without memory addresses. */
  readonly text: string
  readonly attributes: ReadonlyMap<string, HostValue>
  /** The entries that queries can read, as from a dictionary. Only for an object with a `get` method, such as the service. */
  readonly entries: ReadonlyMap<string, PythonValue> | undefined
  /** True if Python treats the object as true. Python treats an object without content as false. */
  readonly isTruthy: boolean

  constructor(
    text: string,
    { attributes, entries, isTruthy = true }: Partial<Pick<NovaObject, 'attributes' | 'entries' | 'isTruthy'>> = {},
  ) {
    this.text = text
    this.attributes = attributes ?? new Map()
    this.entries = entries
    this.isTruthy = isTruthy
  }
}

/** The value as Python prints it. */
export function hostText(value: HostValue): string {
  if (value instanceof NovaObject) return value.text
  return isObjects(value) ? `[${value.map(({ text }) => text).join(', ')}]` : pythonText(value)
}

/** Returns true if Python treats the value as true. */
export function isTrue(value: HostValue): boolean {
  if (value instanceof NovaObject) return value.isTruthy
  return isObjects(value) || isTruthy(value)
}

/** Returns true if the value is a list of objects. An empty list is a plain value. */
const isObjects = (value: HostValue): value is readonly NovaObject[] => Array.isArray(value) && value[0] instanceof NovaObject

/** The value of an attribute of Nova's HostState. Null if the attribute does not exist or is None. */
export function attributeOf(host: HostState, name: string): HostValue {
  return attributes.get(name)?.(host) ?? null
}

/** Returns true if Nova's HostState has an attribute with this name. */
export const hasAttribute = (name: string): boolean => attributes.has(name)

/** The names of the attributes of Nova's HostState. */
export const attributeNames = (): readonly string[] => [...attributes.keys()]

/** The value of a statistic in the ComputeNode's `stats`. Null if it is not reported. */
export function statOf({ stats }: HostState, name: string): string | null {
  return Object.hasOwn(stats, name) ? (stats[name] ?? null) : null
}

const attributes: ReadonlyMap<string, (host: HostState) => HostValue | undefined> = new Map<
  string,
  (host: HostState) => HostValue | undefined
>([
  ['host', ({ host }) => host],
  ['nodename', ({ node }) => node],
  ['_lock_name', ({ host, node }) => new NovaObject(`(${pythonRepr(host)}, ${pythonRepr(node)})`)],
  ['uuid', ({ uuid }) => uuid],
  ['cell_uuid', ({ cellUuid }) => cellUuid],
  ['free_ram_mb', ({ freeRamMb }) => freeRamMb],
  ['total_usable_ram_mb', ({ totalUsableRamMb }) => totalUsableRamMb],
  ['total_usable_disk_gb', ({ totalUsableDiskGb }) => totalUsableDiskGb],
  ['disk_mb_used', ({ diskMbUsed }) => diskMbUsed],
  ['free_disk_mb', ({ freeDiskMb }) => freeDiskMb],
  ['vcpus_total', ({ vcpusTotal }) => vcpusTotal],
  ['vcpus_used', ({ vcpusUsed }) => vcpusUsed],
  ['num_instances', ({ numInstances }) => numInstances],
  ['num_io_ops', ({ numIoOps }) => numIoOps],
  ['failed_builds', ({ failedBuilds }) => failedBuilds],
  ['cpu_allocation_ratio', ({ cpuAllocationRatio }) => new PythonFloat(cpuAllocationRatio)],
  ['ram_allocation_ratio', ({ ramAllocationRatio }) => new PythonFloat(ramAllocationRatio)],
  ['disk_allocation_ratio', ({ diskAllocationRatio }) => new PythonFloat(diskAllocationRatio)],
  ['hypervisor_type', ({ hypervisorType }) => hypervisorType],
  ['hypervisor_version', ({ hypervisorVersion }) => hypervisorVersion],
  ['hypervisor_hostname', ({ hypervisorHostname }) => hypervisorHostname],
  // In Nova this is an address object, which is equal to no text.
  ['host_ip', ({ hostIp }) => (hostIp === null ? null : new NovaObject(hostIp))],
  ['cpu_info', ({ cpuInfo }) => cpuInfo],
  ['stats', ({ stats }) => new Map(Object.entries(stats))],
  ['supported_instances', ({ supportedInstances }) => supportedInstances.map((triple) => [...triple])],
  ['metrics', metricsOf],
  ['numa_topology', topologyOf],
  ['pci_stats', pciStatsOf],
  ['aggregates', ({ aggregates }) => aggregates.map((aggregate) => new NovaObject(aggregateText(aggregate)))],
  ['instances', ({ instances }) => new Map([...instances].map((uuid) => [uuid, uuid]))],
  ['limits', () => new Map()],
  ['updated', ({ updatedAt }) => (updatedAt === undefined ? null : new NovaObject(timeText(updatedAt)))],
  ['service', serviceOf],
])

function metricsOf({ metrics }: HostState): HostValue {
  const objects = `[${metrics.map(() => 'MonitorMetric').join(',')}]`
  return new NovaObject(`MonitorMetricList(objects=${objects})`, { isTruthy: metrics.length > 0 })
}

function topologyOf({ numaTopology }: HostState): HostValue {
  if (numaTopology === null) return null
  // Nova prints a cell with the id 0 as UNKNOWN.
  const cells = numaTopology.cells.map((cell) => `NUMACell(${cell.id || 'UNKNOWN'})`)
  return new NovaObject(`NUMATopology(cells=[${cells.join(',')}])`, { isTruthy: cells.length > 0 })
}

function pciStatsOf({ hasPciStats, pciPools }: HostState): HostValue {
  if (!hasPciStats) return null
  const pools = pciPools.map(({ count, keys }) => new Map<string, PythonValue>([['count', count], ...Object.entries(keys)]))
  return new NovaObject('<nova.pci.stats.PciDeviceStats object>', { attributes: new Map([['pools', pools]]) })
}

function serviceOf({ service }: HostState): HostValue {
  const entries = new Map(Object.entries(service.fields ?? ownFields(service)).map(([name, value]) => [name, plain(value)]))
  return new NovaObject(pythonRepr(entries), { attributes: new Map([['data', entries]]), entries, isTruthy: entries.size > 0 })
}

const ownFields = ({ disabled, disabledReason, forcedDown }: HostService) => ({
  disabled,
  disabled_reason: disabledReason,
  forced_down: forcedDown,
})

/** Converts a field of a service to a Python value. The fields are texts, numbers and booleans. All other values become null. */
function plain(value: unknown): PythonValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

function aggregateText({ uuid, name, metadata }: HostState['aggregates'][number]): string {
  const pairs = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))
  return `Aggregate(metadata={${pairs.map(([key, value]) => `${key}='${value}'`).join(',')}},name='${name}',uuid=${uuid})`
}

/** A time as Python prints it: `2026-01-15 12:00:00+00:00`, with a fraction unless it is zero. */
function timeText(time: number): string {
  const text = new Date(time).toISOString()
  const fraction = time % 1000 === 0 ? '' : `${text.slice(19, 23)}000`
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${fraction}+00:00`
}
