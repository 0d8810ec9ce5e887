import type { HostService } from '../../report/reported-service.ts'
import type { HostState } from '../objects/host-state.ts'
import { PythonFloat, type PythonValue } from '../text/python-json.ts'
import { isTruthy, pythonRepr, pythonText } from '../text/python-text.ts'

/**
 * An attribute of Nova's host state: a plain value, or an object. Queries can read the text of an object and some of its attributes and
 * entries.
 */
export type HostValue = PythonValue | NovaObject | readonly NovaObject[]

/** An object that Python does not treat as a dictionary, such as an address or a list of metrics. */
export class NovaObject {
  /** The text as Python prints it, except for addresses in memory. */
  readonly text: string
  readonly attributes: ReadonlyMap<string, HostValue>
  /** The attribute of an object that is read with `get`, such as the service. */
  readonly entries: ReadonlyMap<string, PythonValue> | undefined
  /** An object without any content is false. */
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

/** The text as Python prints it. */
export function hostText(value: HostValue): string {
  if (value instanceof NovaObject) return value.text
  return isObjects(value) ? `[${value.map(({ text }) => text).join(', ')}]` : pythonText(value)
}

/** Whether the value is true in Python. */
export function isTrue(value: HostValue): boolean {
  if (value instanceof NovaObject) return value.isTruthy
  return isObjects(value) || isTruthy(value)
}

/** Whether the value is a list of objects. An empty list is a plain value. */
const isObjects = (value: HostValue): value is readonly NovaObject[] => Array.isArray(value) && value[0] instanceof NovaObject

/** An attribute of the host state by Nova's name; null: it does not exist, or it is None. */
export function attributeOf(host: HostState, name: string): HostValue {
  return attributes.get(name)?.(host) ?? null
}

/** Whether Nova's host state has an attribute of the name, None or not. */
export const hasAttribute = (name: string): boolean => attributes.has(name)

/** Reported attributes of the node that are not columns, by name; null if there are none. */
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
  // An address object, which equals no text.
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
  // An id of 0 counts as none when an object is printed.
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

/** Only for values that the fields of a service or of a device pool can have. */
function plain(value: unknown): PythonValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

function aggregateText({ uuid, name, metadata }: HostState['aggregates'][number]): string {
  const pairs = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))
  return `Aggregate(metadata={${pairs.map(([key, value]) => `${key}='${value}'`).join(',')}},name='${name}',uuid=${uuid})`
}

/** `2026-01-15 12:00:00+00:00`, with a fraction where there is one. */
function timeText(time: number): string {
  const text = new Date(time).toISOString()
  const fraction = time % 1000 === 0 ? '' : `${text.slice(19, 23)}000`
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${fraction}+00:00`
}
