import { askedAgain, isRecord, type NovaField, novaOf, novaValue, type RequestDocument, withNovaValue } from './nova-request.ts'

export { isRecord, type RequestDocument } from './nova-request.ts'

/** The hypothetical edits of the fleet, in the form of the API. */
export interface Overlay {
  readonly addHosts?: readonly {
    readonly likeHost: string
    readonly count?: number
    readonly availabilityZone?: string
    readonly aggregates?: readonly string[]
  }[]
  readonly removeHosts?: readonly string[]
  readonly drainHosts?: readonly string[]
  readonly disableHosts?: readonly string[]
  readonly enableHosts?: readonly string[]
  readonly aggregateChanges?: readonly {
    readonly aggregate: string
    readonly addHosts?: readonly string[]
    readonly removeHosts?: readonly string[]
    readonly setMetadata?: readonly { readonly key: string; readonly value: string }[]
    readonly unsetMetadata?: readonly string[]
  }[]
  readonly ratios?: readonly {
    readonly host?: string | null
    readonly node?: string | null
    readonly aggregate?: string | null
    readonly resourceClass: string
    readonly allocationRatio: number
  }[]
  readonly reserves?: readonly {
    readonly host: string
    readonly node?: string | null
    readonly resourceClass: string
    readonly reserved: number
  }[]
  readonly releaseClaims?: readonly string[]
}

/** A hypothetical request on a hypothetical fleet. The URL contains the whole scenario. */
export interface Scenario {
  /** The name that distinguishes the scenario from others. Without a name, its label has its position. */
  readonly name: string | undefined
  readonly request: RequestDocument
  /** The request is decided this many times, one after the other. */
  readonly count: number
  /** The profile, `name` or `name@number`. The default is the default profile of the service. */
  readonly profile: string | undefined
  readonly overlay: Overlay
  /** Changed parts of the profile, in the form of the API. */
  readonly profileChanges: RequestDocument | undefined
  /** The moment of the fleet: a revision or a time. The default is the present. */
  readonly at: string | undefined
}

/** A request can be repeated at most this many times. This is one less than the limit of the service for instances in a simulation. */
export const MAX_COPIES = 9_999

export const EMPTY: Scenario = {
  name: undefined,
  request: { flavor: { vcpus: 2, memoryMb: 4_096, rootGb: 20 } },
  count: 1,
  profile: undefined,
  overlay: {},
  profileChanges: undefined,
  at: undefined,
}

/** Parses a JSON object. If the text is not a JSON object, returns the problem. */
export function readObject(text: string): { readonly value: RequestDocument } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value)
      ? { value }
      : { problem: `The text is ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}; it must be an object.` }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Fields of a request that do not affect its placement. A field that is undefined here is always left out. Every other field is left out if
 * the request has the value that is given here.
 */
const SILENT: Readonly<Record<string, unknown>> = {
  version: undefined,
  instanceUuids: undefined,
  isBfv: false,
  forceVerify: 'ALL',
  nearVolumesAndPorts: true,
}
const ZEROS = new Set(['rootGb', 'ephemeralGb', 'swapMb', 'minRamMb', 'minDiskGb'])

/** Maps whose keys the caller chooses. Each of their entries is a condition, whatever its value. */
const MAPS = new Set(['extraSpecs', 'properties', 'schedulerHints'])
/** Lists that have no default, so that they are sent although they are empty. */
const REQUIRED = new Set(['amounts', 'specs'])

/**
 * Removes default values from the request of a decision, so that it fits into a URL and people can read it. A request in Nova's form stays
 * as Nova wrote it, because Nova's rules distinguish unset fields from null and empty values.
 */
export function withoutDefaults(document: RequestDocument): RequestDocument {
  const nova = novaOf(document)
  if (nova !== undefined) return askedAgain(nova, document)
  const { instanceUuids, numInstances } = document
  const count = typeof numInstances === 'number' ? numInstances : Array.isArray(instanceUuids) ? instanceUuids.length : 1
  const kept = Object.entries(document).filter(
    ([name, value]) => !(name in SILENT) || (SILENT[name] !== undefined && SILENT[name] !== value),
  )
  const { numInstances: _count, ...rest } = said(Object.fromEntries(kept)) as RequestDocument
  return count > 1 ? { ...rest, numInstances: count } : rest
}

function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(said)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) =>
      isSilent(name, one) ? [] : [[name, MAPS.has(name) || REQUIRED.has(name) ? one : said(one)]],
    ),
  )
}

const isSilent = (name: string, value: unknown): boolean =>
  value === null ||
  (value === 0 && ZEROS.has(name)) ||
  (Array.isArray(value) && value.length === 0 && !REQUIRED.has(name)) ||
  (isRecord(value) && Object.keys(value).length === 0 && MAPS.has(name))

/** The most common fields of a request. The form shows these fields. All other fields stay unchanged in the document. */
export interface RequestFields {
  readonly flavor: string
  readonly vcpus: number
  readonly memoryMb: number
  readonly rootGb: number
  readonly zone: string
  readonly projectId: string
  /** A map as lines `key=value`. */
  readonly extraSpecs: string
}

export function fieldsOf(request: RequestDocument): RequestFields {
  const readField = readerOf(request)
  return {
    flavor: textOf(readField('flavor')),
    vcpus: countOf(readField('vcpus')),
    memoryMb: countOf(readField('memoryMb')),
    rootGb: countOf(readField('rootGb')),
    zone: textOf(readField('zone')),
    projectId: textOf(readField('projectId')),
    extraSpecs: linesOf(readField('extraSpecs'))
      .map(([line]) => line)
      .join('\n'),
  }
}

/** Reads the values of the form's fields from a request. A request in Nova's form has them in Nova's document. */
function readerOf(request: RequestDocument): (field: NovaField) => unknown {
  const nova = novaOf(request)
  if (nova !== undefined) return (field) => novaValue(nova, field)
  const flavor = isRecord(request.flavor) ? request.flavor : {}
  return (field) =>
    field === 'zone' ? request.availabilityZone : field === 'projectId' ? request.projectId : flavor[field === 'flavor' ? 'name' : field]
}

/**
 * Writes those fields that differ from the request into its document. All else in the document stays unchanged. In a request in Nova's
 * form, the fields are written into Nova's document, because only that is sent.
 */
export function withFields(request: RequestDocument, fields: RequestFields): RequestDocument {
  const before = fieldsOf(request)
  const readField = readerOf(request)
  const extraSpecs = editedSpecs(readField('extraSpecs'), fields.extraSpecs)
  const changed = fieldNames.filter((name) => fields[name] !== before[name])
  const nova = novaOf(request)
  if (nova !== undefined) {
    // Nova's flavors always have a name, and null is Nova's value for any zone and for no project.
    const valueFor = (name: NovaField) =>
      name === 'extraSpecs' ? extraSpecs : fields[name] === '' && name !== 'flavor' ? null : fields[name]
    const { form, document } = changed.reduce((one, name) => withNovaValue(one, name, valueFor(name)), nova)
    return { ...request, nova: { form, document } }
  }
  return changed.reduce((one, name) => withField(one, name, name === 'extraSpecs' ? extraSpecs : fields[name]), request)
}

/** Writes one field of the form into a request in Gantt's form. */
function withField(request: RequestDocument, name: NovaField, value: unknown): RequestDocument {
  if (name === 'zone') return withEntry(request, 'availabilityZone', value)
  if (name === 'projectId') return withEntry(request, name, value)
  const flavor = isRecord(request.flavor) ? request.flavor : {}
  const written = withEntry(flavor, name === 'flavor' ? 'name' : name, name === 'rootGb' && value === 0 ? '' : value)
  return { ...request, flavor: written }
}

const fieldNames = ['flavor', 'vcpus', 'memoryMb', 'rootGb', 'zone', 'projectId', 'extraSpecs'] as const

/** The record with an entry replaced. An empty text or map removes the entry. */
function withEntry(record: RequestDocument, name: string, value: unknown): RequestDocument {
  const { [name]: _, ...others } = record
  return value === '' || (isRecord(value) && Object.keys(value).length === 0) ? others : { ...record, [name]: value }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** The entries of a map, each with its line `key=value`. */
const linesOf = (map: unknown): (readonly [line: string, entry: readonly [key: string, value: unknown]])[] =>
  Object.entries(isRecord(map) ? map : {}).map((entry) => [`${entry[0]}=${String(entry[1])}`, entry])

/** Parses edited extra specs. An entry whose line was not edited keeps its value, which need not be a text in Nova's document. */
function editedSpecs(before: unknown, text: string): RequestDocument {
  const known = new Map(linesOf(before).map(([line, entry]) => [line.trim(), entry]))
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const entry = known.get(line.trim())
      return entry === undefined ? Object.entries(linesToPairs(line)) : [entry]
    }),
  )
}

/** Parses lines of `key=value`. A line without `=` is a key with an empty value. */
const linesToPairs = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [key = '', ...rest] = line.trim().split('=')
      return key.trim() === '' ? [] : [[key.trim(), rest.join('=').trim()]]
    }),
  )

/** Parses names that are separated by spaces, commas or line breaks. Repeated names are dropped. */
export const namesIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))]

/** Converts a request to the input `spec` of the API. Maps become lists of pairs. A request of Nova is sent unchanged. */
export function toSpecInput(request: RequestDocument): RequestDocument {
  const nova = novaOf(request)
  if (nova !== undefined) return nova.form === 'legacy' ? { legacy: nova.document } : { nova: nova.document }
  const { flavor, image, schedulerHints, pciRequests, ...rest } = request
  return {
    gantt: {
      ...rest,
      flavor: isRecord(flavor) ? withPairs(flavor, 'extraSpecs') : flavor,
      ...(isRecord(image) ? { image: withPairs(image, 'properties') } : {}),
      ...(isRecord(schedulerHints) ? { schedulerHints: Object.entries(schedulerHints).map(([key, values]) => ({ key, values })) } : {}),
      ...(Array.isArray(pciRequests) ? { pciRequests: pciRequests.map(toPciRequest) } : {}),
    },
  }
}

const withPairs = (record: RequestDocument, name: string): RequestDocument => {
  const map = record[name]
  return isRecord(map) ? { ...record, [name]: pairsOf(map) } : record
}

const pairsOf = (map: RequestDocument) => Object.entries(map).map(([key, value]) => ({ key, value }))

function toPciRequest(request: unknown): unknown {
  if (!isRecord(request) || !Array.isArray(request.specs)) return request
  return { ...request, specs: request.specs.map((spec) => ({ properties: isRecord(spec) ? pairsOf(spec) : spec })) }
}

/** Converts a request of the API (`spec`) to the form of docs/request-spec.md: the reverse of `toSpecInput`. */
export function fromSpecInput(spec: RequestDocument): RequestDocument | undefined {
  if (isRecord(spec.nova)) return { nova: { form: 'RequestSpec', document: spec.nova } }
  if (isRecord(spec.legacy)) return { nova: { form: 'legacy', document: spec.legacy } }
  if (!isRecord(spec.gantt)) return undefined
  const { flavor, image, schedulerHints, pciRequests, ...rest } = spec.gantt
  return withoutDefaults({
    ...rest,
    flavor: isRecord(flavor) ? { ...flavor, extraSpecs: mapOf(flavor.extraSpecs, 'value') } : flavor,
    ...(isRecord(image) ? { image: { ...image, properties: mapOf(image.properties, 'value') } } : {}),
    schedulerHints: mapOf(schedulerHints, 'values'),
    pciRequests: Array.isArray(pciRequests) ? pciRequests.map(fromPciRequest) : [],
  })
}

const mapOf = (pairs: unknown, name: 'value' | 'values'): unknown =>
  Array.isArray(pairs) ? Object.fromEntries(pairs.filter(isRecord).map((pair) => [textOf(pair.key), pair[name]])) : pairs

function fromPciRequest(request: unknown): unknown {
  if (!isRecord(request) || !Array.isArray(request.specs)) return request
  return { ...request, specs: request.specs.map((spec) => (isRecord(spec) ? mapOf(spec.properties, 'value') : spec)) }
}

/** Converts a `SimulateInput` of the API, which answers contain, to a scenario. Undefined if its request cannot be read. */
export function fromSimulateInput(input: RequestDocument): Scenario | undefined {
  const { requests, overlay, profile, profileChanges, at } = input
  const [first] = Array.isArray(requests) ? requests : []
  const request = isRecord(first) && isRecord(first.spec) ? fromSpecInput(first.spec) : undefined
  if (request === undefined || !isRecord(first)) return undefined
  return {
    name: undefined,
    request,
    count: countOf(first.count) || 1,
    profile: typeof profile === 'string' ? profile : undefined,
    overlay: isRecord(overlay) ? (overlay as Overlay) : {},
    profileChanges: isRecord(profileChanges) ? profileChanges : undefined,
    at: at === undefined || at === null ? undefined : String(at),
  }
}
