/** A request in the form of docs/request-spec.md. Absent fields have their defaults. */
export type RequestDocument = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is RequestDocument => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A request in one of Nova's forms, as it is sent to the service. */
export interface NovaRequest {
  readonly form: 'RequestSpec' | 'legacy'
  /** The document as Nova wrote it. A RequestSpec can also be `{ spec, instance_uuids }`. Unset fields, null and empty values differ. */
  readonly document: RequestDocument
}

type Path = readonly string[]

const DATA = 'nova_object.data'

/** The request in Nova's form. Undefined for a request in Gantt's form. */
export function novaOf({ nova }: RequestDocument): NovaRequest | undefined {
  if (!isRecord(nova) || !isRecord(nova.document)) return undefined
  return { form: nova.form === 'legacy' ? 'legacy' : 'RequestSpec', document: nova.document }
}

/**
 * The request of a decision in Nova's form, as it can be sent again. All of its conditions are in Nova's document, so the typed fields next
 * to it are left out. Two parts are not in the document that the decision recorded: the uuids of several instances, which Nova sends next
 * to a RequestSpec, and hosts that differ from the document: in decisions of older releases, and after hosts were renamed.
 */
export function askedAgain(nova: NovaRequest, { instanceUuids, ...typed }: RequestDocument): RequestDocument {
  const document = withHosts(nova, typed)
  const isSentWithUuids = nova.form === 'RequestSpec' && Array.isArray(instanceUuids) && instanceUuids.length > 1
  return { nova: { form: nova.form, document: isSentWithUuids ? { spec: document, instance_uuids: instanceUuids } : document } }
}

const HOST_LISTS = { ignoreHosts: 'ignore_hosts', forceHosts: 'force_hosts', forceNodes: 'force_nodes' } as const

function withHosts({ form, document }: NovaRequest, typed: RequestDocument): RequestDocument {
  let written = document
  for (const [field, name] of Object.entries(HOST_LISTS)) {
    const path = form === 'legacy' ? ['filter_properties', name] : [name]
    const hosts = typed[field]
    if (Array.isArray(hosts) && !isSameList(valueAt(written, path) ?? [], hosts)) written = withValue(written, path, hosts)
  }
  if (form === 'legacy' || typed.requestedDestination === undefined) return written
  const destination = isRecord(typed.requestedDestination) ? typed.requestedDestination : {}
  for (const name of ['host', 'node']) {
    const path = ['requested_destination', name]
    const wanted = destination[name] ?? null
    if ((valueAt(written, path) ?? null) !== wanted) written = withValue(written, path, wanted ?? undefined)
  }
  return written
}

const isSameList = (one: unknown, other: readonly unknown[]): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The input fields of the page that are also in Nova's document. */
export type NovaField = 'flavor' | 'vcpus' | 'memoryMb' | 'rootGb' | 'zone' | 'projectId' | 'extraSpecs'

/** The value of a field in Nova's document. */
export const novaValue = (nova: NovaRequest, field: NovaField): unknown => valueAt(nova.document, pathOf(nova, field))

/** The request with a value written into Nova's document. All else in the document stays as it is. */
export const withNovaValue = (nova: NovaRequest, field: NovaField, value: unknown): NovaRequest => ({
  ...nova,
  document: withValue(nova.document, pathOf(nova, field), value),
})

const OF_FLAVOR: Readonly<Partial<Record<NovaField, string>>> = {
  flavor: 'name',
  vcpus: 'vcpus',
  memoryMb: 'memory_mb',
  rootGb: 'root_gb',
  extraSpecs: 'extra_specs',
}

/** The path of a field in Nova's document. Paths do not contain the keys `nova_object.data`. */
function pathOf({ form, document }: NovaRequest, field: NovaField): Path {
  const ofFlavor = OF_FLAVOR[field]
  const name = field === 'zone' ? 'availability_zone' : 'project_id'
  if (form === 'legacy') {
    if (ofFlavor === undefined) return ['request_spec', 'instance_properties', name]
    return [
      isRecord(valueAt(document, ['request_spec', 'instance_type'])) ? 'request_spec' : 'filter_properties',
      'instance_type',
      ofFlavor,
    ]
  }
  const isWrapped = !Object.hasOwn(document, 'nova_object.name') && Object.hasOwn(document, 'spec')
  return [...(isWrapped ? ['spec'] : []), ...(ofFlavor === undefined ? [name] : ['flavor', ofFlavor])]
}

const valueAt = (document: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (isRecord(value) ? (isRecord(value[DATA]) ? value[DATA][key] : value[key]) : undefined), document)

/** Writes a value into a document. `undefined` removes the key. Objects that are missing on the way are added. */
function withValue(document: unknown, [key, ...rest]: Path, value: unknown): RequestDocument {
  const outer = isRecord(document) ? document : {}
  if (key === undefined) return outer
  if (isRecord(outer[DATA])) return { ...outer, [DATA]: withValue(outer[DATA], [key, ...rest], value) }
  if (rest.length > 0) return { ...outer, [key]: withValue(outer[key], rest, value) }
  if (value !== undefined) return { ...outer, [key]: value }
  return Object.fromEntries(Object.entries(outer).filter(([name]) => name !== key))
}
