import type { FullStats, StatsDelta } from '@gantt/client'
import { metricsOf } from './metrics.ts'
import type { Picture } from './picture.ts'
import { type OfferedPci, poolsOf } from './pools.ts'
import { type Reading, valueIn } from './readers/source.ts'
import { traitsOf } from './traits.ts'

/** A field that a report may leave out. */
export type Omittable = NonNullable<FullStats['omitted']>[number]

/** The settings of operators for a machine, which the agent cannot read from files of the machine. */
export interface Offer {
  /** The name of the node, by default the name of the machine. */
  readonly nodeName: string
  /** The IP address of the host. Undefined if it is not reported. */
  readonly hostIp: string | undefined
  /** The amounts that the machine itself needs. They are reported as used. */
  readonly reserved: { readonly cpus: number; readonly memoryMb: number; readonly diskGb: number }
  /** The allocation ratios for overcommit. */
  readonly ratios: { readonly cpu: number; readonly ram: number; readonly disk: number }
  /** PCI devices that are offered to instances, in addition to the devices with the driver vfio-pci. */
  readonly pci: readonly OfferedPci[]
}

/** Thrown if a value that every report needs could not be read. The machine then cannot be reported. */
export class NotReportable extends Error {
  override readonly name = 'NotReportable'
}

/** The readings from which a report is computed. */
export interface Look {
  readonly picture: Picture
  /** The picture of the previous reading. Shares of CPU time are computed from the time between the two readings. */
  readonly before?: Picture | undefined
  /**
   * The last report. If a value has changed by less than its step (the least change that is reported), the value of the last report is
   * repeated.
   */
  readonly reported?: FullStats | undefined
  /** The time of the reading (RFC 3339). */
  readonly at: string
}

/**
 * Makes a full report (HostStats 1.3). Fields that no profile needs (`omittable`) and values that could not be read are left out. Throws
 * NotReportable.
 */
export function toFull(look: Look, offer: Offer, omittable: ReadonlySet<Omittable>): FullStats {
  const { picture } = look
  const must = <Value>(name: string, of: Reading<Value>): Value => {
    if ('value' in of) return of.value
    throw new NotReportable(`${name} is not known: ${of.notReported}`)
  }
  const { reserved, ratios } = offer
  const disk = must('the disk', picture.disk)
  const optional = present(optionalFields(look, offer), omittable)
  return {
    version: '1.3',
    vcpus: must('the number of CPUs', picture.cpuCount),
    vcpusUsed: reserved.cpus,
    memoryMb: Math.floor(must('the memory', picture.memoryKib) / 1_024),
    memoryMbUsed: reserved.memoryMb,
    localGb: gib(disk.totalBytes),
    localGbUsed: reserved.diskGb,
    cpuAllocationRatio: ratios.cpu,
    ramAllocationRatio: ratios.ram,
    diskAllocationRatio: ratios.disk,
    ...optional,
    ...machineOf(picture),
    omitted: OMITTABLE.flatMap(([field, word]) => (optional[field] === undefined ? [word] : [])),
  }
}

const machineOf = ({ machineId }: Picture): Pick<FullStats, 'machineId'> => {
  const id = valueIn(machineId)
  return id === undefined ? {} : { machineId: id }
}

type Optional = Pick<FullStats, (typeof OMITTABLE)[number][0]>

/** The fields that a report may leave out: the name of the field, and its name in `omitted`. */
const OMITTABLE = [
  ['freeDiskGb', 'FREE_DISK_GB'],
  ['diskAvailableLeast', 'DISK_AVAILABLE_LEAST'],
  ['runningVms', 'RUNNING_VMS'],
  ['numIoOps', 'NUM_IO_OPS'],
  ['hypervisorType', 'HYPERVISOR_TYPE'],
  ['hypervisorVersion', 'HYPERVISOR_VERSION'],
  ['hypervisorHostname', 'HYPERVISOR_HOSTNAME'],
  ['hostIp', 'HOST_IP'],
  ['supportedInstances', 'SUPPORTED_INSTANCES'],
  ['cpuInfo', 'CPU_INFO'],
  ['metrics', 'METRICS'],
  ['numaCells', 'NUMA_CELLS'],
  ['tunneledCells', 'TUNNELED_CELLS'],
  ['gpus', 'GPUS'],
  ['pciPools', 'PCI_POOLS'],
  ['traits', 'TRAITS'],
] as const satisfies readonly (readonly [keyof FullStats, Omittable])[]

/**
 * The optional fields of a report. The agent does not detect networks and hypervisors. It also does not report instances and their usage,
 * because the service knows them from claims.
 */
function optionalFields({ picture, before, reported, at }: Look, { nodeName, hostIp, pci }: Offer): Optional {
  const { arch } = picture
  const metrics = metricsOf(picture.load, { before: before?.load, reported: reported?.metrics, at })
  const model = valueIn(picture.model)
  const disk = valueIn(picture.disk)
  const devices = valueIn(picture.devices)
  const gpus = valueIn(picture.gpus)
  return {
    ...(disk && { freeDiskGb: steady(gib(disk.freeBytes), reported?.freeDiskGb, gib(disk.totalBytes) / 100) }),
    runningVms: 0,
    numIoOps: 0,
    hypervisorHostname: nodeName,
    ...(hostIp !== undefined && { hostIp }),
    ...(valueIn(picture.canVirtualize) && { supportedInstances: [{ arch, hvType: 'kvm', vmMode: 'hvm' }] }),
    ...(model && { cpuInfo: cpuInfoOf(picture, model), traits: traitsOf(arch, model.flags) }),
    ...cellsOf(picture),
    ...(devices && { pciPools: poolsOf(devices, gpus ?? [], pci) }),
    ...(gpus && { gpus: gpus.map(({ index, model }) => ({ index, model })) }),
    ...(metrics.length > 0 && { metrics }),
  }
}

/**
 * The model of the CPUs, and the counts of sockets, cores per socket and threads per core. The counts of cores and threads are left out if
 * they differ within the machine.
 */
function cpuInfoOf(
  { arch, topology }: Picture,
  { vendor, model, flags }: { readonly vendor: string | undefined; readonly model: string | undefined; readonly flags: readonly string[] },
): NonNullable<FullStats['cpuInfo']> {
  const cpus = valueIn(topology) ?? []
  const sockets = new Set(cpus.map(({ socket }) => socket)).size
  const cores = new Map(cpus.map(({ core }) => [core.join(), core.length]))
  const threads = new Set(cores.values())
  const isEven = threads.size === 1 && cores.size % sockets === 0
  return {
    arch,
    ...(vendor !== undefined && { vendor }),
    ...(model !== undefined && { model }),
    features: flags,
    ...(cpus.length > 0 && { sockets }),
    ...(isEven && { cores: cores.size / sockets, threads: [...threads][0] ?? 1 }),
  }
}

function cellsOf({ cells }: Picture): Pick<FullStats, 'numaCells'> {
  const read = valueIn(cells)
  if (read === undefined) return {}
  const numaCells = read.map(({ id, cpus, memoryKib, siblings, socket, pages }) => ({
    id,
    cpuset: cpus,
    memoryMb: Math.floor(memoryKib / 1_024),
    ...(siblings.length > 0 && { siblings }),
    ...(socket !== undefined && { socket }),
    pages,
  }))
  return { numaCells }
}

/** The fields that have a value and are not omittable. */
const present = (fields: Optional, omittable: ReadonlySet<Omittable>): Optional =>
  Object.fromEntries(
    OMITTABLE.flatMap(([field, word]) => (omittable.has(word) || fields[field] === undefined ? [] : [[field, fields[field]]])),
  )

/**
 * Returns the reported value if the new value differs from it by less than the step, or by less than 1. Otherwise returns the new value.
 */
const steady = (now: number, reported: number | null | undefined, step: number): number =>
  reported === undefined || reported === null || Math.abs(now - reported) >= Math.max(1, step) ? now : reported

const gib = (bytes: number): number => Math.floor(bytes / 2 ** 30)

/** The fields that a delta can contain. */
const DELTA_FIELDS = ['vcpusUsed', 'memoryMbUsed', 'localGbUsed', 'runningVms', 'numIoOps'] as const satisfies readonly (keyof StatsDelta)[]

/**
 * Compares two reports. Returns 'nothing' if they are equal, a delta if only fields that a delta can contain differ, and 'more' if a full
 * report is needed.
 */
export function changesOf(before: FullStats, after: FullStats): 'nothing' | 'more' | StatsDelta {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof FullStats)[])
  const changed = [...fields].filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
  if (changed.length === 0) return 'nothing'
  const isSaid = (field: string): field is (typeof DELTA_FIELDS)[number] => DELTA_FIELDS.some((known) => known === field)
  if (!changed.every((field) => isSaid(field) && typeof after[field] === 'number')) return 'more'
  return Object.fromEntries(changed.map((field) => [field, after[field]]))
}
