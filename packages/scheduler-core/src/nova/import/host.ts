import { readNovaService } from '../../report/reported-service.ts'
import { fieldsOf, isJson, refuseKeys, WireError } from '../../report/versioned-object.ts'
import { limits } from '../../request/limits.ts'
import type { PciPool, PciValue } from '../hardware/pci.ts'
import type { HostCell } from '../hardware/topology.ts'
import { type NovaComputeNode, readNovaComputeNode } from '../objects/compute-node.ts'
import { pythonValueOf } from '../text/python-json.ts'
import { pythonText } from '../text/python-text.ts'
import { computeNodeOfRow, isComputeNodeRow } from './compute-node-row.ts'
import { withoutChanges } from './document.ts'
import { attempt, type Imported, type ImportedDocument } from './import.ts'
import { leftOpen, type NovaProvider, providerStats, readProvider } from './provider.ts'
import { hostReaderPath } from './report-paths.ts'

/**
 * Imports Nova's data about a host. The input is a ComputeNode (a versioned object of version 1.0 to 1.19 or a row of the table
 * `compute_nodes`), or an object `{ compute_node, service, cell_uuid, instances, traits, inventories }`. An instance is a uuid or
 * `{ uuid, flavorid, image_properties }`. The result is a report in Gantt's form, to be parsed by parseHostStats. With `host`, the document
 * must be about this host.
 */
export const importNovaHost = (given: unknown, host?: string): Imported =>
  attempt(
    'stats.invalid',
    () => readHost(given, host),
    { computeNode: (path) => hostReaderPath(given, path) },
    (at) => hostReaderPath(given, at.match(/[^.[\]]+/g) ?? []),
  )

function readHost(given: unknown, host: string | undefined): ImportedDocument {
  const { computeNode: reported, service, cellUuid, instances, provider } = unwrap(given)
  const computeNode = isComputeNodeRow(reported) ? computeNodeOfRow(reported) : reported
  const { node, version, unknown } = readNovaComputeNode(computeNode)
  if (!version.startsWith('1.')) throw new WireError('computeNode.nova_object.version', version, 'a version 1.x, preferably 1.0 to 1.19')
  if (host !== undefined && node.host && node.host !== host)
    throw new WireError('computeNode.host', node.host, `${host}, the host that reports`)
  if (node.freeDiskGb === null)
    throw new WireError(
      'computeNode.free_disk_gb',
      fieldsOf(computeNode).free_disk_gb,
      'a number, because Nova ignores a node that has not reported its disk',
    )
  if (service !== null) readNovaService(service)
  return {
    document: {
      ...statsOf(node),
      ...providerStats(provider, node),
      instances: instances?.map(({ uuid }) => uuid) ?? null,
      nova: {
        computeNode: withoutChanges(computeNode),
        service: withoutChanges(service),
        cellUuid,
        flavors: byInstance(instances ?? [], ({ flavorid }) => flavorid),
        images: byInstance(instances ?? [], ({ imageProperties }) => imageProperties),
        ...leftOpen(provider, node),
      },
    },
    unknown,
  }
}

interface NamedInstance {
  readonly uuid: string
  readonly flavorid: string | undefined
  readonly imageProperties: Readonly<Record<string, string>> | undefined
}

interface Parts {
  readonly computeNode: unknown
  readonly service: unknown
  readonly cellUuid: string | null
  readonly instances: readonly NamedInstance[] | undefined
  readonly provider: NovaProvider
}

function unwrap(given: unknown): Parts {
  if (!isJson(given) || !Object.hasOwn(given, 'compute_node'))
    return { computeNode: given, service: null, cellUuid: null, instances: undefined, provider: {} }
  const { compute_node, service = null, cell_uuid = null, instances, traits, inventories, ...rest } = given
  refuseKeys(rest, 'compute_node, service, cell_uuid, instances, traits and inventories')
  if (cell_uuid !== null && typeof cell_uuid !== 'string') throw new WireError('cell_uuid', cell_uuid, 'a uuid or null')
  const provider = readProvider(traits, inventories)
  return { computeNode: compute_node, service, cellUuid: cell_uuid, instances: instancesOf(instances), provider }
}

function instancesOf(value: unknown): readonly NamedInstance[] | undefined {
  if (value === undefined || value === null) return undefined
  const allowed = 'a uuid, or an object with uuid, flavorid and image_properties'
  if (!Array.isArray(value)) throw new WireError('instances', value, `a list in which each item is ${allowed}`)
  return value.map((instance: unknown, i) => {
    if (typeof instance === 'string') return { uuid: instance, flavorid: undefined, imageProperties: undefined }
    const { uuid, flavorid, image_properties } = isJson(instance) ? instance : {}
    const isFlavor = flavorid === undefined || typeof flavorid === 'string'
    if (typeof uuid !== 'string' || !isFlavor) throw new WireError(`instances.${i}`, instance, allowed)
    return { uuid, flavorid, imageProperties: propertiesOf(image_properties, `instances.${i}.image_properties`) }
  })
}

/** Reads the image properties of an instance, as the image service returns them. */
function propertiesOf(value: unknown, path: string): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return undefined
  if (!isJson(value)) throw new WireError(path, value, 'an object')
  const texts = Object.entries(value).map(([name, property]) => [name, pythonText(pythonValueOf(property))] as const)
  return Object.fromEntries(texts)
}

/** The reported values of instances by uuid. Instances without a value are left out. */
const byInstance = <T>(
  instances: readonly NamedInstance[],
  read: (instance: NamedInstance) => T | undefined,
): Readonly<Record<string, T>> =>
  Object.fromEntries(
    instances.flatMap((instance) => {
      const value = read(instance)
      return value === undefined ? [] : [[instance.uuid.toLowerCase(), value] as const]
    }),
  )

/** Converts a ComputeNode to a report in Gantt's form, version 1.4. */
function statsOf(node: NovaComputeNode): Record<string, unknown> {
  return {
    version: '1.4',
    vcpus: node.vcpus,
    vcpusUsed: node.vcpusUsed,
    memoryMb: node.memoryMb,
    memoryMbUsed: node.memoryMbUsed,
    localGb: node.localGb,
    localGbUsed: node.localGbUsed,
    freeDiskGb: node.freeDiskGb,
    diskAvailableLeast: node.diskAvailableLeast,
    cpuAllocationRatio: ratioOf(node.cpuAllocationRatio),
    ramAllocationRatio: ratioOf(node.ramAllocationRatio),
    diskAllocationRatio: ratioOf(node.diskAllocationRatio),
    runningVms: countOf(node.stats.num_instances),
    numIoOps: countOf(node.stats.io_workload),
    hypervisorType: node.hypervisorType || null,
    hypervisorVersion: node.hypervisorVersion,
    hypervisorHostname: node.hypervisorHostname || null,
    hostIp: node.hostIp || null,
    supportedInstances: node.supportedInstances.map(([arch, hvType, vmMode]) => ({ arch, hvType, vmMode })),
    cpuInfo: cpuInfoOf(node.cpuInfo),
    metrics: node.metrics,
    numaCells: node.numaTopology?.cells.map(cellOf) ?? [],
    tunneledCells: node.numaTopology?.cells.filter(({ networkMetadata }) => networkMetadata?.tunneled).map(({ id }) => id) ?? [],
    pciPools: node.pciPools?.map(poolOf) ?? [],
  }
}

/**
 * In Nova, a ratio of 0 means that the scheduler's configured ratio applies. The document does not contain this ratio. So the ratio is 1,
 * and nothing is overcommitted. Ratios above the largest that capacities are computed with, such as 9999, count as the largest.
 */
const ratioOf = (ratio: number): number => (ratio === 0 ? 1 : Math.min(ratio, limits.ratio))

const countOf = (text: string | undefined): number => Math.max(0, Number.parseInt(text ?? '0', 10) || 0)

/** Reads CPU information in the form that libvirt's driver writes. Other forms are not converted, but stay in the stored document. */
function cpuInfoOf(text: string | null): unknown {
  const info = text === null || text === '' ? undefined : parse(text)
  if (!isJson(info)) return null
  const { arch, vendor, model, features, topology } = info
  const { sockets, cores, threads } = isJson(topology) ? topology : {}
  const word = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
  const count = (value: unknown) => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null)
  return {
    arch: word(arch),
    vendor: word(vendor),
    model: word(model),
    features: Array.isArray(features) ? features.filter((one) => typeof one === 'string' && one !== '') : [],
    sockets: count(sockets),
    cores: count(cores),
    threads: count(threads),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // No error is needed here. The text stays in the stored document. As in Nova, a filter that looks for a value in text that is not JSON
    // finds none.
    return undefined
  }
}

function cellOf({
  id,
  cpuset,
  pcpuset,
  memory,
  cpuUsage,
  memoryUsage,
  pinnedCpus,
  siblings,
  mempages,
  socket,
  ...cell
}: HostCell): unknown {
  const cpus = new Set([...cpuset, ...(pcpuset ?? [])])
  return {
    id,
    cpuset,
    // Null means that every CPU of the cell can be shared and can be pinned.
    dedicatedCpuset: pcpuset === undefined || sameCpus(cpuset, pcpuset) ? null : pcpuset,
    memoryMb: memory,
    memoryUsageMb: memoryUsage,
    cpuUsage,
    pinnedCpus: pinnedCpus.filter((cpu) => cpus.has(cpu)),
    // Threads that no guest can use are left out.
    siblings: siblings.map((threads) => threads.filter((cpu) => cpus.has(cpu))).filter((threads) => threads.length > 0),
    pages: mempages.map(({ sizeKib, total, used, reserved }) => ({ sizeKib, total, used: Math.ceil(used), reserved })),
    socket: socket ?? null,
    physicalNetworks: cell.networkMetadata?.physnets ?? [],
  }
}

/** Compares two lists of CPUs. Both must be in ascending order. */
export const sameCpus = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((cpu, i) => cpu === b[i])

/** Converts a device pool. Nova's pool has only the number of free devices. The devices that claims use are added to the total later. */
function poolOf({ keys, count }: PciPool): unknown {
  const { vendor_id, product_id, numa_node, dev_type, ...tags } = keys
  return {
    vendorId: textOf(vendor_id),
    productId: textOf(product_id),
    numaNode: typeof numa_node === 'number' ? numa_node : null,
    deviceType: typeof dev_type === 'string' ? dev_type : null,
    tags: Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, textOf(value)])),
    total: count,
    used: 0,
  }
}

const textOf = (value: PciValue | undefined): string => (Array.isArray(value) ? value.join(',') : String(value ?? ''))
