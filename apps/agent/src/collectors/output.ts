import type { ResourceName } from '@gantt/client'
import { isObject, placeOf } from './json.ts'
import { nestingOf } from './nesting.ts'
import type { CollectorError } from './processes/run-process.ts'
import type { Conceal } from './secrets.ts'
import { unsendable } from './sendable.ts'
import { cutText, plainText, utf8 } from './text.ts'

/** A document that a collector produced. */
export interface Collected {
  /** The version of the namespace's documents. */
  readonly version: string
  readonly document: Readonly<Record<string, unknown>>
}

/** The host and the namespace that a collector reports. */
export interface Own {
  readonly name: ResourceName
  readonly namespace: string
  /** Applied to what the output contains before it is part of an error. */
  readonly conceal: Conceal
}

/** At most this many levels of lists and objects may be in the output. */
const MAX_DEPTH = 32

const KEYS = ['version', 'document', 'namespace', 'host', 'node']

/**
 * Reads the output of a collector: one JSON object with the document and its version. It may also name the host and the namespace, which
 * must then be the collector's own.
 */
export function readOutput(
  output: Uint8Array,
  { name, namespace, conceal }: Own,
): { readonly collected: Collected } | { readonly error: CollectorError } {
  const malformed = (text: string) => ({ error: { code: 'MALFORMED' as const, text } })
  const quotedPart = (part: string): string => JSON.stringify(cutText(plainText(conceal(part)), 80))
  let text: string
  try {
    text = utf8(output)
  } catch {
    return malformed('its output is not UTF-8')
  }
  if (text.trim() === '') return malformed('it printed nothing; it must print one JSON object with "version" and "document"')
  const depth = nestingOf(text)
  if (depth > MAX_DEPTH) return malformed(`its output has ${depth} levels of lists and objects, and may have ${MAX_DEPTH}`)
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    return malformed(`its output is not one JSON document${placeOf(error)}`)
  }
  if (!isObject(parsed)) return malformed('its output is not a JSON object; it must have "version" and "document"')
  const unknown = Object.keys(parsed).find((key) => !KEYS.includes(key))
  if (unknown !== undefined) return malformed(`its output has the member ${quotedPart(unknown)}; it may have ${KEYS.join(', ')}`)
  const wanted = {
    namespace: parsed.namespace ?? namespace,
    host: parsed.host ?? name.host,
    node: parsed.node ?? name.node ?? name.host,
  }
  const own = { namespace, host: name.host, node: name.node ?? name.host }
  const foreign = (['namespace', 'host', 'node'] as const).find((key) => wanted[key] !== own[key])
  if (foreign !== undefined) {
    const value = wanted[foreign]
    const found = typeof value === 'string' ? quotedPart(value) : 'that is no text'
    return {
      error: {
        code: 'FOREIGN',
        text: `it wants to report the ${foreign} ${found}; it may report only namespace ${namespace} of host ${name.host}`,
      },
    }
  }
  const { version, document } = parsed
  if (typeof version !== 'string' || version.length < 1 || version.length > 64 || plainText(version) !== version)
    return malformed('its output must have a "version" of 1 to 64 visible characters: the version of the namespace\'s documents')
  if (!isObject(document)) return malformed('its output must have a "document", which is an object')
  const wrong = unsendable(document)
  return wrong === undefined
    ? { collected: { version, document } }
    : malformed(`its document cannot be sent: ${cutText(plainText(conceal(wrong)), 500)}`)
}
