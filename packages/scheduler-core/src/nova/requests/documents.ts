import type { RequestDocuments } from '../../contracts/built-in.ts'
import { fieldsOf } from '../../report/versioned-object.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { memoByObject } from '../../values/memo.ts'
import { callerPaths } from '../import/caller-paths.ts'
import { unknownFieldsOf } from '../import/request.ts'
import { isConvertedByScheduler, isHardwareSpec } from '../text/hardware-specs.ts'
import { type ImageProperties, propertiesReadAs, readImageProperties } from '../text/image-properties.ts'
import { imagePropertyFields } from '../text/image-property-fields.ts'
import { NovaError } from '../text/nova-error.ts'
import { novaRequestOf, readableRequestOf } from './own-request.ts'
import { agrees, restatedRequest, withImageTrait, withoutCell, withoutTried } from './restated-request.ts'
import { triedHosts } from './tried-hosts.ts'

/** How the core reads requests in Nova's forms. */
export const novaDocuments: RequestDocuments = {
  cellOf(request) {
    if (request.nova?.form !== 'RequestSpec') return undefined
    const { cellUuid, allowCrossCellMove } = novaRequestOf(request).requestedDestination ?? {}
    return cellUuid && allowCrossCellMove !== true ? cellUuid : undefined
  },
  // The filter `Candidates` refuses every host for a request that Nova cannot read.
  portsOf: (request) => (request.nova?.form === 'RequestSpec' ? (readableRequestOf(request)?.requestedPorts ?? []) : []),
  has(request, field) {
    if (field === 'networks') return asksForNetworks(request.nova?.document)
    if (field === 'tried') return triedHosts(request).length > 0
    return (readableRequestOf(request)?.instanceGroup?.members ?? []).length > 0
  },
  /**
   * Keys that Nova has already read when it calls the scheduler. Nova puts the results into other fields of the request, such as the
   * guest's cells, devices and server group. Therefore these keys are not reported as unread. Keys that Nova's scheduler itself converts to
   * traits and resource classes are reported, because nothing else in the request contains the result. In Juno, the scheduler itself reads
   * the hint `group`.
   */
  readBefore: ({ nova, instanceGroup }) => ({
    extraSpecs: isHardwareSpec,
    schedulerHints: (key) => key === 'group' && (instanceGroup !== null || nova?.form === 'legacy'),
    imageProperties: (key) => key.startsWith('hw_') && imagePropertyFields.has(key) && !ofFilters.has(key) && !isConvertedByScheduler(key),
  }),
  pathsOf,
  // In Nova's documents, the properties already have their current names.
  propertiesOf: ({ nova, image }, key) => {
    const given = image?.properties ?? {}
    if (nova !== null) return imagePropertyFields.has(key) ? [{ name: key, value: given[key] }] : []
    return propertiesReadAs(given, key).map((name) => ({ name, value: typedValues(given)?.[name] ?? given[key] }))
  },
  restated: restatedRequest,
  withoutTried,
  withoutCell,
  withImageTrait,
  agrees,
  unknownFields: unknownFieldsOf,
  withoutEffect: (request) => [
    ...limitPaths(request),
    ...volumePaths(request),
    ...minOfImage(request).flatMap((path) => pathsOf(request, path)),
  ],
}

/** The properties of an image in the types of Nova's fields. Undefined if Nova cannot read the image. Cached, because each needs all. */
const typedValues = memoByObject((given: Readonly<Record<string, unknown>>): ImageProperties | undefined => {
  try {
    return readImageProperties(given)
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return undefined
  }
})

/** Image properties that start with `hw_` and that Nova's filters read. Nova does not read them before it calls the scheduler. */
const ofFilters: ReadonlySet<string> = new Set(['hw_architecture', 'hw_vm_mode'])

function pathsOf({ nova }: RequestSpec, path: readonly string[]): readonly string[] {
  if (nova === null) return []
  return callerPaths(nova, path).map((given) => [...(nova.form === 'RequestSpec' ? ['spec'] : []), ...given].join('.'))
}

/** Returns true if a document names physical networks or tunnels that the guest's cells must be near. */
function asksForNetworks(document: unknown): boolean {
  const { physnets, tunneled } = dataOf(dataOf(document).network_metadata)
  return (Array.isArray(physnets) && physnets.length > 0) || tunneled === true
}

function dataOf(value: unknown): Readonly<Record<string, unknown>> {
  const data: unknown = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['nova_object.data'] : undefined
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
}

/** The paths of an image's minimum memory and disk. They have no effect, because Nova's API has already compared them with the flavor. */
function minOfImage({ image }: RequestSpec): readonly (readonly string[])[] {
  if (image === null) return []
  return [...(image.minRamMb > 0 ? [['image', 'minRamMb']] : []), ...(image.minDiskGb > 0 ? [['image', 'minDiskGb']] : [])]
}

/** The path of the limits that an earlier placement wrote into the request for the chosen host. They have no effect on placement. */
function limitPaths({ nova }: RequestSpec): readonly string[] {
  if (nova === null) return []
  const isObject = nova.form === 'RequestSpec'
  const limits = fieldsOf(isObject ? fieldsOf(nova.document).limits : fieldsOf(fieldsOf(nova.document).filter_properties).limits)
  const at = isObject ? 'spec.limits' : 'filter_properties.limits'
  return LIMITS.flatMap((name) => (limits[name] === undefined || limits[name] === null ? [] : [`${at}.${name}`]))
}

/** The paths of the volumes in the older dictionaries. They have no effect, because only Gantt's form says where its volumes should be. */
function volumePaths({ nova }: RequestSpec): readonly string[] {
  if (nova?.form !== 'legacy') return []
  const spec = fieldsOf(nova.document.request_spec)
  const places = { request_spec: spec, 'request_spec.instance_properties': fieldsOf(spec.instance_properties) }
  return Object.entries(places).flatMap(([at, { block_device_mapping: mapping }]) => {
    const devices: unknown = Array.isArray(mapping) ? mapping : fieldsOf(mapping).objects
    if (!Array.isArray(devices)) return []
    return devices.flatMap((device: unknown, i) => (fieldsOf(device).volume_id ? [`${at}.block_device_mapping.${i}.volume_id`] : []))
  })
}

const LIMITS = ['vcpu', 'memory_mb', 'disk_gb', 'numa_topology'] as const
