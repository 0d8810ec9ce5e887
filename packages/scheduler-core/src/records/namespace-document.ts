import type { z } from 'zod'
import { parseWith, unknownVersion } from '../request/parse.ts'
import type { Parsed } from '../text/problem.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { JsonValue } from '../values/json.ts'
import { memoByObject } from '../values/memo.ts'

/**
 * A kind of document that another service may report about hosts: the versions of the document, and how decisions read it.
 * - A published version never changes. A new version is a new form, and may be written only from its own feature level on.
 * - The log stores a document unchanged. Its meaning is derived here, and is always the same for the same document. So replicas agree on
 * the log, whichever versions each of them reads. If a document cannot be read, a filter that needs it refuses the host.
 * - The age of a document does not depend on a clock: `fleet.now` is compared with the store's time of the report.
 */
export interface Namespace<Document> {
  readonly name: string
  /** One sentence about which service reports it, and what it reports. */
  readonly description: string
  /** Published versions, oldest first. */
  readonly versions: readonly string[]
  /** The maximum age of a document if a profile does not set a limit. */
  readonly maxAgeSeconds: number
  /** The content of a document, or all of its problems at once. Paths begin with `version` or `document`. */
  parse(version: string, document: unknown): Parsed<Document>
  /** The uuids of the things that a document names. They are indexed (hosts/document-index.ts), because requests search hosts by them. */
  things(document: Document): Iterable<string>
  /**
   * The content of the document of `host` about one thing that is relevant to all hosts, so that two documents can be compared. Undefined
   * if it has no such content.
   */
  says(document: Document, thing: string, host: HostIndex): JsonValue | undefined
  /** Parses a document of the fleet, once for each document. */
  read(held: NamespaceDocument): Parsed<Document>
}

/** One version of the documents, and its parser. */
export type Form<Document> = (document: unknown) => Parsed<Document>

export const form =
  <Schema extends z.ZodType, Document>(schema: Schema, keep: (document: z.output<Schema>) => Document): Form<Document> =>
  (document) => {
    const parsed = parseWith(schema, document, 'stats')
    return parsed.ok ? { ok: true, value: keep(parsed.value) } : parsed
  }

/** Defines a namespace. `forms` are the parsers by version, oldest first. */
export function defineNamespace<Document>(
  about: Pick<Namespace<Document>, 'name' | 'description' | 'maxAgeSeconds' | 'things' | 'says'>,
  forms: ReadonlyMap<string, Form<Document>>,
): Namespace<Document> {
  const versions = [...forms.keys()]
  const parse = (version: string, document: unknown): Parsed<Document> => {
    const read = forms.get(version)
    if (read === undefined) return { ok: false, problems: [unknownVersion('stats', version, versions)] }
    const parsed = read(document)
    if (parsed.ok) return parsed
    return { ok: false, problems: parsed.problems.map((problem) => ({ ...problem, path: ['document', ...problem.path] })) }
  }
  return { ...about, versions, parse, read: memoByObject(({ version, document }) => parse(version, document)) }
}

/** Another service's document about a host. Each report creates a new object. */
export interface NamespaceDocument {
  readonly version: string
  readonly document: unknown
  /** Store time of the last report of the document in the log. Unknown for documents from before feature level 5. */
  readonly reportedAt?: number
}
