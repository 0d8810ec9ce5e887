import type { z } from 'zod'
import { memoByObject } from '../memo.ts'
import type { Parsed } from '../problem.ts'
import { parseWith, unknownVersion } from '../request/parse.ts'

/**
 * What another service may say of hosts: the versions of its documents, and what is kept of one in memory.
 *
 * The law:
 * - A published version never changes; a new one is a new form, and is written only from a feature level of its own.
 * - The log takes a document as it is: what it means is worked out of it here, the same for the same document, so that replicas
 *   agree on the log whatever each reads. A document that cannot be read refuses where it is asked for, and is never guessed at.
 * - No document is asked for its age by a clock: `fleet.now` is compared with the store's time of the report.
 */
export interface Namespace<Document> {
  readonly name: string
  /** One sentence for people: whose state it is, and of what. */
  readonly description: string
  /** Published versions, oldest first. */
  readonly versions: readonly string[]
  /** How old a document may be where a profile does not say. */
  readonly maxAgeSeconds: number
  /** What a document says, or every problem at once; paths begin with `version` or `document`. */
  parse(version: string, document: unknown): Parsed<Document>
  /** Uuids of the things that a document tells of, by which requests look for hosts: an index of them is kept (fleet/tellers.ts). */
  things(document: Document): Iterable<string>
  /** `parse` of what a fleet holds, worked out once. */
  read(held: NamespaceDocument): Parsed<Document>
}

/** One version's way from a document to what is kept of it. */
export type Form<Document> = (document: unknown) => Parsed<Document>

export const form =
  <Schema extends z.ZodType, Document>(schema: Schema, keep: (document: z.output<Schema>) => Document): Form<Document> =>
  (document) => {
    const parsed = parseWith(schema, document, 'stats')
    return parsed.ok ? { ok: true, value: keep(parsed.value) } : parsed
  }

/** `forms`: by version, oldest first. */
export function defineNamespace<Document>(
  about: Pick<Namespace<Document>, 'name' | 'description' | 'maxAgeSeconds' | 'things'>,
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

/** Another service's document about a host; a new report makes a new one. */
export interface NamespaceDocument {
  readonly version: string
  readonly document: unknown
  /** Store time of its last report in the log; not kept of those from before feature level 5. */
  readonly reportedAt?: number
}
