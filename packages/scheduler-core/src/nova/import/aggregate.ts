import { isJson, WireError, WireObject } from '../../report/versioned-object.ts'

/** Nova's Aggregate, with only the fields that this service uses. */
export interface NovaAggregate {
  readonly uuid: string
  readonly name: string
  readonly hosts: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
}

export interface NovaAggregateRead {
  readonly aggregate: NovaAggregate
  /** Paths of fields in the document that have no effect, because this release does not know them. */
  readonly unknown: readonly string[]
}

const SILENT = ['id', 'created_at', 'updated_at', 'deleted_at', 'deleted', 'availability_zone']

/** Reads Nova's Aggregate: a versioned object of version 1.0 to 1.3, or a plain object with its fields. Throws WireError. */
export function readNovaAggregate(given: unknown): NovaAggregateRead {
  if (!isJson(given)) throw new WireError('aggregate', given, "Nova's Aggregate, or an object with its fields")
  const isEnvelope = Object.hasOwn(given, 'nova_object.name')
  const wire = isEnvelope ? given : { 'nova_object.name': 'Aggregate', 'nova_object.version': '1.3', 'nova_object.data': given }
  const object = new WireObject(wire, 'aggregate', 'Aggregate')
  for (const field of SILENT) object.raw(field)
  const textOf = (field: string): string => {
    const text = object.text(field)
    if (!text) throw new WireError(`aggregate.${field}`, text, 'a text')
    return text
  }
  const aggregate = {
    uuid: uuidOf(textOf('uuid')),
    name: textOf('name'),
    hosts: object.texts('hosts') ?? [],
    metadata: object.pairs('metadata') ?? {},
  }
  return { aggregate, unknown: object.unread() }
}

function uuidOf(text: string): string {
  const uuid = text.toLowerCase()
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)) return uuid
  throw new WireError('aggregate.uuid', text, 'a UUID')
}
