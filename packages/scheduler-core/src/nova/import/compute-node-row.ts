import { isJson, WireError } from '../../report/versioned-object.ts'
import { jsonAt, numberedFields, withTexts } from './loose-values.ts'

type Json = Readonly<Record<string, unknown>>

const NUMBERS = [
  'vcpus',
  'vcpus_used',
  'memory_mb',
  'memory_mb_used',
  'local_gb',
  'local_gb_used',
  'free_ram_mb',
  'free_disk_gb',
  'disk_available_least',
  'hypervisor_version',
  'running_vms',
  'current_workload',
] as const
const RATIOS = ['cpu_allocation_ratio', 'ram_allocation_ratio', 'disk_allocation_ratio'] as const

/** Columns of the table that the ComputeNode object lacks, or that have a different name there. */
const COLUMNS = ['supported_instances', 'pci_stats', 'extra_resources'] as const

/**
 * Returns true if a document is a row of Nova's table `compute_nodes`: it has the fields of a ComputeNode, but is not a versioned object.
 */
export const isComputeNodeRow = (given: unknown): given is Json =>
  isJson(given) && Object.hasOwn(given, 'vcpus') && Object.hasOwn(given, 'memory_mb') && !Object.hasOwn(given, 'nova_object.name')

/**
 * Converts a row of the table `compute_nodes` to a serialised ComputeNode object. The resource tracker of Juno and Kilo sent such rows to
 * `update_resource_stats`. A value such as `stats` or `pci_stats` can be JSON text or the parsed value. Throws WireError for a wrong value.
 */
export function computeNodeOfRow(row: Json): unknown {
  const { stats, supported_instances, pci_stats, extra_resources } = row
  const data: Record<string, unknown> = Object.fromEntries(
    Object.entries(row).filter(([name]) => !COLUMNS.some((column) => column === name)),
  )
  Object.assign(data, numberedFields(row, NUMBERS, 'computeNode'), ratiosOf(row))
  for (const field of ['cpu_info', 'metrics', 'numa_topology'])
    if (typeof row[field] === 'object' && row[field] !== null) data[field] = JSON.stringify(row[field])
  // No code reads `extra_resources`. The field is passed on, because the import then reports it as a field without effect.
  if (extra_resources !== undefined && extra_resources !== null && extra_resources !== '') data.extra_resources = extra_resources
  if (stats !== undefined) data.stats = statsOf(jsonAt(stats, 'computeNode.stats'))
  const specs = row.supported_hv_specs ?? supported_instances
  if (specs !== undefined) data.supported_hv_specs = specsOf(jsonAt(specs, 'computeNode.supported_instances'))
  const pools = row.pci_device_pools ?? pci_stats
  if (pools !== undefined) data.pci_device_pools = poolsOf(jsonAt(pools, 'computeNode.pci_stats'))
  return envelope('ComputeNode', '1.11', data)
}

const ratiosOf = (row: Json): Json =>
  Object.fromEntries(
    RATIOS.flatMap((name) => {
      const value = row[name]
      if (typeof value !== 'string') return []
      const ratio = Number(value)
      if (value.trim() === '' || Number.isNaN(ratio)) throw new WireError(`computeNode.${name}`, value, 'a number')
      return [[name, ratio]]
    }),
  )

function statsOf(stats: unknown): unknown {
  if (stats === null) return {}
  if (!isJson(stats)) throw new WireError('computeNode.stats', stats, 'an object, or its JSON text')
  return withTexts(stats)
}

/** Reads supported instances. Each is a list of architecture, hypervisor type and VM mode, or an object with these fields. */
function specsOf(specs: unknown): unknown {
  if (specs === null) return []
  if (!Array.isArray(specs))
    throw new WireError('computeNode.supported_instances', specs, 'a list of architecture, hypervisor type and mode')
  return specs.map((spec: unknown, i) => {
    if (isJson(spec)) return Object.hasOwn(spec, 'nova_object.name') ? spec : envelope('HVSpec', '1.2', spec)
    if (!Array.isArray(spec) || spec.length !== 3)
      throw new WireError(`computeNode.supported_instances.${i}`, spec, 'architecture, hypervisor type and mode')
    const [arch, hv_type, vm_mode] = spec
    return envelope('HVSpec', '1.2', { arch, hv_type, vm_mode })
  })
}

/** Reads device pools in the form that was used before versioned objects: a dictionary or a list of dictionaries. Unknown keys are tags. */
function poolsOf(pools: unknown): unknown {
  if (pools === null || (isJson(pools) && Object.hasOwn(pools, 'nova_object.data'))) return pools
  return (Array.isArray(pools) ? pools : [pools]).map((pool: unknown, i) => {
    if (!isJson(pool)) throw new WireError(`computeNode.pci_stats.${i}`, pool, 'a pool of devices with vendor_id, product_id and count')
    if (Object.hasOwn(pool, 'nova_object.data')) return pool
    const { tags, ...own } = pool
    return { ...own, ...(isJson(tags) ? tags : {}) }
  })
}

const envelope = (name: string, version: string, data: Json): Json => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})
