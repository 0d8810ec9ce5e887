import { fieldsOf, isJson } from '../objects/wire.ts'

type Path = readonly string[]

/** Fields of a ComputeNode that are called otherwise in the typed form of a report. */
const OTHERS: Readonly<Record<string, Path>> = {
  runningVms: ['stats', 'num_instances'],
  numIoOps: ['stats', 'io_workload'],
  supportedInstances: ['supported_hv_specs'],
  numaCells: ['numa_topology', 'cells'],
  pciPools: ['pci_device_pools'],
}

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Where the caller wrote what a path of the typed form of a report leads to, in a document of Nova's about a host. */
export function reportPath(given: unknown, [field = '', ...rest]: Path): Path {
  const isWrapped = isJson(given) && Object.hasOwn(given, 'compute_node')
  const parts = isWrapped ? given : {}
  const ofNode = isWrapped ? ['compute_node'] : []
  const [position, ...inner] = rest
  switch (field) {
    case '':
      return []
    case 'nova':
      return position === 'computeNode' ? [...ofNode, ...inner] : rest.map(snake)
    case 'instances':
      return ['instances', ...rest]
    case 'traits': {
      const { at, value } = within(parts.traits, 'traits')
      const list: readonly unknown[] = Array.isArray(value) ? value : []
      // each stands once in the typed form
      return [...at, ...(position === undefined ? [] : [String(list.indexOf([...new Set(list)][Number(position)]))]), ...inner]
    }
    case 'inventories': {
      const { at, value } = within(parts.inventories, 'inventories')
      const name = Object.keys(fieldsOf(value))[Number(position)]
      return [...at, ...(name === undefined ? [] : [name]), ...inner.filter((key) => key !== 'resourceClass').map(snake)]
    }
    default:
      return [...ofNode, ...(OTHERS[field] ?? [snake(field)]), ...rest.map(snake)]
  }
}

/** A field alone, or in the body that Placement answers. */
function within(given: unknown, field: string): { readonly at: Path; readonly value: unknown } {
  const isBody = isJson(given) && Object.hasOwn(given, field)
  return { at: isBody ? [field, field] : [field], value: isBody ? given[field] : given }
}
