import {
  type Imported,
  importLegacyRequest,
  importNovaHost,
  importNovaRequest,
  type NovaAggregate,
  readNovaAggregate,
  WireError,
  type WrittenRequest,
} from '@gantt/scheduler-core/nova'
import { type Issue, issue, under } from './outcome.ts'

/** A document that came from Nova, in this service's words, with what was wrong with its form. */
export interface NovaDocument {
  readonly document?: unknown
  readonly issues: readonly Issue[]
  /** Where the caller gave it. */
  readonly path: readonly string[]
  /** Paths in it of fields that this release does not know; they have no effect. */
  readonly ignored: readonly string[]
  /** Where the caller named the instances, if beside the request. */
  readonly instancesAt?: readonly string[] | undefined
  /** Of a request: as it is kept. */
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

/** An Aggregate as Nova has it, or what is wrong with its form. */
export function readAggregate(given: unknown, path: readonly string[]): NovaAggregate | Issue {
  try {
    return readNovaAggregate(given).aggregate
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return issue([...path, ...error.path.split('.').slice(1)], error.found, `be ${error.allowed}`)
  }
}
