import { fieldsOf, isJson } from '../../report/versioned-object.ts'
import { pciPoolPositions } from '../hardware/read-pci.ts'
import { computeNodeOfRow, isComputeNodeRow } from './compute-node-row.ts'

type Path = readonly string[]
type Json = Readonly<Record<string, unknown>>

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Given a path in a report in this service's form, returns the path in Nova's document from which the value came. */
export function reportPath(given: unknown, [field = '', ...rest]: Path): Path {
  const { node, parts, at: ofNode } = partsOf(given)
  const [position, ...inner] = rest
  switch (field) {
    case '':
      return []
    case 'nova':
      return position === 'computeNode' ? [...ofNode, ...inner] : instanceFieldPath(parts, rest)
    case 'instances':
      return instancePath(parts, rest)
    case 'traits': {
      const { at, value } = within(parts.traits, 'traits')
      const list: readonly unknown[] = Array.isArray(value) ? value : []
      // Duplicate traits in the document are removed from the report, so indexes can differ.
      return [...at, ...(position === undefined ? [] : [String(list.indexOf([...new Set(list)][Number(position)]))]), ...inner]
    }
    case 'inventories': {
      const { at, value } = within(parts.inventories, 'inventories')
      const name = Object.keys(fieldsOf(value))[Number(position)]
      // The usage of a resource class comes from the ComputeNode.
      if (inner[0] === 'used') return [...ofNode, USED[name ?? ''] ?? '']
      return [...at, ...(name === undefined ? [] : [name]), ...inner.filter((key) => key !== 'resourceClass').map(snake)]
    }
    default:
      return [...ofNode, ...nodePath(node, field, rest)]
  }
}

const USED: Readonly<Record<string, string>> = { VCPU: 'vcpus_used', MEMORY_MB: 'memory_mb_used', DISK_GB: 'local_gb_used' }

/** Translates a path within the ComputeNode, as an error names it, to the path in the caller's document. */
export function hostReaderPath(given: unknown, [field, ...rest]: Path): Path {
  const { node, at } = partsOf(given)
  return [...at, ...(field === undefined ? [] : columnPath(node, field, rest))]
}

/** The ComputeNode in a document, its path, and the object that contains it (`parts`). */
function partsOf(given: unknown): { readonly node: unknown; readonly parts: Json; readonly at: Path } {
  const isWrapped = isJson(given) && Object.hasOwn(given, 'compute_node')
  return isWrapped ? { node: given.compute_node, parts: given, at: ['compute_node'] } : { node: given, parts: {}, at: [] }
}

/** Fields of ComputeNode that have another name in a row of the table `compute_nodes`. A row can have a single value instead of a list. */
const COLUMNS: readonly (readonly [field: string, column: string])[] = [
  ['supported_hv_specs', 'supported_instances'],
  ['pci_device_pools', 'pci_stats'],
]

function columnPath(node: unknown, given: string, rest: Path): Path {
  const [field = given, column] = COLUMNS.find((names) => names.includes(given)) ?? []
  const fields = fieldsOf(node)
  const named = column !== undefined && (fields[field] ?? undefined) === undefined && Object.hasOwn(fields, column) ? column : field
  const value = parsed(fields[named])
  const isList = Array.isArray(value) || (isJson(value) && Object.hasOwn(value, 'nova_object.data'))
  if (column !== undefined && isComputeNodeRow(node) && !isList) return [named, ...rest.slice(1)]
  const [position, word = '', ...deeper] = rest
  // In a row, a supported instance can be a list of three items instead of an object.
  const isSpec = Array.isArray(value) && Array.isArray(value[Number(position)]) && SPEC_WORDS.includes(word)
  return [named, ...(isSpec && position !== undefined ? [position, String(SPEC_WORDS.indexOf(word)), ...deeper] : rest)]
}

function nodePath(node: unknown, field: string, rest: Path): Path {
  const [position, ...inner] = rest
  switch (field) {
    case 'runningVms':
      return ['stats', 'num_instances']
    case 'numIoOps':
      return ['stats', 'io_workload']
    case 'cpuInfo':
      return ['cpu_info', ...(['sockets', 'cores', 'threads'].includes(position ?? '') ? ['topology'] : []), ...rest]
    case 'metrics':
      return ['metrics', ...rest]
    case 'supportedInstances':
      return columnPath(node, 'supported_hv_specs', rest.map(snake))
    case 'tunneledCells': {
      const { cells } = topologyOf(node)
      const tunneled = cells.flatMap((cell, i) => (fieldsOf(fieldsOf(cell).network_metadata).tunneled === true ? [String(i)] : []))
      return ['numa_topology', 'cells', ...tunneled.slice(Number(position ?? 0)).slice(0, 1), ...(position === undefined ? [] : ['id'])]
    }
    case 'numaCells':
      return ['numa_topology', 'cells', ...(position === undefined ? [] : [position]), ...cellPath(topologyOf(node), position, inner)]
    case 'pciPools':
      return poolPath(node, rest)
    default:
      return [snake(field), ...rest.map(snake)]
  }
}

const SPEC_WORDS: readonly string[] = ['arch', 'hv_type', 'vm_mode']

const CELL_FIELDS: Readonly<Record<string, Path>> = {
  memoryMb: ['memory'],
  memoryUsageMb: ['memory_usage'],
  dedicatedCpuset: ['pcpuset'],
  pages: ['mempages'],
  physicalNetworks: ['network_metadata', 'physnets'],
}
/** Names of the fields of cells in plain dictionaries, the form before versioned objects existed. */
const OLD_CELL_FIELDS: Readonly<Record<string, Path>> = { cpuset: ['cpus'], memoryMb: ['mem', 'total'], memoryUsageMb: ['mem', 'used'] }
/** Fields that are sets. An import sorts them and removes duplicates, so indexes can differ. */
const SETS: ReadonlySet<string> = new Set(['cpuset', 'dedicatedCpuset', 'pinnedCpus'])

function cellPath({ cells, isOld }: Topology, position: string | undefined, [field, ...rest]: Path): Path {
  if (field === undefined) return []
  const at = (isOld ? OLD_CELL_FIELDS : CELL_FIELDS)[field] ?? [snake(field)]
  if (isOld) return at
  if (!SETS.has(field)) return [...at, ...rest.map((key) => (key === 'sizeKib' ? 'size_kb' : snake(key)))]
  const given = fieldsOf(cells[Number(position)])[at[0] ?? '']
  const numbers: readonly unknown[] = Array.isArray(given) ? given : []
  const set = [...new Set(numbers)].sort((a, b) => Number(a) - Number(b))
  return [...at, ...rest.map((index) => String(numbers.indexOf(set[Number(index)])))]
}

interface Topology {
  readonly cells: readonly unknown[]
  readonly isOld: boolean
}

function topologyOf(node: unknown): Topology {
  const topology = parsed(fieldsOf(node).numa_topology)
  const { cells } = fieldsOf(topology)
  return { cells: Array.isArray(cells) ? cells : [], isOld: isJson(topology) && !Object.hasOwn(topology, 'nova_object.data') }
}

/**
 * Translates a path in the device pools. The report has the pools in a different order. In plain dictionaries, the tags of a pool are among
 * its other keys.
 */
function poolPath(node: unknown, [position, field, ...rest]: Path): Path {
  const pools = fieldsOf(isComputeNodeRow(node) ? computeNodeOfRow(node) : node).pci_device_pools
  const index = position === undefined ? undefined : pciPoolPositions(pools)[Number(position)]
  const list = Array.isArray(pools) ? pools : fieldsOf(pools).objects
  const pool: unknown = Array.isArray(list) ? list[index ?? 0] : undefined
  const areApart = isJson(pool) && Object.hasOwn(pool, 'nova_object.data')
  const name = field === undefined ? [] : field === 'tags' ? [] : [POOL_FIELDS[field] ?? snake(field)]
  const isTag = areApart && (field === 'tags' || Object.hasOwn(fieldsOf(fieldsOf(pool).tags), name[0] ?? ''))
  const named = [...(isTag ? ['tags'] : []), ...name]
  return columnPath(node, 'pci_device_pools', [...(index === undefined ? [] : [String(index)]), ...named, ...rest])
}

const POOL_FIELDS: Readonly<Record<string, string>> = { deviceType: 'dev_type', total: 'count' }

/** Translates a path in the list of instances. In the document, an instance is a uuid or an object that contains the uuid. */
function instancePath({ instances }: Json, [position, ...rest]: Path): Path {
  if (position === undefined) return ['instances']
  const isNamed = Array.isArray(instances) && isJson(instances[Number(position)])
  return ['instances', position, ...(isNamed ? ['uuid'] : []), ...rest]
}

const FIELD_OF_INSTANCE: Readonly<Record<string, string>> = { flavors: 'flavorid', images: 'image_properties' }

function instanceFieldPath({ instances }: Json, [field = '', uuid, ...rest]: Path): Path {
  const name = FIELD_OF_INSTANCE[field]
  if (name === undefined || uuid === undefined) return name === undefined ? [field, ...rest].map(snake) : ['instances']
  const list: readonly unknown[] = Array.isArray(instances) ? instances : []
  const index = list.findIndex((instance) => String(fieldsOf(instance).uuid).toLowerCase() === uuid)
  return ['instances', String(index), name, ...rest]
}

/** Parses JSON text. Other values are returned unchanged. */
function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    // The import reports text that is not valid JSON.
    return given
  }
}

/** Finds a field and its path. The input is the body of a response of Placement that contains the field, or the field's value alone. */
function within(given: unknown, field: string): { readonly at: Path; readonly value: unknown } {
  const isBody = isJson(given) && Object.hasOwn(given, field)
  return { at: isBody ? [field, field] : [field], value: isBody ? given[field] : given }
}
