import type { HostStats } from '../report/stats.ts'
import type { JsonObject, JsonValue } from '../values/json.ts'

/**
 * The host's report without instances and usage. In a document of Nova, only the usage totals are set to 0. The NUMA cells and PCI pools of
 * the document are unchanged, because the document does not separate the usage of a cell or pool from its size.
 */
export function emptied(stats: HostStats): HostStats {
  const none = (used: number | null): number | null => (used === null ? null : 0)
  return {
    ...stats,
    vcpusUsed: 0,
    memoryMbUsed: 0,
    localGbUsed: 0,
    freeDiskGb: null,
    diskAvailableLeast: null,
    runningVms: 0,
    numIoOps: 0,
    instances: stats.instances === null ? null : [],
    inventories: stats.inventories.map((inventory) => ({ ...inventory, used: none(inventory.used) })),
    numaCells: stats.numaCells.map((cell) => ({
      ...cell,
      memoryUsageMb: none(cell.memoryUsageMb),
      cpuUsage: none(cell.cpuUsage),
      pinnedCpus: cell.pinnedCpus === null ? null : [],
      pages: cell.pages.map((pages) => ({ ...pages, used: none(pages.used) })),
    })),
    gpus: stats.gpus.map((gpu) => ({ ...gpu, usedMilli: none(gpu.usedMilli) })),
    pciPools: stats.pciPools.map((pool) => ({ ...pool, used: none(pool.used) })),
    nova: stats.nova && {
      ...stats.nova,
      computeNode: withData(stats.nova.computeNode, {
        vcpus_used: 0,
        memory_mb_used: 0,
        local_gb_used: 0,
        free_ram_mb: stats.memoryMb,
        free_disk_gb: stats.localGb,
        disk_available_least: null,
        running_vms: 0,
      }),
      images: {},
      flavors: {},
    },
  }
}

/** The report of a host that was removed: without capacity, traits and instances. */
export const gone = (stats: HostStats): HostStats => ({
  ...emptied(stats),
  vcpus: 0,
  memoryMb: 0,
  localGb: 0,
  traits: [],
  instances: [],
  inventories: [],
  numaCells: [],
  tunneledCells: [],
  gpus: [],
  pciPools: [],
  nova: null,
})

/** The report with the allocation ratio of one class replaced. Undefined if the report does not contain the class. */
export function withRatio(stats: HostStats, resourceClass: string, ratio: number): HostStats | undefined {
  const standard = standardRatios[resourceClass]
  const inventories = stats.inventories.map((given) =>
    given.resourceClass === resourceClass ? { ...given, allocationRatio: ratio } : given,
  )
  if (standard === undefined && !inventories.some((given) => given.resourceClass === resourceClass)) return undefined
  if (standard === undefined) return { ...stats, inventories }
  const nova = stats.nova && {
    ...stats.nova,
    computeNode: withData(stats.nova.computeNode, { [standard.nova]: ratio }),
    openRatios: stats.nova.openRatios.filter((open) => open !== resourceClass),
  }
  return { ...stats, [standard.field]: ratio, inventories, nova }
}

const standardRatios: Readonly<Record<string, { readonly field: keyof HostStats; readonly nova: string }>> = {
  VCPU: { field: 'cpuAllocationRatio', nova: 'cpu_allocation_ratio' },
  MEMORY_MB: { field: 'ramAllocationRatio', nova: 'ram_allocation_ratio' },
  DISK_GB: { field: 'diskAllocationRatio', nova: 'disk_allocation_ratio' },
}

/** The report with Nova's compute service enabled and last seen at `now`. Undefined if the report does not contain the service. */
export function withService(stats: HostStats, now: number): HostStats | undefined {
  if (stats.nova === null || stats.nova.service === null) return undefined
  const heard = new Date(now).toISOString()
  const service = withData(stats.nova.service, { disabled: false, disabled_reason: null, forced_down: false, last_seen_up: heard })
  return { ...stats, nova: { ...stats.nova, service } }
}

/**
 * A document of Nova in which `fields` are replaced. The document can have its fields in a versioned-object envelope or at the top level.
 */
function withData(document: JsonObject, fields: Readonly<Record<string, JsonValue>>): JsonObject {
  const data = document[DATA]
  if (data === undefined || data === null || typeof data !== 'object' || Array.isArray(data)) return { ...document, ...fields }
  return { ...document, [DATA]: { ...data, ...fields } }
}

const DATA = 'nova_object.data'
