import type { z } from 'zod'
import { parseWith, unknownVersion } from '../request/parse.ts'
import type { Parsed } from '../text/problem.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { JsonValue } from '../values/json.ts'
import { memoByObject } from '../values/memo.ts'

/**
 * A kind of documents that another service can report about hosts: the versions of the documents, and how decisions read them.
 * - A published version never changes. A new version can be written only from its own feature level on.
 * - The log stores documents unchanged, so replicas agree on the log even if they read different versions. If a replica cannot read a
 * document, a filter that needs it refuses the host.
 * - The age of a document does not depend on a replica's clock. It is the difference between `fleet.now` and the store time of the report.
 */
export interface Namespace<Document> {
  readonly name: string
  /** One sentence: which service reports the documents, and what they contain. */
  readonly description: string
  /** The published versions, oldest first. */
  readonly versions: readonly string[]
  /** The maximum age of a document in seconds. A profile can set another maximum. */
  readonly maxAgeSeconds: number
  /** Parses a document. Returns its content, or all of its problems at once. Paths begin with `version` or `document`. */
  parse(version: string, document: unknown): Parsed<Document>
  /**
   * The uuids of the things that a document names, such as volumes. An index of these uuids is stored, because requests search hosts by
   * them.
   */
  things(document: Document): Iterable<string>
  /**
   * The content of a host's document about one thing, without content that concerns only this host. With this content, the documents of
   * different hosts can be compared. Undefined if the document has no such content.
   */
  says(document: Document, thing: string, host: HostIndex): JsonValue | undefined
  /** Parses a document that the fleet stores. The result is cached for each document. */
  read(held: NamespaceDocument): Parsed<Document>
}

/** The parser for one version of the documents. */
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

/** A document of another service about a host. Each report creates a new object. */
export interface NamespaceDocument {
  readonly version: string
  readonly document: unknown
  /** The store time at which the document was last reported. Absent for documents from before feature level 5. */
  readonly reportedAt?: number
}
