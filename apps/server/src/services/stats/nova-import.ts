import {
  fieldsOf,
  type Imported,
  importLegacyRequest,
  importNovaHost,
  importNovaRequest,
  keysIn,
  type NovaAggregate,
  readNovaAggregate,
  WireError,
  type WrittenRequest,
} from '@gantt/scheduler-core/nova'
import { callSize, documentSize, measureJson } from '../calls/json-size.ts'
import { type Issue, issue, under } from '../calls/outcome.ts'

/** A Nova document converted to Gantt's form, with the problems of its form. */
export interface NovaDocument {
  readonly document?: unknown
  readonly issues: readonly Issue[]
  /** The path of the document in the caller's input. */
  readonly path: readonly string[]
  /** Paths of fields in the document that this release does not know. They have no effect. */
  readonly ignored: readonly string[]
  /** The path of the instances in the caller's input, if the request does not contain them. */
  readonly instancesAt?: readonly string[] | undefined
  /** The stored form of a request that is written in Nova's form. */
  readonly nova?: WrittenRequest | null
}

export const readNovaSpec = (given: unknown, path: readonly string[]): NovaDocument => read(importNovaRequest(given), path)

export const readLegacySpec = (given: unknown, path: readonly string[]): NovaDocument => read(importLegacyRequest(given), path)

export const readNovaHost = (given: unknown, host: string, path: readonly string[]): NovaDocument => read(importNovaHost(given, host), path)

function read(imported: Imported, path: readonly string[]): NovaDocument {
  if (!imported.ok) return { issues: under(path, imported.problems), path, ignored: [] }
  const { document, unknown, root = [], nova = null } = imported
  const instancesAt = root.length === 0 ? undefined : [...path, 'instance_uuids']
  return { document, issues: [], path: [...path, ...root], instancesAt, ignored: unknown, nova }
}

/**
 * An aggregate in Nova's form, or the errors in its form. Its size is limited, except for the list of hosts, which can have all hosts of a
 * fleet.
 */
export function readAggregate(given: unknown, path: readonly string[]): NovaAggregate | Issue {
  const { hosts } = fieldsOf(given)
  const most = documentSize.values + (Array.isArray(hosts) ? hosts.length : 0)
  if (measureJson(given ?? null, { ...callSize, values: most }).values > most)
    return issue(path, given, `have at most ${documentSize.values} values besides its hosts; it has more`, 'call.too_large')
  try {
    return readNovaAggregate(given).aggregate
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return issue([...path, ...keysIn(given, error.path.split('.').slice(1).join('.'))], error.found, `be ${error.allowed}`)
  }
}
