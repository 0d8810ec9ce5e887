import { fieldsOf, isJson, WireError } from '../../report/versioned-object.ts'
import { createRandom } from '../../values/random.ts'
import type { LegacyRequest } from '../objects/legacy-request.ts'
import { numberedFields, textOfJson, withTexts } from './loose-values.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Converts the dictionaries of Juno to Liberty to a single form, which readers of every release understand. Nova itself wrote sizes as
 * numbers or as text, sets as lists, as objects or as only their fields, hints that are null, and a server group that only a hint names.
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

/** Reads a flavor, which was a database row, the fields of an object, or an object. */
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

/** Reads an image. After the first boot of an instance, its image comes from the instance's own metadata, as text. */
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
  const plain = { ...fields, ...withTexts(pick(fields, ['project_id', 'user_id'])) }
  return fields === given ? plain : { ...given, ...plain }
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

/** The hints. A hint that is null is left out, and a hint that is not text becomes JSON text. */
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
 * The server group of a request. Nova looked up the group by the hint or by the instance, but wrote only its policies and hosts into the
 * dictionaries. Claims need to know the group itself. It is the group in the hint or, without a hint, a group whose uuid is derived from
 * the first instance.
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
      'a uuid, or the hint group, or the uuid of an instance: claims know the group by it',
    )
  return { group_updated: true, group_hosts: properties.group_hosts ?? [], group_uuid: uuid }
}

/** The uuid of the group that a hint names: the hint itself, or for a name one that depends only on name and project. */
export function groupUuid(hint: string, project: unknown): string {
  if (UUID.test(hint)) return hint.toLowerCase()
  const random = createRandom(`server group ${hint} of project ${typeof project === 'string' ? project : ''}`)
  const digits = Array.from({ length: 4 }, () => random.below(0x1_0000_0000).toString(16).padStart(8, '0')).join('')
  // Version 8: made by a custom rule.
  return [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`, digits.slice(20)].join('-')
}

const withoutNulls = (given: Json): Json => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))

const pick = (given: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.flatMap((name) => (given[name] === undefined || given[name] === null ? [] : [[name, given[name]]])))
