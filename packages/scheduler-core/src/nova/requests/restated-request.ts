import type { RequestDocuments } from '../../contracts/built-in.ts'
import { parseRequestSpec } from '../../request/parse.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { byCodeUnit } from '../../values/canonical-json.ts'
import { callerPath } from '../import/caller-paths.ts'
import { importLegacyRequest, importNovaRequest } from '../import/request.ts'
import { pythonText } from '../text/python-text.ts'
import { isSame, valueAt, withValue } from './document-values.ts'
import { type Writer, writers } from './document-writers.ts'
import { fieldsApart, readableRequestOf } from './own-request.ts'
import { triedHosts } from './tried-hosts.ts'

type Nova = NonNullable<RequestSpec['nova']>
type Field = keyof RequestSpec

const withDocument = (request: RequestSpec, nova: Nova, document: unknown): RequestSpec => ({
  ...request,
  nova: { ...nova, document: document as Nova['document'] },
})

const changedFields = (next: RequestSpec, before: RequestSpec): readonly Field[] =>
  (Object.keys(next) as Field[]).filter((field) => field !== 'version' && field !== 'nova' && !isSame(next[field], before[field]))

/** `RequestDocuments.restated`. Hosts and a group that differ between the request and its document are written too. */
export const restatedRequest: RequestDocuments['restated'] = (request, parts) => {
  const { nova } = request
  const next = { ...request, ...parts }
  if (nova === null) return next
  const changed = changedFields(next, request)
  const needed = new Set<Writer>([...changed, ...fieldsApart(request)].flatMap((field) => writers[field] ?? []))
  const withoutField = new Set<Writer | undefined>([undefined])
  let document: unknown = nova.document
  for (const write of needed) {
    const written = write({ form: nova.form, document }, next, request)
    if (written === undefined) withoutField.add(write)
    else document = written
  }
  const left = changed.filter((field) => withoutField.has(writers[field]))
  const isExpressible = left.length > 0 && left.every((field) => field === 'nearVolumesAndPorts')
  return (isExpressible ? withoutDocument(next, request) : undefined) ?? withDocument(next, nova, document)
}

/**
 * The request without its Nova document, in Gantt's form only. It is used for a change that Nova's form cannot express: the preference for
 * hosts near the request's own ports, which only filters of this service read. Undefined if the document has conditions that Gantt's form
 * cannot express.
 */
function withoutDocument(next: RequestSpec, request: RequestSpec): RequestSpec | undefined {
  const read = readableRequestOf(request)
  if (read === undefined) return undefined
  const { requestedDestination, retry, networkMetadata, requestedPorts, image } = read
  const needsCell = Boolean(requestedDestination?.cellUuid) && requestedDestination?.allowCrossCellMove !== true
  const needsNetworks = networkMetadata != null && (networkMetadata.physnets.length > 0 || networkMetadata.tunneled)
  if (needsCell || needsNetworks || (retry?.hosts ?? []).length > 0) return undefined
  const { traits_required: traits, ...properties } = next.image?.properties ?? {}
  const required = traits === undefined ? [] : traitsOf(request)
  return {
    ...next,
    nova: null,
    ports: [...new Set([...requestedPorts, ...next.ports])],
    image: next.image && {
      ...next.image,
      properties: {
        ...properties,
        ...Object.fromEntries(required.map((trait) => [`trait:${trait}`, 'required'])),
        ...(image?.diskFormat && { disk_format: image.diskFormat }),
      },
    },
  }
}

/** `RequestDocuments.withoutTried`. */
export const withoutTried: RequestDocuments['withoutTried'] = (request) =>
  request.nova === null || triedHosts(request).length === 0
    ? request
    : withDocument(request, request.nova, withValue(request.nova.document, callerPath(request.nova, ['retry']), null))

/** `RequestDocuments.withoutCell`. */
export const withoutCell: RequestDocuments['withoutCell'] = (request) =>
  request.nova?.form === 'RequestSpec'
    ? withDocument(request, request.nova, withValue(request.nova.document, ['requested_destination', 'cell'], null))
    : request

/** The traits that the image of a document requires. */
function traitsOf(request: RequestSpec): readonly string[] {
  const traits = readableRequestOf(request)?.image?.properties.traits_required
  return Array.isArray(traits) ? traits.map(String) : []
}

/** `RequestDocuments.withImageTrait`. The dictionaries have a property for each trait, and a RequestSpec has a list of traits. */
export const withImageTrait: RequestDocuments['withImageTrait'] = (request, trait, to) => {
  const { nova, image } = request
  const before = traitsOf(request)
  if (nova === null || image === null || !before.includes(trait)) return request
  const traits = [...new Set(before.flatMap((one) => (one !== trait ? [one] : to === null ? [] : [to])))]
  const { traits_required: _, ...others } = image.properties
  const properties = traits.length === 0 ? others : { ...others, traits_required: pythonText(traits) }
  const changed = { ...request, image: { ...image, properties } }
  if (nova.form === 'RequestSpec') {
    const value = traits.length === 0 ? undefined : traits
    return withDocument(changed, nova, withValue(nova.document, ['image', 'properties', 'traits_required'], value))
  }
  const at = ['request_spec', 'image', 'properties']
  const given = Object.entries(valueAt(nova.document, at) as Readonly<Record<string, unknown>>)
  const renamed = given.flatMap(([key, value]) => (key !== `trait:${trait}` ? [[key, value]] : to === null ? [] : [[`trait:${to}`, value]]))
  return withDocument(changed, nova, withValue(nova.document, at, Object.fromEntries(renamed)))
}

/** A request in Nova's form as a caller sends it: the document, and the uuids of several instances, which a RequestSpec does not contain. */
export const asSent = ({ document, form }: Nova, instanceUuids: readonly string[]): unknown =>
  form === 'RequestSpec' && instanceUuids.length > 1 ? { spec: document, instance_uuids: instanceUuids } : document

/** `RequestDocuments.agrees`. */
export const agrees: RequestDocuments['agrees'] = (request, before) => {
  const { nova } = request
  if (nova === null) return true
  const sent = asSent(nova, request.instanceUuids)
  const imported = nova.form === 'RequestSpec' ? importNovaRequest(sent) : importLegacyRequest(sent)
  const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
  if (!parsed.ok) return false
  return changedFields(request, before).every((field) => {
    const of = compared[field]
    return of !== undefined && isSame(of(parsed.value), of(request))
  })
}

/** The aggregates and resource groups in one form, because an import can divide them between these fields in several ways. */
const restrictions = ({ requestedDestination, requestedResources }: RequestSpec): unknown => ({
  host: requestedDestination?.host ?? null,
  node: requestedDestination?.node ?? null,
  forbidden: requestedDestination?.forbiddenAggregates ?? [],
  lists: [requestedDestination?.aggregates ?? [], ...requestedResources.map(({ memberOf }) => memberOf)]
    .filter(({ length }) => length > 0)
    .map(String)
    .sort(byCodeUnit),
  groups: requestedResources
    .filter(({ amounts, requiredTraits, forbiddenTraits }) => amounts.length + requiredTraits.length + forbiddenTraits.length > 0)
    .map(({ memberOf: _, ...group }) => group),
})

/** For each field that a document can have: what is compared. */
const compared: Readonly<Partial<Record<Field, (request: RequestSpec) => unknown>>> = {
  numInstances: ({ numInstances }) => numInstances,
  // the uuids only name the instances
  instanceUuids: () => null,
  flavor: (request) => request.flavor,
  image: (request) => request.image,
  availabilityZone: ({ availabilityZone }) => availabilityZone,
  instanceGroup: ({ instanceGroup }) => instanceGroup && { ...instanceGroup, apartFrom: [] },
  numaTopology: (request) => request.numaTopology,
  pciRequests: (request) => request.pciRequests,
  requestedResources: restrictions,
  requestedDestination: restrictions,
  forceHosts: ({ forceHosts }) => forceHosts,
  forceNodes: ({ forceNodes }) => forceNodes,
  ignoreHosts: ({ ignoreHosts }) => ignoreHosts,
  schedulerHints: (request) => request.schedulerHints,
}
