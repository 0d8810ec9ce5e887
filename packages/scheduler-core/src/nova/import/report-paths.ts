import { fieldsOf, isJson } from '../../report/versioned-object.ts'
import { memoByObject } from '../../values/memo.ts'
import { pciPoolPositions } from '../hardware/read-pci.ts'
import { computeNodeOfRow, isComputeNodeRow } from './compute-node-row.ts'
import { listedOf } from './provider.ts'

type Path = readonly string[]
type Json = Readonly<Record<string, unknown>>

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Given a path in a report in Gantt's form, returns the path in Nova's document from which the value came. */
export function reportPath(given: unknown, [field = '', ...rest]: Path): Path {
  const document = documentOf(given)
  const { parts, at: ofNode } = document
  const [position, ...inner] = rest
  switch (field) {
    case '':
      return []
    case 'nova':
      return position === 'computeNode' ? [...ofNode, ...inner] : instanceFieldPath(document, rest)
    case 'instances':
      return instancePath(parts, rest)
    case 'traits': {
      const { at, positions } = document.traits()
      return [...at, ...(position === undefined ? [] : [String(positions[Number(position)] ?? -1)]), ...inner]
    }
    case 'inventories': {
      const { at, names } = document.inventories()
      const name = names[Number(position)]
      // The usage of a resource class comes from the ComputeNode.
      if (inner[0] === 'used') return [...ofNode, USED[name ?? ''] ?? '']
      return [...at, ...(name === undefined ? [] : [name]), ...inner.filter((key) => key !== 'resourceClass').map(snake)]
    }
    default:
      return [...ofNode, ...nodePath(document, field, rest)]
  }
}

const USED: Readonly<Record<string, string>> = { VCPU: 'vcpus_used', MEMORY_MB: 'memory_mb_used', DISK_GB: 'local_gb_used' }

/** Translates a path within the ComputeNode, as an error names it, to the path in the caller's document. */
export function hostReaderPath(given: unknown, [field, ...rest]: Path): Path {
  const document = documentOf(given)
  return [...document.at, ...(field === undefined ? [] : columnPath(document, field, rest))]
}

/** A reported document of Nova. The functions read each part of the document only once, even if many paths are translated. */
interface ReportedDocument {
  /** The ComputeNode, its path, and the object that contains it. */
  readonly node: unknown
  readonly at: Path
  readonly parts: Json
  /** The value of a field of the ComputeNode, parsed if it is JSON text. */
  readonly column: (field: string) => unknown
  readonly topology: () => Topology
  /** For each number in a set of a cell, in the order of the report: its index in the document. */
  readonly setPositions: (position: number, field: string) => readonly number[]
  /** The device pools, and for each pool in the report its index in this list. */
  readonly pools: () => { readonly list: readonly unknown[]; readonly positions: readonly number[] }
  /** The path of the traits, and for each trait in the report its index there. Duplicate traits are removed from the report. */
  readonly traits: () => { readonly at: Path; readonly positions: readonly number[] }
  readonly inventories: () => { readonly at: Path; readonly names: readonly string[] }
  /** The index of the instance with a uuid in lower case. Undefined if there is none. */
  readonly instance: (uuid: string) => number | undefined
}

const documentOf = (given: unknown): ReportedDocument => (isJson(given) ? documentOfJson(given) : openDocument(given))

const documentOfJson = memoByObject((given: Json): ReportedDocument => openDocument(given))

function openDocument(given: unknown): ReportedDocument {
  const isWrapped = isJson(given) && Object.hasOwn(given, 'compute_node')
  const [node, parts]: [unknown, Json] = isWrapped ? [given.compute_node, given] : [given, {}]
  const column = onceEach((field) => parsed(fieldsOf(node)[field]))
  const topology = once(() => topologyIn(column('numa_topology')))
  const setOf = onceEach((key) => {
    const [position, field = ''] = key.split(' ')
    return firstPositions(listIn(fieldsOf(topology().cells[Number(position)])[field]), (a, b) => Number(a) - Number(b))
  })
  const instances = once(() => {
    const list = listIn(parts.instances).map((instance, i) => [String(fieldsOf(instance).uuid).toLowerCase(), i] as const)
    // the first of several instances with the same uuid is used
    return new Map(list.reverse())
  })
  return {
    node,
    parts,
    at: isWrapped ? ['compute_node'] : [],
    column,
    topology,
    setPositions: (position, field) => setOf(`${position} ${field}`),
    pools: once(() => {
      const pools = fieldsOf(isComputeNodeRow(node) ? computeNodeOfRow(node) : node).pci_device_pools
      return { list: listIn(Array.isArray(pools) ? pools : fieldsOf(pools).objects), positions: pciPoolPositions(pools) }
    }),
    traits: once(() => {
      const { at, value } = within(parts.traits, 'traits')
      return { at, positions: firstPositions(listIn(value)) }
    }),
    inventories: once(() => {
      const { at, value } = within(parts.inventories, 'inventories')
      return { at, names: listedOf(Object.entries(fieldsOf(value))).map(([resourceClass]) => resourceClass) }
    }),
    instance: (uuid) => instances().get(uuid),
  }
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** For each different item of a list, its first index in the list. The result is in the order of the list, or in the given order. */
function firstPositions(list: readonly unknown[], order?: (a: unknown, b: unknown) => number): readonly number[] {
  const first = new Map<unknown, number>()
  for (const [i, item] of list.entries()) if (!first.has(item)) first.set(item, i)
  const items = [...first]
  if (order !== undefined) items.sort(([a], [b]) => order(a, b))
  return items.map(([, position]) => position)
}

/** Returns a function that calls `read` at its first call, and returns the result of this call each time. */
function once<Value>(read: () => Value): () => Value {
  const readEach = onceEach(read)
  return () => readEach('')
}

/** Returns a function that calls `read` once for each key. */
function onceEach<Value>(read: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, { readonly value: Value }>()
  return (key) => {
    const entry = known.get(key) ?? { value: read(key) }
    known.set(key, entry)
    return entry.value
  }
}

/** Fields of ComputeNode that have another name in a row of the table `compute_nodes`. A row can have a single value instead of a list. */
const COLUMNS: readonly (readonly [field: string, column: string])[] = [
  ['supported_hv_specs', 'supported_instances'],
  ['pci_device_pools', 'pci_stats'],
]

function columnPath({ node, column: readColumn }: ReportedDocument, given: string, rest: Path): Path {
  const [field = given, column] = COLUMNS.find((names) => names.includes(given)) ?? []
  const fields = fieldsOf(node)
  const named = column !== undefined && (fields[field] ?? undefined) === undefined && Object.hasOwn(fields, column) ? column : field
  const value = readColumn(named)
  const isList = Array.isArray(value) || (isJson(value) && Object.hasOwn(value, 'nova_object.data'))
  if (column !== undefined && isComputeNodeRow(node) && !isList) return [named, ...rest.slice(1)]
  const [position, word = '', ...deeper] = rest
  // In a row, a supported instance can be a list of three items instead of an object.
  const isSpec = Array.isArray(value) && Array.isArray(value[Number(position)]) && SPEC_WORDS.includes(word)
  return [named, ...(isSpec && position !== undefined ? [position, String(SPEC_WORDS.indexOf(word)), ...deeper] : rest)]
}

function nodePath(document: ReportedDocument, field: string, rest: Path): Path {
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
      return columnPath(document, 'supported_hv_specs', rest.map(snake))
    case 'tunneledCells': {
      const { cells } = document.topology()
      const tunneled = cells.flatMap((cell, i) => (fieldsOf(fieldsOf(cell).network_metadata).tunneled === true ? [String(i)] : []))
      return ['numa_topology', 'cells', ...tunneled.slice(Number(position ?? 0)).slice(0, 1), ...(position === undefined ? [] : ['id'])]
    }
    case 'numaCells':
      return ['numa_topology', 'cells', ...(position === undefined ? [] : [position]), ...cellPath(document, position, inner)]
    case 'pciPools':
      return poolPath(document, rest)
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

function cellPath({ topology, setPositions }: ReportedDocument, position: string | undefined, [field, ...rest]: Path): Path {
  if (field === undefined) return []
  const { isOld } = topology()
  const at = (isOld ? OLD_CELL_FIELDS : CELL_FIELDS)[field] ?? [snake(field)]
  if (isOld) return at
  if (!SETS.has(field)) return [...at, ...rest.map((key) => (key === 'sizeKib' ? 'size_kb' : snake(key)))]
  return [...at, ...rest.map((index) => String(setPositions(Number(position), at[0] ?? '')[Number(index)] ?? -1))]
}

interface Topology {
  readonly cells: readonly unknown[]
  readonly isOld: boolean
}

const topologyIn = (topology: unknown): Topology => ({
  cells: listIn(fieldsOf(topology).cells),
  isOld: isJson(topology) && !Object.hasOwn(topology, 'nova_object.data'),
})

/**
 * Translates a path in the device pools. The report has the pools in a different order. In plain dictionaries, the tags of a pool are among
 * its other keys.
 */
function poolPath(document: ReportedDocument, [position, field, ...rest]: Path): Path {
  const { list, positions } = document.pools()
  const index = position === undefined ? undefined : positions[Number(position)]
  const pool = list[index ?? 0]
  const areApart = isJson(pool) && Object.hasOwn(pool, 'nova_object.data')
  const name = field === undefined ? [] : field === 'tags' ? [] : [POOL_FIELDS[field] ?? snake(field)]
  const isTag = areApart && (field === 'tags' || Object.hasOwn(fieldsOf(fieldsOf(pool).tags), name[0] ?? ''))
  const named = [...(isTag ? ['tags'] : []), ...name]
  return columnPath(document, 'pci_device_pools', [...(index === undefined ? [] : [String(index)]), ...named, ...rest])
}

const POOL_FIELDS: Readonly<Record<string, string>> = { deviceType: 'dev_type', total: 'count' }

/** Translates a path in the list of instances. In the document, an instance is a uuid or an object that contains the uuid. */
function instancePath({ instances }: Json, [position, ...rest]: Path): Path {
  if (position === undefined) return ['instances']
  const isNamed = Array.isArray(instances) && isJson(instances[Number(position)])
  return ['instances', position, ...(isNamed ? ['uuid'] : []), ...rest]
}

const FIELD_OF_INSTANCE: Readonly<Record<string, string>> = { flavors: 'flavorid', images: 'image_properties' }

function instanceFieldPath({ instance }: ReportedDocument, [field = '', uuid, ...rest]: Path): Path {
  const name = FIELD_OF_INSTANCE[field]
  if (name === undefined || uuid === undefined) return name === undefined ? [field, ...rest].map(snake) : ['instances']
  return ['instances', String(instance(uuid) ?? -1), name, ...rest]
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
