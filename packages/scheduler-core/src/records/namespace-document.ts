import type { z } from 'zod'
import { parseWith, unknownVersion } from '../request/parse.ts'
import type { Parsed } from '../text/problem.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { JsonValue } from '../values/json.ts'
import { memoByObject } from '../values/memo.ts'

/**
 * What another service may report about hosts: the versions of its documents, and what is kept of one in memory. The rules:
 * - A published version never changes. A new one is a new form, and is written only from a feature level of its own.
 * - The log stores a document as it is. What it means is derived from it here, always the same for the same document, so that replicas
 * agree on the log whichever versions each of them reads. A document that cannot be read refuses hosts where a filter needs it; its content
 * is never guessed.
 * - A document's age is never taken from a clock: `fleet.now` is compared with the store's time of the report.
 */
export interface Namespace<Document> {
  readonly name: string
  /** One sentence for people: which service reports it, and what it reports. */
  readonly description: string
  /** Published versions, oldest first. */
  readonly versions: readonly string[]
  /** The maximum age of a document if a profile does not set a limit. */
  readonly maxAgeSeconds: number
  /** The content of a document, or all of its problems at once; paths begin with `version` or `document`. */
  parse(version: string, document: unknown): Parsed<Document>
  /**
   * Uuids of the things that a document names. An index of them is kept (hosts/document-index.ts), because requests look for hosts by them.
   */
  things(document: Document): Iterable<string>
  /**
   * The content of the document of `host` about one object that is relevant to all hosts, so that two documents can be
   * compared; undefined if it has none, or only content about the host itself.
   */
  says(document: Document, thing: string, host: HostIndex): JsonValue | undefined
  /** `parse` of a document that a fleet holds, done once per document. */
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

/** `forms`: by version, oldest first. */
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

/** Another service's document about a host; each new report creates a new object. */
export interface NamespaceDocument {
  readonly version: string
  readonly document: unknown
  /** Store time of its last report in the log; unknown for documents from before feature level 5. */
  readonly reportedAt?: number
}
