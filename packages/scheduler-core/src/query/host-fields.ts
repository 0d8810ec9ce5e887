import { amountOf, type CountedHost, countLiveClaims, hostStates, hostStatusWords, namesOf } from './host-reading.ts'
import type { QueryField } from './query.ts'

/** The data of a host, and of its fleet, that the fields read. */
export interface ReadableHost extends CountedHost {
  readonly fleet: CountedHost['fleet'] & {
    readonly hosts: { readonly columns: Readonly<Record<'status' | 'liveness' | 'instances' | 'gpuFreeMilli', ArrayLike<number>>> }
    readonly aggregates: { readonly byUuid: ReadonlyMap<string, { readonly name: string }> }
  }
  readonly record: CountedHost['record'] & {
    readonly node: string
    readonly zone: string
    /** The uuids of the host's aggregates. */
    readonly aggregates: readonly string[]
    readonly traits: ReadonlySet<string>
    readonly gpus: { readonly length: number }
    /** Milliseconds since 1970; 0 if the host never reported. */
    readonly reportedAt: number
    /** The host's last report. */
    readonly stats: {
      readonly hypervisorType: string | null
      readonly hypervisorVersion: number | null
      readonly cpuInfo: { readonly model: string | null; readonly vendor: string | null; readonly arch: string | null } | null
    }
  }
}

/** The value of a field for a host. Null if the host does not report the field. */
export type HostValue = string | number | null | readonly string[] | ReadonlySet<string>

/** How a field of a host appears in filters, lists, columns and orders. docs/add-a-host-field.md explains how to add a field. */
interface Row extends QueryField {
  /** One to three words for the heading of a column, a facet or a group. */
  readonly label: string
  /** The name of the field in copied CSV and JSON, with its unit. It must not change, because users' scripts read it. */
  readonly copied: string
  /** The column of the API with the values of all hosts. `host` and `node` have no column, because every answer contains these names. */
  readonly column?: string
  /**
   * The type of the column's values: one text, a set of texts, or a number. The values of a field that hosts can omit from their reports
   * are sets: empty, or with the value as a text.
   */
  readonly holds?: 'code' | 'set' | 'number'
  /** The number in the column is the number in the field's unit, multiplied by this factor. Absent if both units are the same. */
  readonly scale?: number
  /** The columns from which a client can compute the values of this field. */
  readonly usedOf?: { readonly capacity: string; readonly free: string }
  /**
   * The order of hosts by this field in the API. Absent for `node`, because the order by name also compares nodes. Also absent for sets
   * such as traits, and for reported fields (`isReported`): in the API, the order by a reported field has the name of the field's column.
   */
  readonly order?: {
    readonly field: string
    readonly resourceClass?: string
    readonly description?: string
    /** True if the API's descending order corresponds to ascending order of this field. */
    readonly isReversed?: true
  }
  /** True if the values of the field are counted as a facet. */
  readonly isFacet?: true
  /** True if the field is data about the host's machine that hosts can omit from their reports. Hosts can be grouped by such a field. */
  readonly isReported?: true
  /** Reads the value of a host, in the unit of the column. */
  read(host: ReadableHost): HostValue
}

/**
 * All fields of hosts, in the order in which they are listed. From this table are generated: the filter grammar, the orders of hosts, the
 * API's columns, the console's facets, columns and copied text, and the columns of `gantt hosts`. Used percentages include claims: 100 x
 * (capacity - free) / capacity, or 0 without capacity. Numbers that hosts report about their machine must be whole and not negative.
 */
export const hostFields = [
  {
    name: 'host',
    aliases: ['name'],
    kind: 'text',
    description: 'name of the host',
    label: 'Host',
    copied: 'host',
    order: { field: 'NAME', description: 'The name of the host, then the name of the node.' },
    read: ({ record }) => namesOf(record),
  },
  {
    name: 'node',
    kind: 'text',
    description: 'name of the node, for hosts with several nodes',
    label: 'Node',
    copied: 'node',
    read: ({ record }) => record.node,
  },
  {
    name: 'az',
    aliases: ['zone'],
    kind: 'text',
    description: 'availability zone',
    label: 'Zone',
    copied: 'availabilityZone',
    column: 'AZ',
    holds: 'code',
    isFacet: true,
    order: { field: 'AVAILABILITY_ZONE', description: 'Name of the availability zone.' },
    read: ({ record }) => record.zone,
  },
  {
    name: 'agg',
    aliases: ['aggregate'],
    kind: 'text',
    description: 'name of an aggregate that contains the host',
    label: 'Aggregate',
    copied: 'aggregates',
    column: 'AGGREGATES',
    holds: 'set',
    isFacet: true,
    read: ({ fleet, record }) => record.aggregates.map((uuid) => fleet.aggregates.byUuid.get(uuid)?.name ?? uuid),
  },
  {
    name: 'state',
    kind: 'enum',
    values: hostStates,
    description: 'liveness of the host',
    label: 'State',
    copied: 'state',
    column: 'STATE',
    holds: 'code',
    isFacet: true,
    order: { field: 'STATE', description: 'By the liveness. Its values are in alphabetical order.' },
    read: ({ fleet, record }) => hostStates[fleet.hosts.columns.liveness[record.index] ?? 0] ?? 'DOWN',
  },
  {
    name: 'status',
    kind: 'enum',
    values: hostStatusWords,
    description: 'status that operators set',
    label: 'Status',
    copied: 'status',
    column: 'STATUS',
    holds: 'code',
    isFacet: true,
    order: { field: 'STATUS', description: 'By the status that operators set. Statuses are in alphabetical order.' },
    read: ({ fleet, record }) => hostStatusWords[fleet.hosts.columns.status[record.index] ?? 0] ?? 'ENABLED',
  },
  {
    name: 'trait',
    kind: 'text',
    description: 'a trait of the host',
    label: 'Trait',
    copied: 'traits',
    column: 'TRAITS',
    holds: 'set',
    isFacet: true,
    read: ({ record }) => record.traits,
  },
  {
    name: 'cpu.free',
    aliases: ['vcpu.free'],
    kind: 'number',
    unit: 'count',
    description: 'free vCPUs, after use and claims',
    label: 'CPU free',
    copied: 'vcpusFree',
    column: 'CPU_FREE',
    holds: 'number',
    ...amountOf('FREE', 'VCPU'),
  },
  {
    name: 'cpu.total',
    aliases: ['vcpu.total'],
    kind: 'number',
    unit: 'count',
    description: 'capacity in vCPUs, including overcommit',
    label: 'CPU total',
    copied: 'vcpus',
    column: 'CPU_TOTAL',
    holds: 'number',
    ...amountOf('CAPACITY', 'VCPU'),
  },
  {
    name: 'cpu.used',
    aliases: ['vcpu.used'],
    kind: 'number',
    unit: '%',
    description: 'used and claimed share of the vCPUs',
    label: 'CPU used',
    copied: 'cpuUsedPercent',
    column: 'CPU_USED_PCT',
    holds: 'number',
    usedOf: { capacity: 'CPU_TOTAL', free: 'CPU_FREE' },
    ...amountOf('USED_PERCENT', 'VCPU'),
  },
  {
    name: 'mem.free',
    kind: 'number',
    unit: 'MiB',
    description: 'free memory, after use and claims',
    label: 'Memory free',
    copied: 'memoryFreeMib',
    column: 'MEM_FREE_MIB',
    holds: 'number',
    ...amountOf('FREE', 'MEMORY_MB'),
  },
  {
    name: 'mem.total',
    kind: 'number',
    unit: 'MiB',
    description: 'capacity of memory, including overcommit',
    label: 'Memory total',
    copied: 'memoryMib',
    column: 'MEM_TOTAL_MIB',
    holds: 'number',
    ...amountOf('CAPACITY', 'MEMORY_MB'),
  },
  {
    name: 'mem.used',
    kind: 'number',
    unit: '%',
    description: 'used and claimed share of the memory',
    label: 'Memory used',
    copied: 'memoryUsedPercent',
    column: 'MEM_USED_PCT',
    holds: 'number',
    usedOf: { capacity: 'MEM_TOTAL_MIB', free: 'MEM_FREE_MIB' },
    ...amountOf('USED_PERCENT', 'MEMORY_MB'),
  },
  {
    name: 'disk.free',
    kind: 'number',
    unit: 'GiB',
    description: 'free disk space, after use and claims',
    label: 'Disk free',
    copied: 'diskFreeGib',
    column: 'DISK_FREE_GIB',
    holds: 'number',
    ...amountOf('FREE', 'DISK_GB'),
  },
  {
    name: 'disk.total',
    kind: 'number',
    unit: 'GiB',
    description: 'capacity of disk space, including overcommit',
    label: 'Disk total',
    copied: 'diskGib',
    column: 'DISK_TOTAL_GIB',
    holds: 'number',
    ...amountOf('CAPACITY', 'DISK_GB'),
  },
  {
    name: 'disk.used',
    kind: 'number',
    unit: '%',
    description: 'used and claimed share of the disk space',
    label: 'Disk used',
    copied: 'diskUsedPercent',
    column: 'DISK_USED_PCT',
    holds: 'number',
    usedOf: { capacity: 'DISK_TOTAL_GIB', free: 'DISK_FREE_GIB' },
    ...amountOf('USED_PERCENT', 'DISK_GB'),
  },
  {
    name: 'gpu.count',
    kind: 'number',
    unit: 'count',
    description: 'number of GPUs of the host',
    label: 'GPUs',
    copied: 'gpus',
    column: 'GPU_COUNT',
    holds: 'number',
    order: { field: 'GPU_COUNT', description: 'How many GPUs the host has.' },
    read: ({ record }) => record.gpus.length,
  },
  {
    name: 'gpu.free',
    kind: 'number',
    unit: 'count',
    description: 'free GPUs, the sum of the free shares',
    label: 'GPU free',
    copied: 'gpusFree',
    column: 'GPU_FREE_MILLI',
    holds: 'number',
    scale: 1_000,
    order: { field: 'GPU_FREE', description: 'The free share of all GPUs together, in thousandths of a GPU.' },
    read: ({ fleet, record }) => fleet.hosts.columns.gpuFreeMilli[record.index] ?? 0,
  },
  {
    name: 'claims',
    kind: 'number',
    unit: 'count',
    description: 'number of live claims on the host',
    label: 'Claims',
    copied: 'claims',
    column: 'CLAIMS',
    holds: 'number',
    order: { field: 'CLAIM_COUNT', description: 'How many live claims are on the host.' },
    read: countLiveClaims,
  },
  {
    name: 'instances',
    kind: 'number',
    unit: 'count',
    description: 'number of instances, including claims that are not reported yet',
    label: 'Instances',
    copied: 'instances',
    column: 'INSTANCES',
    holds: 'number',
    order: {
      field: 'INSTANCE_COUNT',
      description: 'How many instances are on the host: reported ones, and claims that the report does not count yet.',
    },
    read: ({ fleet, record }) => fleet.hosts.columns.instances[record.index] ?? 0,
  },
  {
    // The column has the time of the last report in milliseconds since 1970. A filter compares the seconds since this time.
    name: 'age',
    kind: 'number',
    unit: 's',
    description: 'time since the last report of the host',
    label: 'Report',
    copied: 'reportedAt',
    column: 'REPORTED_AT',
    holds: 'number',
    order: {
      field: 'LAST_REPORT',
      isReversed: true,
      description: 'The time of the last report with a change; hosts without such a report come first.',
    },
    read: ({ record }) => record.reportedAt,
  },
  {
    name: 'hypervisor.type',
    aliases: ['hv.type'],
    kind: 'text',
    description: "type of the host's hypervisor, such as QEMU",
    label: 'Hypervisor',
    copied: 'hypervisorType',
    column: 'HYPERVISOR_TYPE',
    holds: 'set',
    isFacet: true,
    isReported: true,
    read: ({ record }) => record.stats.hypervisorType,
  },
  {
    name: 'hypervisor.version',
    aliases: ['hv.version'],
    kind: 'number',
    unit: 'count',
    description: "version of the host's hypervisor as reported: 8002000 is 8.2.0",
    label: 'Hypervisor version',
    copied: 'hypervisorVersion',
    column: 'HYPERVISOR_VERSION',
    holds: 'set',
    isFacet: true,
    isReported: true,
    read: ({ record }) => record.stats.hypervisorVersion,
  },
  {
    name: 'cpu.model',
    kind: 'text',
    description: "model of the host's CPUs",
    label: 'CPU model',
    copied: 'cpuModel',
    column: 'CPU_MODEL',
    holds: 'set',
    isFacet: true,
    isReported: true,
    read: ({ record }) => record.stats.cpuInfo?.model ?? null,
  },
  {
    name: 'cpu.vendor',
    kind: 'text',
    description: "vendor of the host's CPUs",
    label: 'CPU vendor',
    copied: 'cpuVendor',
    column: 'CPU_VENDOR',
    holds: 'set',
    isFacet: true,
    isReported: true,
    read: ({ record }) => record.stats.cpuInfo?.vendor ?? null,
  },
  {
    name: 'cpu.arch',
    kind: 'text',
    description: "architecture of the host's CPUs, such as x86_64",
    label: 'CPU architecture',
    copied: 'cpuArch',
    column: 'CPU_ARCH',
    holds: 'set',
    isFacet: true,
    isReported: true,
    read: ({ record }) => record.stats.cpuInfo?.arch ?? null,
  },
] as const satisfies readonly Row[]

export type HostField = (typeof hostFields)[number]
export type HostFieldName = HostField['name']
/** The fields that hosts report about their machine. */
export type ReportedField = Extract<HostField, { readonly isReported: true }>
export type FacetField = Extract<HostField, { readonly isFacet: true }>
/** The fields that are columns of the API. */
export type ColumnField = Extract<HostField, { readonly column: string }>
/** The fields whose columns have values of the type `Held`. */
export type FieldHolding<Held extends 'code' | 'set' | 'number'> = Extract<ColumnField, { readonly holds: Held }>
