import { fieldsOf, isJson, WireError } from '../../report/versioned-object.ts'
import { createRandom } from '../../values/random.ts'
import type { LegacyRequest } from '../objects/legacy-request.ts'
import { cpuListParser } from '../text/cpu-list.ts'
import { NovaError } from '../text/nova-error.ts'
import { jsonAt, numberedFields, textOfJson, withTexts } from './loose-values.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Converts the dictionaries of Juno to Liberty to one uniform form. The releases wrote values in different ways: sizes as numbers or as
 * text; flavors as objects or as plain fields; hints that are null; and server groups that only a hint names.
 */
export function plainDictionaries({ request_spec, filter_properties }: LegacyRequest): LegacyRequest {
  if (!isJson(request_spec)) return { request_spec, filter_properties }
  const properties = filter_properties === undefined || filter_properties === null ? {} : filter_properties
  if (!isJson(properties)) return { request_spec, filter_properties }
  const instance = instanceOf(request_spec.instance_properties)
  const spec = {
    ...request_spec,
    ...numberedFields(request_spec, ['num_instances'], 'request_spec'),
    ...(isJson(request_spec.image) && { image: imageOf(fieldsOf(request_spec.image)) }),
    ...(instance !== undefined && { instance_properties: instance }),
    ...typeOf(request_spec, 'request_spec'),
  }
  return { request_spec: spec, filter_properties: propertiesOf(properties, spec, instance ?? {}) }
}

const SIZES = ['vcpus', 'memory_mb', 'root_gb', 'ephemeral_gb', 'swap'] as const

/** Converts a flavor (`instance_type`), which can be a versioned object or a plain dictionary. */
function typeOf(given: Json, path: string): Json {
  const type = given.instance_type
  if (!isJson(type)) return {}
  const at = `${path}.instance_type`
  const fields = fieldsOf(type)
  const plain = {
    ...fields,
    ...numberedFields(fields, SIZES, at),
    ...(isJson(fields.extra_specs) && { extra_specs: withTexts(fields.extra_specs) }),
  }
  return { instance_type: fields === type ? plain : { ...type, 'nova_object.data': plain } }
}

/** Converts an image. For an instance that has booted, Nova reads the image from the instance's metadata, in which all values are text. */
function imageOf(image: Json): Json {
  const properties = isJson(image.properties) ? fieldsOf(image.properties) : image.properties
  return {
    ...image,
    ...numberedFields(image, ['min_ram', 'min_disk'], 'request_spec.image'),
    ...(isJson(properties) && { properties: withoutNulls(properties) }),
  }
}

function instanceOf(given: unknown): Json | undefined {
  if (!isJson(given)) return undefined
  const fields = fieldsOf(given)
  const plain = { ...fields, ...withTexts(pick(fields, ['project_id', 'user_id'])), ...topologyOf(fields) }
  return fields === given ? plain : { ...given, ...plain }
}

const TOPOLOGY = 'request_spec.instance_properties.numa_topology'

/**
 * Converts the guest topology of an instance, which can be JSON text. In Juno a cell had its CPUs as text (`cpus`) and its memory as an
 * object (`mem`). It gets the fields of later releases.
 */
function topologyOf({ numa_topology: given }: Json): Json {
  if (given === undefined) return {}
  const topology = jsonAt(given, TOPOLOGY)
  if (!isJson(topology) || !Array.isArray(topology.cells)) return { numa_topology: topology }
  const parse = cpuListParser()
  return { numa_topology: { ...topology, cells: topology.cells.map((cell: unknown, i) => cellOf(cell, `${TOPOLOGY}.cells.${i}`, parse)) } }
}

function cellOf(cell: unknown, path: string, parse: (text: string) => readonly number[]): unknown {
  if (!isJson(cell) || Object.hasOwn(cell, 'cpuset') || Object.hasOwn(cell, 'nova_object.data')) return cell
  const { cpus, mem, ...others } = cell
  if (typeof cpus !== 'string' || !isJson(mem)) return cell
  try {
    return { ...others, cpuset: parse(cpus), memory: mem.total }
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    throw new WireError(`${path}.cpus`, cpus, 'a list of CPUs such as 0-3,6')
  }
}

function propertiesOf(properties: Json, spec: Json, instance: Json): Json {
  const { scheduler_hints, ...others } = properties
  const hints = isJson(scheduler_hints) ? hintsOf(scheduler_hints) : (scheduler_hints ?? {})
  if (others.retry !== undefined && others.retry !== null) checkRetry(others.retry)
  return {
    ...others,
    ...typeOf(others, 'filter_properties'),
    scheduler_hints: hints,
    ...groupOf(others, isJson(hints) ? hints.group : undefined, spec, instance),
  }
}

/** Converts the scheduler hints. A hint that is null is left out. A hint that is not text becomes JSON text. */
const hintsOf = (hints: Json): Json =>
  Object.fromEntries(
    Object.entries(hints).flatMap(([name, hint]) => {
      if (hint === null) return []
      return [[name, Array.isArray(hint) ? hint.filter((one) => one !== null).map(textOfJson) : textOfJson(hint)]]
    }),
  )

function checkRetry(retry: unknown): void {
  const hosts = isJson(retry) ? retry.hosts : undefined
  if (hosts !== undefined && !Array.isArray(hosts))
    throw new WireError('filter_properties.retry.hosts', hosts, 'a list of pairs of host and node')
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Adds the uuid of the server group to a request. Nova wrote only the policies and hosts of the group into the dictionaries, but claims
 * need the uuid. It is read from `group_uuid`. If that is absent, the hint `group` names the group. Without a hint, the group gets the uuid
 * of the first instance.
 */
function groupOf(properties: Json, hint: unknown, spec: Json, instance: Json): Json {
  const { group_uuid, group_policies } = properties
  const isLookedUp = properties.group_updated === true || (Array.isArray(group_policies) && group_policies.length > 0)
  if (!isLookedUp) return {}
  const [first] = Array.isArray(spec.instance_uuids) ? spec.instance_uuids : []
  const named = Array.isArray(hint) ? hint[0] : hint
  const uuid = group_uuid ?? (typeof named === 'string' && named !== '' ? groupUuid(named, instance.project_id) : (instance.uuid ?? first))
  if (uuid === undefined || uuid === null)
    throw new WireError(
      'filter_properties.group_uuid',
      uuid,
      'a uuid, the hint group, or the uuid of an instance, because claims identify the group by it',
    )
  return { group_updated: true, group_hosts: properties.group_hosts ?? [], group_uuid: uuid }
}

/** The uuid of the server group in a hint. If the hint is a name, the uuid is computed from the name and the project. */
export function groupUuid(hint: string, project: unknown): string {
  if (UUID.test(hint)) return hint.toLowerCase()
  const random = createRandom(`server group ${hint} of project ${typeof project === 'string' ? project : ''}`)
  const digits = Array.from({ length: 4 }, () => random.below(0x1_0000_0000).toString(16).padStart(8, '0')).join('')
  // Version 8 of a uuid means that it was made by a custom method.
  return [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`, digits.slice(20)].join('-')
}

const withoutNulls = (given: Json): Json => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))

const pick = (given: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.flatMap((name) => (given[name] === undefined || given[name] === null ? [] : [[name, given[name]]])))
