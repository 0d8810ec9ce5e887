import type { RequestDocuments } from '../../contracts/built-in.ts'
import { fieldsOf } from '../../report/versioned-object.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { callerPaths } from '../import/caller-paths.ts'
import { unknownFieldsOf } from '../import/request.ts'
import { isHardwareSpec } from '../text/hardware-specs.ts'
import { propertiesReadAs, readImageProperties } from '../text/image-properties.ts'
import { imagePropertyFields } from '../text/image-property-fields.ts'
import { NovaError } from '../text/nova-error.ts'
import { novaRequestOf } from './own-request.ts'
import { triedHosts } from './tried-hosts.ts'

/** The functions by which the core reads requests in one of Nova's forms. */
export const novaDocuments: RequestDocuments = {
  cellOf(request) {
    if (request.nova?.form !== 'RequestSpec') return undefined
    const { cellUuid, allowCrossCellMove } = novaRequestOf(request).requestedDestination ?? {}
    return cellUuid && allowCrossCellMove !== true ? cellUuid : undefined
  },
  portsOf: (request) => (request.nova?.form === 'RequestSpec' ? readablePorts(request) : []),
  has: (request, field) => (field === 'networks' ? asksForNetworks(request.nova?.document) : triedHosts(request).length > 0),
  /**
   * Nova reads flavor, image and hints before it calls the scheduler, and puts the results into other fields of the request, such as the
   * guest's cells, its devices and its server group. If the group is missing, Nova did not read it, because Juno left this to the
   * scheduler.
   */
  readBefore: ({ nova, instanceGroup }) => ({
    extraSpecs: isHardwareSpec,
    schedulerHints: (key) => key === 'group' && (instanceGroup !== null || nova?.form === 'legacy'),
    imageProperties: (key) => key.startsWith('hw_') && imagePropertyFields.has(key) && !ofFilters.has(key),
  }),
  pathsOf,
  // documents have the present names already
  propertiesOf: ({ nova, image }, key) => {
    const given = image?.properties ?? {}
    if (nova !== null) return imagePropertyFields.has(key) ? [{ name: key, value: given[key] }] : []
    return propertiesReadAs(given, key).map((name) => ({ name, value: typedValue(given, name) ?? given[key] }))
  },
  unknownFields: unknownFieldsOf,
  withoutEffect: (request) => [...limitPaths(request), ...leastOfImage(request).flatMap((path) => pathsOf(request, path))],
}

/** The value of a property in the type of its field; undefined if a property of the image cannot be read. */
function typedValue(given: Readonly<Record<string, unknown>>, name: string): unknown {
  try {
    return readImageProperties(given)[name]
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return undefined
  }
}

/** Properties that Nova leaves to its filters although their names begin like those of the hardware. */
const ofFilters: ReadonlySet<string> = new Set(['hw_architecture', 'hw_vm_mode'])

function pathsOf({ nova }: RequestSpec, path: readonly string[]): readonly string[] {
  if (nova === null) return []
  return callerPaths(nova, path).map((given) => [...(nova.form === 'RequestSpec' ? ['spec'] : []), ...given].join('.'))
}

/**
 * The ports in a document. A document that cannot be read has no ports in this function, because the filter of candidates refuses every
 * host for it.
 */
function readablePorts(request: RequestSpec): readonly string[] {
  try {
    return novaRequestOf(request).requestedPorts
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return []
  }
}

/** Whether a document names physical networks, or tunnels, that the guest should be near to. */
function asksForNetworks(document: unknown): boolean {
  const { physnets, tunneled } = dataOf(dataOf(document).network_metadata)
  return (Array.isArray(physnets) && physnets.length > 0) || tunneled === true
}

function dataOf(value: unknown): Readonly<Record<string, unknown>> {
  const data: unknown = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['nova_object.data'] : undefined
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
}

/** The smallest flavor that an image allows. It is not checked again, because Nova's API has already compared flavor and image. */
function leastOfImage({ image }: RequestSpec): readonly (readonly string[])[] {
  if (image === null) return []
  return [...(image.minRamMb > 0 ? [['image', 'minRamMb']] : []), ...(image.minDiskGb > 0 ? [['image', 'minDiskGb']] : [])]
}

/** Limits of a host are written into a request for the host that builds, and no rule reads them when placing. */
function limitPaths({ nova }: RequestSpec): readonly string[] {
  if (nova === null) return []
  const isObject = nova.form === 'RequestSpec'
  const limits = fieldsOf(isObject ? fieldsOf(nova.document).limits : fieldsOf(fieldsOf(nova.document).filter_properties).limits)
  const at = isObject ? 'spec.limits' : 'filter_properties.limits'
  return LIMITS.flatMap((name) => (limits[name] === undefined || limits[name] === null ? [] : [`${at}.${name}`]))
}

const LIMITS = ['vcpu', 'memory_mb', 'disk_gb', 'numa_topology'] as const
